"""The two tools of background work."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput


class BgTaskRunArgs(ToolArgs):
    """Arguments of bg_task_run."""

    tool: Literal["download_paper", "parse_paper"] = Field(description="The tool to run.")
    arguments: dict[str, Any] = Field(description="Its arguments, as for a direct call.")


class BgTaskRun(AgentTool):
    """Begins a background task."""

    name = "bg_task_run"
    description = (
        "Run download_paper or parse_paper in the background and go on at once. Returns a task id. "
        "You are told by yourself when the task has ended, also after this turn: do not wait for it."
    )
    Args = BgTaskRunArgs
    kind = ToolKind.AGENT

    async def execute(self, args: BgTaskRunArgs, ctx: ToolContext) -> ToolOutput:
        """Begin it."""
        task = await ctx.services.background.start(
            ctx.conversation, args.tool, args.arguments, call_id=ctx.call_id
        )
        return ToolOutput(
            f"{task} is running: {args.tool}. You will be told when it has ended.",
            metadata={"task_id": task, "tool": args.tool},
        )


class BgTaskCheckArgs(ToolArgs):
    """Arguments of bg_task_check."""

    task_id: str = Field("", description="One task; without it, all tasks of this conversation.")


class BgTaskCheck(AgentTool):
    """Tells how background tasks stand."""

    name = "bg_task_check"
    description = "Show how background tasks stand, and the result of one that has ended."
    Args = BgTaskCheckArgs
    kind = ToolKind.AGENT
    polls = True

    def is_concurrency_safe(self, args: BgTaskCheckArgs) -> bool:
        """It changes nothing."""
        return True

    async def execute(self, args: BgTaskCheckArgs, ctx: ToolContext) -> ToolOutput:
        """Look."""
        tasks = await ctx.services.background.tasks(ctx.conversation.session_id)
        wanted = args.task_id.strip().casefold()
        chosen = [task for task in tasks if wanted in ("", task.task_id)]
        metadata = {"tasks": [{"task_id": task.task_id, "state": task.state} for task in chosen]}
        if not chosen and wanted:
            known = ", ".join(task.task_id for task in tasks) or "none"
            return ToolOutput.error(f"There is no task {args.task_id} here. Tasks: {known}.")
        if not chosen:
            return ToolOutput("No background task was begun in this conversation.", metadata=metadata)
        if wanted:
            (task,) = chosen
            return ToolOutput(task.text(), metadata=metadata, untrusted=task.untrusted)
        return ToolOutput("\n".join(task.line() for task in chosen), metadata=metadata)
