"""Choosing what of a paper to read: its outline, a section, pages. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from app.errors import NotFoundError, UsageError
from app.records.passage import PassageHit, PassageKind
from app.records.text import fold

_NUMBER = re.compile(r"^(?:(?P<number>\d+(?:\.\d+)*)\.?|(?P<roman>[ivx]+)\.)(?:\s|$)", re.IGNORECASE)
_SPAN = re.compile(r"(?P<first>\d+)(?:\s*(?:-|–|\.\.|to)\s*(?P<last>\d+))?")
_SUGGESTED = 5
_BELOW = " > "
"""Between a section and the one below it in `Passage.section`."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A section as it lies in the paper: passages `[first, end)` of its text."""

    name: str
    first: int
    end: int
    first_page: int
    last_page: int
    chars: int

    def line(self) -> str:
        """Return one line of an outline, indented by its depth."""
        above, _, own = self.name.rpartition(_BELOW)
        indent = "  " * (above.count(_BELOW) + 1 if above else 0)
        pages = (
            f"page={self.first_page}"
            if self.first_page == self.last_page
            else f"pages={self.first_page}-{self.last_page}"
        )
        return f"{indent}- {own or '(no heading)'} ({pages}, {self.chars:,} characters)"


def outline(passages: Sequence[PassageHit]) -> list[Heading]:
    """Return the sections in reading order; passages are those of one file, in order."""
    found: list[Heading] = []
    for at, hit in enumerate(passages):
        passage = hit.passage
        last = found[-1] if found else None
        if last is not None and last.name == passage.section:
            grown = last.chars + len(passage.text)
            found[-1] = Heading(
                last.name, last.first, at + 1, last.first_page, max(last.last_page, passage.page), grown
            )
        else:
            found.append(Heading(passage.section, at, at + 1, passage.page, passage.page, len(passage.text)))
    return found


def of_section(passages: Sequence[PassageHit], wanted: str) -> list[PassageHit]:
    """Return the passages of a section with those below it: by name, by number, or by part of the name.

    Raises NotFoundError that names the sections most like it.
    """
    names = list(dict.fromkeys(hit.passage.section for hit in passages))
    chosen = _matching(names, wanted)
    if not chosen:
        folded = {name: fold(name) for name in names if name}
        near = process.extract(fold(wanted), folded, scorer=fuzz.WRatio, limit=_SUGGESTED)
        like = "; ".join(name for _, _, name in near) or "none has a heading"
        raise NotFoundError(
            f"The paper has no section “{wanted[:80]}”.", hint=f"Sections most like it: {like}."
        )
    return [hit for hit in passages if hit.passage.section in chosen]


def of_pages(passages: Sequence[PassageHit], wanted: str, count: int) -> list[PassageHit]:
    """Return the passages of pages such as "4", "2-5" or "0, 7-8", counted from 0.

    Raises UsageError for what names no page, NotFoundError for pages the paper does not have.
    """
    spans = [part.strip() for part in re.split(r"[,;]", wanted.strip("[] ")) if part.strip()]
    pages: set[int] = set()
    for part in spans:
        match = _SPAN.fullmatch(part)
        if match is None or len(part) > 20:
            raise UsageError(f"“{part[:40]}” names no page.", hint='Write pages as "4", "2-5" or "0,7-8".')
        first, last = int(match["first"]), int(match["last"] or match["first"])
        pages.update(range(first, min(last, max(count, 1)) + 1))
    if not pages:
        raise UsageError("No page is named.", hint='Write pages as "4", "2-5" or "0,7-8".')
    if min(pages) >= max(count, 1):
        raise NotFoundError(
            f"The paper has {count} pages.", hint=f"They are counted from 0 to {max(count, 1) - 1}."
        )
    return [hit for hit in passages if hit.passage.page in pages]


def without_references(passages: Sequence[PassageHit]) -> list[PassageHit]:
    """Return the passages that are not the list of references."""
    return [hit for hit in passages if hit.passage.kind is not PassageKind.REFERENCES]


def abstract(passages: Sequence[PassageHit]) -> list[PassageHit]:
    """Return the passages of the abstract, as far as they are known to be."""
    return [
        hit
        for hit in passages
        if hit.passage.kind is PassageKind.ABSTRACT or _squeezed(hit.passage.section) == "abstract"
    ]


def _matching(names: Sequence[str], wanted: str) -> set[str]:
    """Return the sections that are meant: the whole name, else a part of its path, else part of a word."""
    asked = _squeezed(wanted)
    if not asked:
        return set()
    number = _number(wanted) or (asked if re.fullmatch(r"\d+(?:\.\d+)*", asked) else "")
    words = "" if number == asked else _squeezed(_without_number(wanted)) or asked
    parts = {name: name.split(_BELOW) for name in names}
    ways: list[Callable[[str, str], bool]] = [
        lambda name, _part: _squeezed(name) == asked,
        lambda _name, part: _squeezed(part) == asked,
        lambda _name, part: bool(number) and _is_below(_number(part), number) and words in _squeezed(part),
        lambda _name, part: bool(words) and _squeezed(_without_number(part)) == words,
        lambda _name, part: bool(words) and words in _squeezed(part),
    ]
    for way in ways:
        found = {name for name in names if any(way(name, part) for part in parts[name])}
        if found:
            below = {name for name in names if any(name.startswith(f"{one}{_BELOW}") for one in found)}
            numbers = {own for one in found if (own := _number(parts[one][-1]))}
            listed = {name for name in names if any(_is_below(_number(parts[name][-1]), n) for n in numbers)}
            return found | below | listed
    return set()


def _is_below(number: str, above: str) -> bool:
    return number == above or number.startswith(f"{above}.")


def _number(name: str) -> str:
    match = _NUMBER.match(fold(name).strip())
    return (match["number"] or match["roman"]) if match else ""


def _without_number(name: str) -> str:
    return _NUMBER.sub("", fold(name).strip()).strip()


def _squeezed(name: str) -> str:
    """Return the name without spaces, in which headings set in small capitals come apart ("R E SULTS")."""
    return "".join(fold(name).split()).strip(".#:")
