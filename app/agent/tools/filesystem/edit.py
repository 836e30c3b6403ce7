"""file_edit: one exact replacement in a text file."""

from __future__ import annotations

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.filesystem.places import existing, printable
from app.agent.tools.filesystem.write import described, difference, make
from app.agent.tools.tool import AgentTool, InterruptBehavior, ToolArgs, ToolKind, ToolOutput
from app.errors import AppError
from app.services.files.changing import Change, planned_edit
from app.services.files.writing import file_lock
from app.services.threads import off_loop

_MOST_LINES = 20


class FileEditArgs(ToolArgs):
    """Arguments of file_edit."""

    path: str = Field(description="Path of the file, absolute or relative to the library's files folder")
    old_string: str = Field(description="The text to replace, exactly as in the file, without line numbers")
    new_string: str = Field(description="The text to put in its place")
    replace_all: bool = Field(False, description="Replace every place, not the only one")


class FileEdit(AgentTool):
    """Reads, changes and writes while it holds the file, so that no other edit is lost."""

    name = "file_edit"
    description = (
        "Replace a text in a file by another. old_string must be there exactly once, or set replace_all."
        " Everything else in the file stays as it is, encoding and line ends too."
    )
    Args = FileEditArgs
    kind = ToolKind.WRITE

    def interrupt_behavior(self) -> InterruptBehavior:
        """Writing itself is finished."""
        return InterruptBehavior.BLOCK

    async def execute(self, args: FileEditArgs, ctx: ToolContext) -> ToolOutput:
        """Change the file, or say why not; then it is as it was."""
        sandbox = ctx.conversation.sandbox
        path = await off_loop(sandbox.writable, args.path)
        await off_loop(existing, sandbox, args.path)
        async with file_lock(path):
            change = await off_loop(_planned, args, ctx)
            await make(change, ctx)
        lines = change.edited.lines if change.edited else ()
        places = "1 place" if len(lines) == 1 else f"{len(lines)} places"
        where = ", ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")
        shown = printable(sandbox.shown(path))
        return ToolOutput(
            f"Changed {places} in {shown} (line {where}).",
            metadata={**await off_loop(described, change, ctx), "places": len(lines)},
        )

    async def preview(self, args: FileEditArgs, ctx: ToolContext) -> tuple[str, str]:
        """Return the difference that it would make now."""
        try:
            change = await off_loop(_planned, args, ctx)
        except AppError as error:
            return f"{args.path}\n{error.message}", "text"
        return await off_loop(difference, change, ctx), "diff"


def _planned(args: FileEditArgs, ctx: ToolContext) -> Change:
    path = ctx.conversation.sandbox.writable(args.path)
    return planned_edit(path, args.old_string, args.new_string, everywhere=args.replace_all)
