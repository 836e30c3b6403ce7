"""download_paper: bring the PDF of a paper into the library."""

from __future__ import annotations

from pydantic import Field

from app.agent.tools.astro.papers import ADD_IT, PAPER
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolArgs, ToolKind, ToolOutput
from app.errors import AppError, NotFoundError
from app.services.threads import off_loop


class NotAvailableError(AppError):
    """This version cannot do it; the hint names the way out."""

    code = "not_available"


class DownloadPaperArgs(ToolArgs):
    """Arguments of `download_paper`."""

    paper: str = Field(min_length=1, max_length=500, description=PAPER)


class DownloadPaper(AgentTool):
    """Says whether the paper is here already; fetching it comes with the astronomy services."""

    name = "download_paper"
    description = "Bring the PDF of a paper into the library, unless it is there already."
    Args = DownloadPaperArgs
    kind = ToolKind.LIBRARY
    timeout_s = 900.0

    async def execute(self, args: DownloadPaperArgs, ctx: ToolContext) -> ToolOutput:
        """See whether it is here. Raises NotAvailableError if it is not."""
        return await self.execute_with_progress(args, ctx, lambda _share, _words: None)

    async def execute_with_progress(
        self, args: DownloadPaperArgs, ctx: ToolContext, report: Report
    ) -> ToolOutput:
        """Do it and say where it looks."""
        report(None, "Looking in the library")
        papers = ctx.services.library.papers
        try:
            paper = await off_loop(papers.get, await off_loop(papers.resolve, args.paper))
        except NotFoundError:
            paper = None
        if paper is not None and paper.files:
            names = ", ".join(file.original_name for file in paper.files)
            trash = " It is in the trash; the person can take it out." if paper.trashed else ""
            return ToolOutput(
                f"It is in the library already, as {paper.paper_id}: {names}.{trash} "
                "Read it with get_paper_content.",
                metadata={"paper_id": paper.paper_id, "status": "duplicate", "files": len(paper.files)},
            )
        where = f"in the library as {paper.paper_id}, without a file" if paper else "not in the library"
        why = "Offline is on, and downloading" if ctx.services.settings().offline else "Downloading"
        raise NotAvailableError(
            f"“{args.paper[:80]}” is {where}. {why} comes with the astronomy services, which "
            "this version does not have yet.",
            hint=ADD_IT,
        )
