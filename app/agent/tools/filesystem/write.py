"""file_write: a whole text file, new or in the place of one that was read."""

from __future__ import annotations

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.filesystem.places import printable
from app.agent.tools.tool import AgentTool, InterruptBehavior, ToolArgs, ToolKind, ToolOutput
from app.errors import AppError
from app.services.files.changing import Change, planned_write
from app.services.files.diffs import unified
from app.services.files.writing import file_lock
from app.services.threads import off_loop


class FileWriteArgs(ToolArgs):
    """Arguments of file_write."""

    path: str = Field(description="Path of the file, absolute or relative to the library's files folder")
    content: str = Field(description="The whole content")


class FileWrite(AgentTool):
    """Writes in one step, and only over the version that the model has seen."""

    name = "file_write"
    description = (
        "Create a text file, or replace one as a whole; folders are made as needed. A file that exists must"
        " have been read with read_file before. To change a part of a file use file_edit."
    )
    Args = FileWriteArgs
    kind = ToolKind.WRITE

    def interrupt_behavior(self) -> InterruptBehavior:
        """Writing itself is finished."""
        return InterruptBehavior.BLOCK

    async def execute(self, args: FileWriteArgs, ctx: ToolContext) -> ToolOutput:
        """Write, or say why not; then the file is as it was."""
        path = await off_loop(ctx.conversation.sandbox.writable, args.path)
        async with file_lock(path):
            known = ctx.conversation.files.version(path)
            change = await off_loop(planned_write, path, args.content, known)
            if not change.creates and change.before == change.after:
                return ToolOutput(f"{_shown(change, ctx)} has this content already.")
            await make(change, ctx)
        done = "Created" if change.creates else "Replaced"
        return ToolOutput(f"{done} {_shown(change, ctx)}.", metadata=await off_loop(described, change, ctx))

    async def preview(self, args: FileWriteArgs, ctx: ToolContext) -> tuple[str, str]:
        """Return the difference to what is there now."""
        try:
            path = await off_loop(ctx.conversation.sandbox.writable, args.path)
            known = ctx.conversation.files.version(path)
            change = await off_loop(planned_write, path, args.content, known)
        except AppError as error:
            return f"{args.path}\n{error.message}", "text"
        return await off_loop(difference, change, ctx), "diff"


async def make(change: Change, ctx: ToolContext) -> None:
    """Write a planned change, uninterrupted, and remember the new version."""
    async with ctx.protected():
        version = await off_loop(change.make)
        ctx.conversation.files.note_written(change.path, version, knew=change.known)


def described(change: Change, ctx: ToolContext) -> dict[str, object]:
    """Return what the screen shows of a change."""
    return {"path": _shown(change, ctx), "created": change.creates, "diff": difference(change, ctx)}


def difference(change: Change, ctx: ToolContext) -> str:
    """Return the unified diff of a change under the path that the tools use."""
    return unified(change.before, change.after, _shown(change, ctx))


def _shown(change: Change, ctx: ToolContext) -> str:
    return printable(ctx.conversation.sandbox.shown(change.path))
