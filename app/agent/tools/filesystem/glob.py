"""glob_files: files by name."""

from __future__ import annotations

from pathlib import PurePath

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.filesystem.grep import search_place
from app.agent.tools.filesystem.places import counted, listed
from app.agent.tools.tool import AgentTool, ToolArgs, ToolOutput
from app.services.files.searching import GlobResult
from app.services.threads import off_loop


class GlobFilesArgs(ToolArgs):
    """Arguments of glob_files."""

    pattern: str = Field(
        min_length=1,
        max_length=1000,
        description="Such as *.tex, notes/**/*.md or **/{a,b}*; ** goes through folders",
    )
    path: str | None = Field(
        None, description="Folder to search; without it the project folder, else the library's files"
    )


class GlobFiles(AgentTool):
    """Lists files, newest first."""

    name = "glob_files"
    description = (
        "List files whose path fits a pattern, the newest first. Files left out by .gitignore are not listed,"
        " links are not followed."
    )
    Args = GlobFilesArgs

    def is_concurrency_safe(self, args: GlobFilesArgs) -> bool:
        """Listing disturbs nobody."""
        return True

    async def execute(self, args: GlobFilesArgs, ctx: ToolContext) -> ToolOutput:
        """Return the paths as the other tools take them."""
        sandbox = ctx.conversation.sandbox
        folder, pattern = _parted(args.pattern)
        root, closed = await off_loop(search_place, sandbox, args.path or folder)
        result = await ctx.services.file_search.glob(pattern, root, closed=closed)
        paths = [sandbox.shown(root if root.is_file() else root / path) for path in result.paths]
        return ToolOutput(
            "\n".join([*([listed(paths)] if paths else []), f"[{_summary(result)}]"]),
            metadata={"files": result.total, "shown": len(paths), "partial": bool(result.stopped)},
        )


def _parted(pattern: str) -> tuple[str | None, str]:
    """Part an absolute pattern into the folder it starts in and the rest."""
    parts = PurePath(pattern).parts
    if not PurePath(pattern).is_absolute():
        return None, pattern
    plain = next((i for i, part in enumerate(parts) if any(sign in part for sign in "*?[{")), len(parts) - 1)
    plain = max(1, plain)
    return str(PurePath(*parts[:plain])), "/".join(parts[plain:])


def _summary(result: GlobResult) -> str:
    notes = [counted(result.total, "file") if result.total else "no file fits"]
    if result.total > len(result.paths):
        notes.append(f"the newest {len(result.paths)} are listed: narrow the pattern for others")
    if result.stopped:
        notes.append(f"the search stopped {result.stopped}, so there may be more")
    return "; ".join(notes)
