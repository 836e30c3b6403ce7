"""search_papers: find papers by what they are about, who wrote them, when and where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, field_validator

from app.agent.tools.astro.papers import SERVICES_TO_COME, described
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.errors import AppError
from app.library.listing import PaperRow
from app.records.ids import PaperId
from app.services.threads import off_loop

Sort = Literal["relevance", "year", "-year", "added", "-added", "title", "author"]
_YEARS = re.compile(r"\d{4}(?:(?:\.\.|-|–)(?:\d{4})?)?|(?:\.\.|-|–)\d{4}")
_TEXT_POOL = 60


class SearchPapersArgs(ToolArgs):
    """Arguments of `search_papers`."""

    query: str = Field(
        max_length=2000,
        description='Words that all occur in title, authors or abstract; also by:riess, title:"hubble '
        'constant", tag:h0, an arXiv id, DOI or bibcode. Empty lists what the filters leave, newest first.',
    )
    limit: int = Field(10, ge=1, le=50)
    offset: int = Field(0, ge=0, description="How many results to pass over, for the next page.")
    sort: Sort = "relevance"
    year: str | None = Field(None, max_length=12, description="2016 or 2016..2020.")
    filters: tuple[str, ...] = Field(
        (),
        max_length=10,
        description="More conditions: has:pdf, has:notes, has:abstract, is:unread, tag:NAME, by:SURNAME.",
    )

    @field_validator("filters", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(value.split())
        if isinstance(value, Mapping):
            return tuple(f"{key}:{inner}" for key, inner in value.items())
        return () if value is None else value

    @field_validator("year", mode="before")
    @classmethod
    def _span(cls, value: object) -> object:
        if value is None or value == "":
            return None
        text = "".join(str(value).split())
        if not _YEARS.fullmatch(text):
            raise ValueError("should be a year or a span of years, such as 2016 or 2016..2020")
        return text

    def library_query(self) -> str:
        """Return it in the language of the library list."""
        years = [f"year:{self.year}"] if self.year else []
        # The list takes a last word for an unfinished one; a model's words are whole.
        return " ".join([*years, *self.filters, self.query]) + " "


class SearchPapers(AgentTool):
    """Searches the records of the library; where none has all the words, the text of its papers."""

    name = "search_papers"
    description = (
        "Find papers in the library by subject, author, year or identifier. Returns one line a paper with "
        "its id for the other tools. For what papers say, use rag_search."
    )
    Args = SearchPapersArgs
    kind = ToolKind.SERVICE
    pages = True

    def is_concurrency_safe(self, args: SearchPapersArgs) -> bool:
        """It only reads."""
        return True

    async def execute(self, args: SearchPapersArgs, ctx: ToolContext) -> ToolOutput:
        """Search the records, then the texts."""
        total, rows, size = await off_loop(_records, ctx, args)
        stages = {"records": total}
        head = f"{total} of {size} papers match."
        if not total and size and args.offset == 0 and args.query.strip():
            rows = await _by_text(args, ctx)
            stages["text"] = len(rows)
            head = (
                f"No record among {size} has all these words. Papers whose text fits best:"
                if rows
                else f"Nothing fits among {size} papers, neither records nor text. Try fewer or other words."
            )
        if not size:
            head = "The library is empty."
        lines = [
            f"{n}. {row.paper_id}: {described(row)}" for n, row in enumerate(rows, start=args.offset + 1)
        ]
        shown_to = args.offset + len(rows)
        more = f"More with offset={shown_to}." if total > shown_to and rows else ""
        metadata = {
            "stages": stages,
            "papers": [{"paper_id": row.paper_id, "title": row.title, "year": row.year} for row in rows],
            "total": total,
        }
        content = "\n".join(part for part in (head, *lines, more, SERVICES_TO_COME) if part)
        return ToolOutput(content, metadata=metadata, untrusted=bool(rows))


def _records(ctx: ToolContext, args: SearchPapersArgs) -> tuple[int, list[PaperRow], int]:
    papers = ctx.services.library.papers
    newest = args.sort == "relevance" and not args.query.strip()
    order = papers.order(args.library_query(), sort="-added" if newest else args.sort)
    return len(order), papers.rows(order[args.offset : args.offset + args.limit]), papers.count()


async def _by_text(args: SearchPapersArgs, ctx: ToolContext) -> list[PaperRow]:
    """Return the papers whose passages fit the words best, within the other conditions."""
    try:
        found = await ctx.services.searcher.search(args.query, limit=_TEXT_POOL)
    except AppError:
        return []
    ids = list(dict.fromkeys(hit.paper_id for hit in found.passages))
    return (await off_loop(_allowed, ctx, args, ids))[: args.limit]


def _allowed(ctx: ToolContext, args: SearchPapersArgs, ids: Sequence[PaperId]) -> list[PaperRow]:
    papers = ctx.services.library.papers
    conditions = " ".join([*([f"year:{args.year}"] if args.year else []), *args.filters])
    allowed = set(papers.order(f"{conditions} ")) if conditions else None
    rows = papers.rows(papers.row_ids(ids))
    return [row for row in rows if allowed is None or row.row_id in allowed]
