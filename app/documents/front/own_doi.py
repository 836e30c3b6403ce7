"""Which DOI printed on a first page is the paper's own, and not one that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.documents.front.lines import Line, is_mark
from app.records import identifiers
from app.records.identifiers import Identifier

_LABEL = re.compile(
    r"^\W*(?:(?:article|published|full)?\s*doi\b|https?://(?:dx\.)?doi\.org|digital object identifier)",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"©|\(c\)|copyright|\bissn\b|\bvol(?:ume|\.)|\bpp\.|published|journal|citation:|cite this|网络首发|\|",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\bsee\b|\bet al\b|\bref(?:s|erences?)?\b|^\s*\[\d+\]|^\s*\d{1,3}\.\s|\bin:|erratum|correct(?:ion|s|ed)|"
    r"software|code (?:is )?available|\bdata\b|zenodo|figshare|supplement|\bfund",
    re.IGNORECASE,
)
_NOT_PAPERS = (
    "10.13039/",
    "10.5281/zenodo",
    "10.6084/m9.figshare",
    "10.1145/nnnnnnn",
    "10.1145/1122445",
    "10.1000/",
)
_REFERENCES = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references|bibliography|literature cited|参考文献)\W*$", re.IGNORECASE
)


def is_placeholder(doi: str) -> bool:
    """Whether a DOI is a template's, a funder's, a data set's or a whole journal's."""
    suffix = doi.partition("/")[2]
    digits = sum(c.isdigit() for c in suffix)
    filler = re.search(r"x{3,}|n{4,}|0{6,}|123456|1234567|abcdef|tbd|unavailable|placeholder", suffix)
    return doi.startswith(_NOT_PAPERS) or digits < 2 or bool(filler) or "(issn)" in suffix


def own_doi(
    lines: Sequence[Line], title: Sequence[Line], body: float, size: tuple[float, float]
) -> Identifier | None:
    """Return the DOI in the head, foot, side bar or front matter of a page, or None.

    `title` are the title's lines, `size` the page's width and height. A DOI in running
    text, in a footnote or after the heading "References" is somebody else's.
    """
    ranked: list[tuple[float, Identifier]] = []
    cited = False
    for number, line in enumerate(lines):
        cited = cited or bool(_REFERENCES.match(line.text))
        if "10." not in line.text or cited:
            continue
        rank = _rank(line, lines, title, body, size)
        ranked += [(rank, doi) for doi in _dois(_with_next(lines, number)) if rank]
    best = max((rank for rank, _ in ranked), default=0)
    named = list(dict.fromkeys(doi for rank, doi in ranked if rank == best))
    # several of them away from head and foot are a list of what is cited
    return named[0] if len(named) == 1 or (named and best >= _SURE) else None


def cover_doi(lines: Sequence[Line]) -> Identifier | None:
    """Return the DOI on a repository's cover page if it names just one."""
    named = {doi for number in range(len(lines)) for doi in _dois(_with_next(lines, number))}
    return named.pop() if len(named) == 1 else None


_SURE = 4


def _dois(text: str) -> list[Identifier]:
    return [i for i in identifiers.find(text) if i.kind == "doi" and not is_placeholder(i.value)]


def _with_next(lines: Sequence[Line], number: int) -> str:
    """The line, and the next one where a DOI may go on in it."""
    text = lines[number].text
    below = lines[number + 1] if number + 1 < len(lines) else None
    return f"{text}\n{below.text}" if below and text.endswith(("-", "/", ":", "_", "(")) else text


def _rank(
    line: Line, lines: Sequence[Line], title: Sequence[Line], body: float, size: tuple[float, float]
) -> float:
    """How surely a DOI in this line is the paper's own; 0 for not at all."""
    width, height = size
    text = line.text
    if _CITED.search(text) or _footnote(line) or _within_text(line, lines, body):
        return 0
    rank = 0.0
    if line.box[3] < 0.14 * height or line.box[1] > 0.88 * height:
        rank += 2
    if title and line.box[3] <= title[0].box[1]:
        rank += 1
    if _LABEL.match(text):
        rank += 2
    if _IMPRINT.search(text):
        rank += 1
    if line.box[2] < 0.3 * width or line.box[0] > 0.7 * width:
        rank += 1
    # without a title there is nothing this DOI could belong to but a head or foot line
    return rank if title or rank >= _SURE else 0


def _footnote(line: Line) -> bool:
    first = next((span for span in line.spans if span.text.strip()), None)
    return first is not None and first is not line.spans[-1] and is_mark(first, line.size)


def _within_text(line: Line, lines: Sequence[Line], body: float) -> bool:
    """Whether the line is one of a paragraph: text of its size directly above and below or to its ends."""
    words = re.sub(r"\S*10\.\d{4,}\S*", "", line.text).split()
    lower = sum(word.islower() and word not in {"doi", "https", "http"} for word in words)
    if lower >= 4:
        return True
    near = [
        other
        for other in lines
        if other is not line
        and abs(other.size - line.size) < 0.05 * line.size
        and min(other.box[2], line.box[2]) > max(other.box[0], line.box[0])
        and -2 < max(other.box[1] - line.box[3], line.box[1] - other.box[3]) < 0.7 * line.size
    ]
    prose = [other for other in near if sum(word.islower() for word in other.text.split()) >= 5]
    return bool(prose) and abs(line.size - body) < 0.12 * body
