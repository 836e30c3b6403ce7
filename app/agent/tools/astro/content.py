"""get_paper_content: read the text of a paper, its outline first."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, field_validator

from app.agent.tools.astro import reading
from app.agent.tools.astro.download import NotAvailableError
from app.agent.tools.astro.papers import PAPER, detail_of, fitting, passage_line, room
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.errors import NotFoundError, UsageError
from app.library.files import FileRow
from app.library.papers import PaperDetail
from app.records.passage import PassageHit
from app.services.consent import unpublished
from app.services.threads import off_loop

_BEGINNING = 2500
"""Characters of the beginning that are shown where no abstract is known."""


class GetPaperContentArgs(ToolArgs):
    """Arguments of `get_paper_content`."""

    paper: str = Field(min_length=1, max_length=500, description=PAPER)
    section: str | None = Field(
        None, max_length=300, description="Name or number of a section, with what is below it."
    )
    pages: str | None = Field(
        None, max_length=100, description='Pages counted from 0, as page= in results: "4" or "2-5".'
    )
    offset: int | None = Field(
        None, ge=0, description="Where to go on: the number that the answer before gave; 0 begins."
    )

    @field_validator("pages", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list | tuple):
            return ",".join(str(part) for part in value)
        return value


class GetPaperContent(AgentTool):
    """Reads the passages of a paper by section, pages or in order; each can be cited by its number."""

    name = "get_paper_content"
    description = (
        "Read a paper of the library. With the paper alone you get its outline and abstract; then ask for "
        "a section, pages, or offset=0 to read it in order, page by page of the answer. Passages are "
        "numbered [n]: cite them so."
    )
    Args = GetPaperContentArgs
    kind = ToolKind.READ
    pages = True

    def is_concurrency_safe(self, args: GetPaperContentArgs) -> bool:
        """It only reads."""
        return True

    async def execute(self, args: GetPaperContentArgs, ctx: ToolContext) -> ToolOutput:
        """Read it. Raises NotFoundError, UsageError, NotAvailableError where there is no text."""
        paper = await detail_of(ctx, args.paper)
        file = _best(paper)
        passages = await off_loop(ctx.services.library.passages.of_file, file.file_id)
        label = (await off_loop(ctx.services.library.papers.labels, [paper.paper_id]))[paper.paper_id]
        head = f"{label}, “{paper.record.title}” ({paper.paper_id}), {file.pages or 1} pages"
        if not file.indexed:
            head += "; it is still being read, this is what there is so far"
        if args.section is None and args.pages is None and args.offset is None:
            return self._outline(ctx, head, passages, label, paper)
        try:
            chosen = _chosen(args, passages, file)
        except NotFoundError as error:
            # it names headings of the paper, which are others' words
            return ToolOutput(f"{error.message} {error.hint}", is_error=True, untrusted=True)
        return self._page(ctx, head, chosen, args.offset or 0, label, paper)

    def _outline(
        self, ctx: ToolContext, head: str, passages: Sequence[PassageHit], label: str, paper: PaperDetail
    ) -> ToolOutput:
        headings = reading.outline(passages)
        lines = [f"{head}. Outline:", *(heading.line() for heading in headings)]
        lines = lines[: fitting(lines, room(ctx))]
        if len(lines) <= len(headings):
            lines.append(f"… and {len(headings) + 1 - len(lines)} more sections.")
        first = reading.abstract(passages)
        lines.append("\nAbstract:" if first else "\nNo abstract is marked; the paper begins:")
        first = first or list(passages[: fitting([hit.passage.text for hit in passages], _BEGINNING)])
        numbers = ctx.conversation.evidence.add(first, [label] * len(first))
        lines += [passage_line(n, hit) for n, hit in zip(numbers, first, strict=True)]
        lines.append("Ask for a section by name, for pages, or for offset=0 to read in order.")
        return ToolOutput(
            "\n".join(lines),
            metadata={
                "paper_id": paper.paper_id,
                "sections": [heading.name for heading in headings],
                **ctx.conversation.evidence.metadata(numbers),
            },
            untrusted=True,
            private=unpublished(paper.record.identifiers),
        )

    def _page(
        self,
        ctx: ToolContext,
        head: str,
        chosen: Sequence[PassageHit],
        offset: int,
        label: str,
        paper: PaperDetail,
    ) -> ToolOutput:
        if offset >= len(chosen):
            raise UsageError(
                f"There are {len(chosen)} passages, and offset={offset} is behind the last.",
                hint="You have read to the end.",
            )
        count = fitting([hit.passage.text for hit in chosen[offset:]], room(ctx))
        shown = chosen[offset : offset + count]
        numbers = ctx.conversation.evidence.add(shown, [label] * len(shown))
        lines = [f"{head}. Passages {offset + 1} to {offset + count} of {len(chosen)}:"]
        section = None
        for number, hit in zip(numbers, shown, strict=True):
            if hit.passage.section != section:
                section = hit.passage.section
                lines.append(f"\n## {section or '(no heading)'}")
            lines.append(passage_line(number, hit))
        following = offset + count
        if following < len(chosen):
            lines.append(f"\nIt goes on: ask again with offset={following}.")
        else:
            lines.append("\nThat is the end of what was asked for.")
        metadata = {
            "paper_id": paper.paper_id,
            "passages": len(chosen),
            "next_offset": following if following < len(chosen) else None,
            **ctx.conversation.evidence.metadata(numbers),
        }
        private = unpublished(paper.record.identifiers)
        return ToolOutput("\n".join(lines), metadata=metadata, untrusted=True, private=private)


def _best(paper: PaperDetail) -> FileRow:
    """Return the file to read: one that is read whole before others, then the latest."""
    readable = [file for file in paper.files if file.passages]
    if not readable:
        state = "; ".join(f"{file.original_name}: {file.status or 'waiting'}" for file in paper.files)
        raise NotAvailableError(
            f"The library has no text of {paper.paper_id} ({state or 'it has no file'}).",
            hint="parse_paper says why and what to do; get_paper_metadata gives its abstract.",
        )
    return max(readable, key=lambda file: (file.indexed, file.file_id))


def _chosen(args: GetPaperContentArgs, passages: Sequence[PassageHit], file: FileRow) -> Sequence[PassageHit]:
    chosen = passages
    if args.section:
        chosen = reading.of_section(chosen, args.section)
    if args.pages:
        chosen = reading.of_pages(chosen, args.pages, file.pages)
    if not args.section and not args.pages:
        chosen = reading.without_references(chosen) or chosen
    if not chosen:
        raise UsageError(
            "No text stands there: the section and the pages do not meet, or the page holds no text.",
            hint="Ask for one of them alone.",
        )
    return chosen
