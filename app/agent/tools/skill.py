"""load_skill: read the instructions for a kind of work, or let a sub-agent follow them."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field

from app.agent.skills import Skill, SkillRegistry
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolArgs, ToolKind, ToolOutput
from app.errors import NotFoundError
from app.services.threads import off_loop

MAX_CHARS = 32_000
FORK_STEPS = 10
"""Steps of a sub-agent that follows a skill: a skill is a whole piece of work."""


class LoadSkillArgs(ToolArgs):
    """Arguments of `load_skill`."""

    name: str = Field(min_length=1, max_length=80, description="Name of the skill.")
    arguments: str = Field("", max_length=4000, description="What it is to be applied to, in words.")


class LoadSkill(AgentTool):
    """Loads a skill inline, or runs one that asks for it (`context: fork`) in a sub-agent.

    Its text is never put on disk instead: instructions must be read whole. The names that there are
    stand in the schema; they are those of the moment when the definitions are first asked for.
    """

    name = "load_skill"
    description = (
        "Load the instructions of a skill before you begin the kind of work it is for, and follow them. "
        "Some skills are carried out by a sub-agent; then its result is returned."
    )
    Args = LoadSkillArgs
    kind = ToolKind.AGENT
    pages = True
    timeout_s = math.inf  # a fork is a sub-agent: each of its calls has a limit; the whole has its steps

    def __init__(self, skills: SkillRegistry | None = None) -> None:
        self._skills = skills or SkillRegistry()

    def parameters(self) -> dict[str, Any]:
        """Return the schema, with the names of the skills as the only ones allowed."""
        schema = super().parameters()
        if names := self._skills.names():
            schema["properties"]["name"]["enum"] = names
        return schema

    def is_concurrency_safe(self, args: LoadSkillArgs) -> bool:
        """Reading is; a sub-agent may write."""
        try:
            return not self._skills.get(args.name).text.fork
        except NotFoundError:
            return True

    async def execute(self, args: LoadSkillArgs, ctx: ToolContext) -> ToolOutput:
        """Return the instructions, or what the sub-agent made of them."""
        return await self.execute_with_progress(args, ctx, lambda _share, _words: None)

    async def execute_with_progress(
        self, args: LoadSkillArgs, ctx: ToolContext, report: Report
    ) -> ToolOutput:
        """Do it; the steps of a sub-agent are reported."""
        await off_loop(self._skills.load)
        if not self._skills.skills:
            return ToolOutput.error("No skill is installed. Do the work without one, with your tools.")
        skill = self._skills.get(args.name)
        if skill.text.fork and ctx.conversation.depth == 0:
            return await self._forked(skill, args.arguments, ctx, report)
        text = await off_loop(_for_model, skill, args.arguments)
        return ToolOutput(text, metadata={"skill": skill.name, "mode": "inline", "origin": skill.origin})

    async def _forked(self, skill: Skill, arguments: str, ctx: ToolContext, report: Report) -> ToolOutput:
        instructions = await off_loop(_for_model, skill, arguments)
        task = arguments.strip() or f"Carry out the skill {skill.name}."
        summary = await ctx.services.children.run_child(
            ctx, task, name=skill.name, max_steps=FORK_STEPS, instructions=instructions, report=report
        )
        # What a sub-agent reports may repeat what papers told it.
        metadata = {"skill": skill.name, "mode": "fork", "origin": skill.origin}
        return ToolOutput(summary, metadata=metadata, untrusted=True)


def _for_model(skill: Skill, arguments: str) -> str:
    text = skill.instructions(arguments)
    parts = [f'<skill name="{skill.name}">', text[:MAX_CHARS]]
    if len(text) > MAX_CHARS:
        parts.append(f"(Cut here: read the rest with read_file, {skill.folder / 'SKILL.md'}.)")
    parts.append("</skill>")
    if resources := skill.resources():
        parts.append(f"Its folder is {skill.folder}; these files can be read there when the skill says so:")
        parts += [f"- {name}" for name in resources]
    return "\n".join(parts)
