"""Recognise a paper offline: title, authors, year and identifiers from what its PDF shows.

Printed text leads. Metadata counts where it agrees with the page, identifiers where they
stand in the stamp, head, foot or front matter of the first page: never from the list of
references, never from running text. What is not known stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.front import metadata
from app.documents.front.byline import printed_authors
from app.documents.front.dates import printed_year
from app.documents.front.imprint import Imprint, bibcode, journal_line
from app.documents.front.lines import Line, body_size, upright_lines
from app.documents.front.own_doi import cover_doi, is_placeholder, own_doi
from app.documents.front.stamp import arxiv_stamp
from app.documents.front.title import PrintedTitle, printed_title
from app.documents.inspection import InspectedPage, Inspection
from app.records import identifiers
from app.records.identifiers import Identifier
from app.records.paper import PaperRecord
from app.records.titles import normalise, same_title


@dataclass(frozen=True, slots=True)
class _Front:
    """The page that carries the title, read."""

    page: InspectedPage
    lines: tuple[Line, ...]
    title: PrintedTitle | None
    body: float
    cover: tuple[Line, ...] = ()
    """Lines of a repository's cover page before it."""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def recognise(inspection: Inspection) -> PaperRecord:
    """Return what the file says of itself; `provenance` names the source of each field."""
    provenance: dict[str, str] = {}
    front = _front(inspection)
    title, provenance["title"] = _title(inspection, front)
    authors, provenance["authors"] = _authors(inspection, front, title)
    stamp = next((s for s in map(arxiv_stamp, inspection.pages[:2]) if s), None)
    imprint = journal_line(line.text for line in _edges(front)) if front else None
    found: list[Identifier] = []
    if stamp:
        found.append(stamp.identifier)
        provenance["arxiv"] = "arXiv stamp"
    doi, source = _doi(inspection, front, title)
    if doi:
        found.append(doi)
        provenance["doi"] = source
    code, source = _bibcode(inspection, imprint, authors)
    if code:
        found.append(code)
        provenance["bibcode"] = source
    year, provenance["year"] = _year(front, imprint, stamp.year if stamp else None, code)
    return PaperRecord(
        title=title,
        authors=authors,
        year=year,
        journal=imprint.journal if imprint else "",
        volume=imprint.volume if imprint else "",
        pages=imprint.page if imprint else "",
        identifiers=tuple(found),
        provenance={key: value for key, value in provenance.items() if value},
    )


_COVER = re.compile(
    r"author[’']s version of a work"
    r"|this is (?:the|an) (?:accepted|author[’']?s?(?: produced| accepted)?) (?:version|manuscript)"
    r"|citation for published version|to cite this version|hal is a multi-?disciplinary|your use of the jstor"
    r"|this content (?:was|has been) downloaded|see discussions, stats, and author profiles|take ?down policy"
    r"|link to publication record|also known as version of record|view the table of contents for this issue",
    re.IGNORECASE,
)


def _front(inspection: Inspection) -> _Front | None:
    """The page with the title: the first, or the second behind a repository's cover page."""
    pages = [page for page in inspection.pages if any(line.upright for line in page.lines)]
    if not pages:
        return None
    body = body_size(inspection.pages)
    first = tuple(upright_lines(pages[0]))
    if len(pages) > 1 and pages[0].index == 0 and _is_cover(first):
        lines = tuple(upright_lines(pages[1]))
        title = printed_title(lines, body_size(pages[1:]), pages[1].height)
        if title:
            return _Front(pages[1], lines, title, body_size(pages[1:]), cover=first)
    return _Front(pages[0], first, printed_title(first, body, pages[0].height), body)


def _is_cover(lines: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in lines)
    return bool(_COVER.search(text)) and not re.search(
        r"\b(?:1\.?|I\.)?\s*introduction\b", text, re.IGNORECASE
    )


def _edges(front: _Front) -> list[Line]:
    """Lines that may carry an imprint: all but running text."""
    height = front.page.height
    bottom = front.title.lines[-1].box[3] if front.title else 0.0
    return [
        line
        for line in front.lines
        if line.box[3] < max(0.16 * height, bottom)
        or line.box[1] > 0.88 * height
        or line.size < 0.93 * front.body
        or line.box[2] < 0.3 * front.page.width
    ]


def _title(inspection: Inspection, front: _Front | None) -> tuple[str, str]:
    """The printed title; in the metadata's writing where that is the same and printed in capitals."""
    printed = front.title.text if front and front.title else ""
    where = f"page {front.page.index + 1}" if front and printed else ""
    for source, offered in metadata.titles(inspection.info, inspection.xmp):
        if same_title(offered, printed):
            return (offered, source) if printed.isupper() and not offered.isupper() else (printed, where)
        if front and not printed and metadata.stands_on_page(offered, front.text):
            return offered, source
    return printed, where


def _authors(inspection: Inspection, front: _Front | None, title: str) -> tuple[tuple[str, ...], str]:
    if front is None:
        return (), ""
    printed: tuple[str, ...] = ()
    if front.title:
        following = next((p for p in inspection.pages if p.index == front.page.index + 1), None)
        more = upright_lines(following) if following else ()
        printed = printed_authors(front.lines, front.title.lines, front.body, more)
    if printed:
        return printed, f"page {front.page.index + 1}"
    offered = metadata.authors(inspection.info, inspection.xmp)
    page = normalise(front.text)
    if title and offered and all(normalise(name) in page for name in offered):
        return offered, "metadata"
    return (), ""


def _doi(inspection: Inspection, front: _Front | None, title: str) -> tuple[Identifier | None, str]:
    """The DOI of the metadata if the page agrees with it, else one printed where a paper's own stands."""
    printed = None
    if front:
        size = (front.page.width, front.page.height)
        lines = front.title.lines if front.title else ()
        printed = own_doi(front.lines, lines, front.body, size)
        if (
            printed is None
            and front.cover
            and metadata.stands_on_page(title, " ".join(x.text for x in front.cover))
        ):
            printed = cover_doi(front.cover)
    for source, text in metadata.doi_texts(inspection.info, inspection.xmp):
        for found in identifiers.find(text):
            if found.kind == "doi" and not is_placeholder(found.value) and _agrees(inspection, found, title):
                return found, source
    return printed, f"page {front.page.index + 1}" if front and printed else ""


def _agrees(inspection: Inspection, doi: Identifier, title: str) -> bool:
    """Whether the first pages print the DOI, or the metadata's title is the printed one."""
    text = "\n".join(line.text for page in inspection.pages[:2] for line in page.lines)
    if doi.value in re.sub(r"\s", "", text).lower():
        return True
    return any(same_title(offered, title) for _, offered in metadata.titles(inspection.info, inspection.xmp))


def _bibcode(
    inspection: Inspection, imprint: Imprint | None, authors: Sequence[str]
) -> tuple[Identifier | None, str]:
    """A bibcode set in the margin, as on scans from ADS, or the one that the imprint makes."""
    for page in inspection.pages[:2]:
        for line in page.lines:
            alone = identifiers.parse(line.text)
            if alone and alone.kind == "bibcode" and (not line.upright or len(page.lines) < 6):
                return alone, f"page {page.index + 1}, margin"
    if imprint and authors and (code := bibcode(imprint, authors[0])):
        return code, "journal line"
    return None, ""


def _year(
    front: _Front | None, imprint: Imprint | None, stamped: int | None, code: Identifier | None
) -> tuple[int | None, str]:
    if imprint:
        return imprint.year, "journal line"
    if code:
        return int(code.value[:4]), "bibcode"
    title = front.title.text if front and front.title else ""
    printed = printed_year([*front.cover, *_dated(front)], title) if front else None
    if printed and printed[1] in {"journal line", "citation", "publication date", "issue"}:
        return printed
    return (stamped, "arXiv stamp") if stamped else printed or (None, "")


_ABSTRACT = re.compile(r"\W*(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t\b|摘\s*要)", re.IGNORECASE)
_DATED = re.compile(
    r"\W*(?:draft|preprint|received|accepted|published|submitted)\b|收稿|网络首发", re.IGNORECASE
)
_TITLE_PAGE = 1200
"""Fewer letters than this on the first page: a title page, all of it front matter."""


def _dated(front: _Front) -> list[Line]:
    """Lines that may carry the paper's date: those of the front matter, head, foot and side bar."""
    height = front.page.height
    abstract = next((line.box[1] for line in front.lines if _ABSTRACT.match(line.text)), 0.5 * height)
    bottom = height if len(front.text) < _TITLE_PAGE else abstract
    return [
        line
        for line in front.lines
        if line.box[1] < bottom
        or line.box[3] < 0.12 * height
        or line.box[1] > 0.9 * height
        or line.box[2] < 0.3 * front.page.width
        or _DATED.match(line.text)
    ]
