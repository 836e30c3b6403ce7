"""parse_paper: turn the file of a paper into text that can be searched and read."""

from __future__ import annotations

from pydantic import Field

from app.agent.tools.astro.download import NotAvailableError
from app.agent.tools.astro.papers import ADD_IT, PAPER, detail_of
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolArgs, ToolKind, ToolOutput
from app.library.files import FileRow

ENGINE = "layout"
"""What read the files at import: MuPDF's layout."""

_WAYS_OUT = {
    "needs_password": "The person can give its password: open the paper in the window.",
    "no_text": "It has no text layer, so it must be recognised (OCR) by another program and added again.",
    "damaged": "The person can repair it with another program and add it again.",
    "not_pdf": "The person can add the PDF in its place.",
}


class ParsePaperArgs(ToolArgs):
    """Arguments of `parse_paper`."""

    paper: str = Field(min_length=1, max_length=500, description=PAPER)
    engine: str | None = Field(
        None, max_length=40, description="How to read it; leave it out to take the best for this paper."
    )


class ParsePaper(AgentTool):
    """Says how well the paper was read at import; other engines come with the astronomy services."""

    name = "parse_paper"
    description = (
        "See whether a paper of the library has been turned into text, how much of it, and what to do if "
        "not. Papers are read when they are added; then get_paper_content and rag_search work at once."
    )
    Args = ParsePaperArgs
    kind = ToolKind.LIBRARY
    timeout_s = 900.0

    async def execute(self, args: ParsePaperArgs, ctx: ToolContext) -> ToolOutput:
        """Look at its files. Raises NotFoundError, NotAvailableError."""
        return await self.execute_with_progress(args, ctx, lambda _share, _words: None)

    async def execute_with_progress(
        self, args: ParsePaperArgs, ctx: ToolContext, report: Report
    ) -> ToolOutput:
        """Do it and say what is looked at."""
        report(None, "Looking at its files")
        paper = await detail_of(ctx, args.paper)
        if not paper.files:
            raise NotAvailableError(f"{paper.paper_id} has no file in the library to be read.", hint=ADD_IT)
        if args.engine not in (None, "", ENGINE):
            raise NotAvailableError(
                f"The engine “{args.engine}” comes with the astronomy services; this version has “{ENGINE}”.",
                hint="Leave out `engine` to see what is read already.",
            )
        lines = [_state(file) for file in paper.files]
        readable = any(file.passages for file in paper.files)
        metadata = {
            "paper_id": paper.paper_id,
            "passages": paper.passage_count,
            "indexed": all(file.indexed for file in paper.files),
            "engine": ENGINE,
        }
        if not readable:
            return ToolOutput.error(" ".join(lines), **metadata)
        return ToolOutput(" ".join([*lines, "Read it with get_paper_content."]), metadata=metadata)


def _state(file: FileRow) -> str:
    name = file.original_name
    if file.passages and file.indexed:
        return f"{name} is read: {file.pages} pages, {file.passages} passages."
    if file.passages:
        return f"{name} is being read: {file.passages} passages so far of {file.pages} pages."
    if way_out := _WAYS_OUT.get(file.status):
        return f"{name} could not be read ({file.status}): {file.message or 'no more is known'} {way_out}"
    return f"{name} is not read yet ({file.status or 'it waits in the import queue'}). {file.message}".strip()
