"""What a Markdown paper says of itself above its first section: title, authors, year, identifiers. Pure."""

from __future__ import annotations

import itertools
import re

from app.documents.front.words import is_affiliation, is_name
from app.records import identifiers
from app.records.names import is_collaboration
from app.records.paper import PaperRecord

_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_MARKS = re.compile(
    r"\$\s*\{?\s*\}?\s*\^\s*(?:\{[^$]*\}|[^$\s]+)\s*\$|<sup>.*?</sup>|\\?[*†‡§]+|<br\s*/?>|\(D\)"
)
_SEPARATOR = re.compile(r"[,;，、；&|\n]|\band\b")
_DATE = re.compile(
    r"^(?:\(?(?:dated?|draft(?: version)?|received|accepted|published)\b.{0,20})?"
    r"[\w ,.-]{0,24}\b((?:19|20)\d{2})\)?\.?$",
    re.IGNORECASE,
)
_FIRST_AUTHORS = 3
"""Of so many first pieces, at least half must be names for the paragraph to be the author list."""


def markdown_record(text: str, title: str) -> PaperRecord:
    """Return the record of a Markdown paper whose first heading is `title`.

    Only what stands above the first section counts, and an identifier only if it is the
    one of its kind there: the rest of the text cites other papers.
    """
    head = _head(text)
    found = identifiers.find(head)
    own = tuple(i for i in found if sum(other.kind == i.kind for other in found) == 1)
    authors, year = _authors(head), _year(head)
    known = {"title": title, "authors": authors, "year": year, "identifiers": own}
    return PaperRecord(
        title=_unmarked(title),
        authors=authors,
        year=year,
        identifiers=own,
        provenance={field: "markdown" for field, value in known.items() if value},
    )


def _head(text: str) -> str:
    """The text above the first section, without the line of the title."""
    above, *rest = _HEADING.split(text, maxsplit=2)
    below_title = rest[0].partition("\n")[2] if rest else ""
    return f"{above}\n\n{below_title}"[:20_000]


def _authors(head: str) -> tuple[str, ...]:
    for paragraph in re.split(r"\n\s*\n", head):
        pieces = [_unmarked(piece) for piece in _SEPARATOR.split(_MARKS.sub(",", paragraph))]
        pieces = [piece for piece in pieces if piece]
        first = pieces[0] if pieces else ""
        group, _, lead = first.partition(":")
        if lead and is_collaboration(group):
            pieces = [group, lead.strip(), *pieces[1:]]
        listed = itertools.takewhile(lambda piece: not is_affiliation(piece), pieces)
        names = [piece for piece in listed if is_collaboration(piece) or is_name(piece)]
        start = pieces[:_FIRST_AUTHORS]
        if names and 2 * sum(piece in names for piece in start) >= len(start):
            return tuple(dict.fromkeys(names))
    return ()


def _year(head: str) -> int | None:
    for line in head.splitlines():
        if match := _DATE.match(_unmarked(line)):
            return int(match[1])
    return None


def _unmarked(text: str) -> str:
    return re.sub(r"\s+", " ", _MARKS.sub("", text)).strip(" \t,;*_")
