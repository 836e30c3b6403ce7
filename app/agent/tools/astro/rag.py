"""rag_search: find the passages that answer a question."""

from __future__ import annotations

import time

from pydantic import Field, field_validator

from app.agent.tools.astro.papers import PAPER, fitting, passage_line, resolved, room
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.services.consent import any_unpublished
from app.services.threads import off_loop

_HINT = "Cite a passage by its number in brackets, such as [{number}], after each sentence it proves."


class RagSearchArgs(ToolArgs):
    """Arguments of `rag_search`."""

    question: str = Field(
        min_length=1,
        max_length=4000,
        description="A question or words; the quantity and the object's name help. Quoted words must occur.",
    )
    papers: tuple[str, ...] = Field(
        (), max_length=50, description=f"Search in these papers alone. Each: {PAPER}"
    )
    limit: int = Field(8, ge=1, le=30, description="Passages at most.")

    @field_validator("papers", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else () if value is None else value


class RagSearch(AgentTool):
    """Searches the passages of the library by word and by meaning, and numbers what it finds."""

    name = "rag_search"
    description = (
        "Find the passages of the library's papers that answer a question, by keyword and by meaning. "
        "Returns numbered passages [n] with paper and page; answer from them alone and cite [n]. Ask once "
        "for each thing you want to know."
    )
    Args = RagSearchArgs
    kind = ToolKind.READ
    pages = True

    def is_concurrency_safe(self, args: RagSearchArgs) -> bool:
        """It only reads."""
        return True

    async def execute(self, args: RagSearchArgs, ctx: ToolContext) -> ToolOutput:
        """Search. Raises NotFoundError for a paper that is not there."""
        started = time.monotonic()
        papers = [await resolved(ctx, text) for text in args.papers]
        found = await ctx.services.searcher.search(args.question, papers=papers or None, limit=args.limit)
        count = fitting([hit.passage.text for hit in found.passages], room(ctx))
        hits, labels = found.passages[:count], found.labels[:count]
        evidence = ctx.conversation.evidence
        numbers = evidence.add(hits, labels)
        lines = [
            passage_line(number, hit, label, hit.passage.section)
            for number, hit, label in zip(numbers, hits, labels, strict=True)
        ]
        if not hits:
            lines = [found.nothing()]
        else:
            lines.append(_HINT.format(number=numbers[0]))
        if count < len(found.passages):
            left = len(found.passages) - count
            lines.append(f"{left} more fit the question and not this answer: ask more narrowly for them.")
        if found.notice:
            lines.append(found.notice)
        metadata = {
            "stages": dict(found.stages),
            "mode": found.mode,
            "seconds": round(time.monotonic() - started, 3),
            "hits": [hit.as_json() for hit in found.hits[:count]],
            **evidence.metadata(numbers),
        }
        of = {hit.paper_id for hit in hits}
        private = await off_loop(any_unpublished, ctx.services.library, of)
        return ToolOutput("\n\n".join(lines), metadata=metadata, untrusted=bool(hits), private=private)
