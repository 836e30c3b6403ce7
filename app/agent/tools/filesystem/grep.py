"""grep_files: lines that match a regular expression."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from app.agent.policy.paths import Sandbox
from app.agent.tools.context import ToolContext
from app.agent.tools.filesystem.places import counted, existing, printable
from app.agent.tools.tool import AgentTool, Report, ToolArgs, ToolOutput
from app.services.files.searching import GrepResult
from app.services.threads import off_loop


class GrepFilesArgs(ToolArgs):
    """Arguments of grep_files."""

    pattern: str = Field(
        min_length=1, max_length=2000, description="Regular expression (Python), for single lines"
    )
    path: str | None = Field(
        None, description="File or folder to search; without it the project folder, else the library's files"
    )
    glob: str | None = Field(None, description="Search only files whose name fits, such as *.tex")
    ignore_case: bool = Field(False, description="Take upper and lower case as the same")


class GrepFiles(AgentTool):
    """Searches in a worker process, which is ended if the pattern never comes to an end."""

    name = "grep_files"
    description = (
        "Search text files for lines that match a regular expression. Files left out by .gitignore are not"
        " searched, links are not followed. PDF files are not searched: rag_search does that."
    )
    Args = GrepFilesArgs

    def is_concurrency_safe(self, args: GrepFilesArgs) -> bool:
        """Searching disturbs nobody."""
        return True

    async def execute(self, args: GrepFilesArgs, ctx: ToolContext) -> ToolOutput:
        """Search without telling how far it is."""
        return await self.execute_with_progress(args, ctx, lambda _share, _words: None)

    async def execute_with_progress(
        self, args: GrepFilesArgs, ctx: ToolContext, report: Report
    ) -> ToolOutput:
        """Return the matching lines by file; says honestly what was not searched."""
        sandbox = ctx.conversation.sandbox
        root, closed = await off_loop(search_place, sandbox, args.path)
        result = await ctx.services.file_search.grep(
            args.pattern,
            root,
            glob=args.glob or "",
            ignore_case=args.ignore_case,
            closed=closed,
            progress=lambda files, _at: report(None, f"{counted(files, 'file')} searched"),
        )
        return ToolOutput(
            _rendered(result, sandbox, root),
            metadata={
                "matches": result.count,
                "files": len(result.files),
                "searched": result.searched,
                "partial": bool(result.stopped),
            },
            untrusted=bool(result.files) and not sandbox.trusts(root),
            private=bool(result.files) and ctx.conversation.of_project(root),
        )


def search_place(sandbox: Sandbox, path: str | None) -> tuple[Path, list[Path]]:
    """Return where to search, and the folders below it to stay out of. Blocks; raises PathRefused."""
    root = sandbox.search_root if path is None else existing(sandbox, path)
    return root, sandbox.closed_below(root)


def _rendered(result: GrepResult, sandbox: Sandbox, root: Path) -> str:
    parts = []
    alone = root.is_file()
    for found in result.files:
        path = root if alone else root / found.path
        lines = [f"  {number}: {text}" for number, text in found.lines]
        more = ["  … more in this file"] if found.more else []
        parts.append("\n".join([printable(sandbox.shown(path)), *lines, *more]))
    return "\n".join([*parts, f"[{_summary(result)}]"])


def _summary(result: GrepResult) -> str:
    found = (
        f"{counted(result.count, 'line')} in {counted(len(result.files), 'file')}"
        if result.files
        else "no line matches"
    )
    notes = [f"{found}; {counted(result.searched, 'file')} searched"]
    if result.binary:
        notes.append(f"{counted(result.binary, 'binary file')} not searched (papers: rag_search)")
    if result.unread:
        notes.append(f"{counted(result.unread, 'file')} could not be read")
    if result.stopped:
        notes.append(
            f"the search stopped {result.stopped}, so there may be more: narrow the pattern, path or glob"
        )
    return "; ".join(notes)
