"""subagent: a task done in a context of its own, of which only the summary comes back."""

from __future__ import annotations

import math

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolArgs, ToolKind, ToolOutput

DEFAULT_STEPS = 5
MAX_STEPS = 10

NOT_INSIDE = frozenset(
    (
        "ask_user", "bg_task_check", "bg_task_run", "check_team_inbox", "compress_context", "save_memory",
        "send_teammate_message", "spawn_teammate", "subagent", "team_broadcast", "todo_write",
    )
)  # fmt: skip
"""The affairs of the conversation, and agents of agents: not for whom only a summary returns."""


class SubAgentArgs(ToolArgs):
    """Arguments of subagent."""

    task: str = Field(
        min_length=1,
        max_length=20_000,
        description="What to do and what to report. It knows nothing of this conversation: say all it needs.",
    )
    max_steps: int = Field(
        DEFAULT_STEPS, ge=1, le=MAX_STEPS, description="Rounds it may take; 5 without this, at most 10."
    )


class SubAgent(AgentTool):
    """Runs a sub-agent. Not beside other calls: it may write, if the person lets it."""

    name = "subagent"
    description = (
        "Give a self-contained task to a sub-agent with a fresh context and the same tools for papers and "
        "files; only its summary comes back. Good for reading much to learn little."
    )
    Args = SubAgentArgs
    kind = ToolKind.AGENT
    timeout_s = math.inf  # each of its calls has a limit; the whole has its steps

    async def execute(self, args: SubAgentArgs, ctx: ToolContext) -> ToolOutput:
        """Run it."""
        return await self._run(args, ctx, None)

    async def execute_with_progress(self, args: SubAgentArgs, ctx: ToolContext, report: Report) -> ToolOutput:
        """Run it and tell its steps."""
        return await self._run(args, ctx, report)

    async def _run(self, args: SubAgentArgs, ctx: ToolContext, report: Report | None) -> ToolOutput:
        if ctx.conversation.depth > 0:
            return ToolOutput.error("A sub-agent begins no other one. Do the task yourself.")
        summary = await ctx.services.children.run_child(
            ctx,
            args.task,
            name=self.name,
            max_steps=args.max_steps,
            registry=ctx.conversation.registry.without(lambda tool: tool.name in NOT_INSIDE),
            report=report,
        )
        if not summary.strip():
            return ToolOutput.error("The sub-agent ended without a summary. Do the task yourself, in parts.")
        # it may have read papers: what it says of them has no more authority than they have
        return ToolOutput(summary, untrusted=True)
