"""What the astro tools share: naming a paper, saying what it is, and how much text fits an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.agent.evidence import mark
from app.agent.tools.context import ToolContext
from app.errors import ModelError, NotFoundError
from app.library.listing import PaperRow
from app.library.papers import PaperDetail
from app.records import identifiers, names
from app.records.ids import PaperId
from app.records.passage import PassageHit
from app.services.threads import off_loop

SERVICES_TO_COME = (
    "Only the local library is searched: asking ADS and arXiv comes with the astronomy services, which "
    "this version does not have yet."
)
ADD_IT = "The person can add the PDF to the library: drop it on the window, or run `astroresearch add FILE`."

PAPER = "A paper id, bibcode, arXiv id, DOI or URL."
_LEAST_CHARS, _MOST_CHARS = 2000, 12_000
_DEFAULT_CONTEXT = 8192
_SHARE_IN_CHARS = 0.75
"""Characters of an answer for each token of the model's context: about a quarter of it."""


async def resolved(ctx: ToolContext, text: str) -> PaperId:
    """Return the paper of the library that `text` names, also by its whole title.

    Raises NotFoundError with the way out.
    """
    try:
        return await off_loop(ctx.services.library.papers.resolve, text)
    except NotFoundError as error:
        titled = await off_loop(_by_title, ctx, text)
        if len(titled) == 1:
            return titled[0].paper_id
        if titled:
            # ids and years alone: titles are others' words, and an error is not fenced
            several = ", ".join(f"{row.paper_id} ({row.year or 'no year'})" for row in titled)
            raise NotFoundError(
                f"“{text[:80]}” names several papers.", hint=f"Give the id of one: {several}."
            ) from error
        known = identifiers.parse(text)
        what = f"{known.kind} {known.value}" if known else f"“{text[:80]}”"
        raise NotFoundError(
            f"The library has no paper {what}.",
            hint=f"search_papers lists what there is. {ADD_IT}",
        ) from error


def _by_title(ctx: ToolContext, text: str) -> list[PaperRow]:
    title = re.sub(r'["“”]', " ", text).strip()
    if len(title) < 8:
        return []
    papers = ctx.services.library.papers
    return papers.rows(papers.order(f'title:"{title}"')[:4])


async def detail_of(ctx: ToolContext, text: str) -> PaperDetail:
    """Return all that is known of the paper that `text` names. Raises NotFoundError."""
    return await off_loop(ctx.services.library.papers.get, await resolved(ctx, text))


def described(row: PaperRow) -> str:
    """Return one line: short name, title, journal, identifiers, what is here of it."""
    short = names.label(row.authors, row.year) if row.authors else str(row.year or "no year")
    known = ", ".join(
        f"{found.kind}:{found.value}" if found.kind != "bibcode" else found.value for found in row.identifiers
    )
    here = ", ".join(
        [
            "PDF" if row.has_pdf else "text" if row.file_count else "no file",
            *([row.status] if row.status not in ("", "added", "duplicate") else []),
            *([f"{row.note_count} notes"] if row.note_count else []),
            *([f"tags {', '.join(row.tags)}"] if row.tags else []),
            *(["unread"] if row.unread else []),
        ]
    )
    parts = [short, row.title or "(no title)", row.journal_line, known, f"in the library: {here}"]
    return " · ".join(part for part in parts if part)


def passage_line(number: int, hit: PassageHit, label: str = "", section: str = "") -> str:
    """Return a passage as the model reads it: its mark, where it stands, its words."""
    passage = hit.passage
    place = f"p. {passage.page_label or passage.page + 1} (page={passage.page})"
    head = ", ".join(part for part in (label, place, section) if part)
    return f"{mark(number)} {head}: {passage.text}".lstrip()


def room(ctx: ToolContext) -> int:
    """Return how many characters of paper text one answer may bring: by the model's context."""
    try:
        model = ctx.services.chat()
        context = model.info.context_tokens if model else _DEFAULT_CONTEXT
    except ModelError:
        context = _DEFAULT_CONTEXT
    return max(_LEAST_CHARS, min(_MOST_CHARS, int(context * _SHARE_IN_CHARS)))


def fitting(texts: Sequence[str], budget: int) -> int:
    """Return how many of the texts, from the first on, fit the budget; at least one if there is one."""
    used = 0
    for count, text in enumerate(texts):
        used += len(text) + 2
        if count and used > budget:
            return count
    return len(texts)
