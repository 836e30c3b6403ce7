"""Inspect an opened PDF (worker side): metadata, outline, labels, first lines. Never reads it all.

Every part is read on its own, so that a broken page tree or outline costs that part
alone; what failed is listed in `Inspection.problems`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import pymupdf

from app.documents.clean import clean_line
from app.documents.inspection import InspectedLine, InspectedPage, Inspection, OutlineItem, Span
from app.documents.labels import page_labels, parsed_rule
from app.documents.opening import MUPDF_ERRORS
from app.documents.xmp import xmp_fields

FIRST_PAGES = 2
SAMPLE = 10
"""Pages whose amount of text is measured, spread over the file."""

_MOST_LINES = 600
_GAP = 0.18
_WIDE = 0.85
"""A gap of this many times the font size is no word space."""
_MOST_BOOKMARKS = 5000
_RAISED, _ITALIC, _BOLD = 1, 2, 16
_TEXT_FLAGS = (
    pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
)
_SMALL_CAPITALS = {0xF761 + i: chr(ord("A") + i) for i in range(26)}
"""Adobe's private code points for small capitals, still written by publishers around 2005."""

_Result = TypeVar("_Result")


def inspect(document: pymupdf.Document) -> Inspection:
    """Return what can be known of an opened and unlocked document. Raises nothing for bad content."""
    problems: list[str] = []

    def attempt(what: str, read: Callable[[], _Result], otherwise: _Result) -> _Result:
        try:
            return read()
        except (*MUPDF_ERRORS, TypeError, KeyError, AttributeError, RecursionError) as error:
            # MuPDF's Python layer trips in its own ways over objects of the wrong kind
            problems.append(f"{what}: {type(error).__name__}: {error}"[:200])
            return otherwise

    count = attempt("page count", lambda: int(document.page_count), 0)
    pages = [
        attempt(f"page {index + 1}", partial(_page_or_none, document, index), None)
        for index in range(min(count, FIRST_PAGES))
    ]
    lengths = {page.index: _letters(page) for page in pages if page is not None}
    for index in _spread(count, SAMPLE):
        if index >= FIRST_PAGES:
            lengths[index] = attempt(f"page {index + 1}", partial(_text_length, document, index), 0)
    return Inspection(
        page_count=count,
        labels=attempt("page labels", lambda: page_labels(_label_rules(document), count), ()),
        outline=attempt("outline", lambda: tuple(_outline(document, count)), ()),
        info=attempt("metadata", lambda: _info(document.metadata or {}), {}),
        xmp=attempt("XMP", lambda: xmp_fields(document.get_xml_metadata() or ""), {}),
        encrypted=attempt("encryption", lambda: bool((document.metadata or {}).get("encryption")), False),
        pages=tuple(page for page in pages if page is not None),
        text_lengths=lengths,
        problems=tuple(problems),
    )


def _label_rules(document: pymupdf.Document) -> list[dict[str, Any]]:
    return [parsed_rule(page, rule) for page, rule in document._get_page_labels()]


def _page_or_none(document: pymupdf.Document, index: int) -> InspectedPage | None:
    page = document.load_page(index)
    blocks = page.get_text("rawdict", flags=_TEXT_FLAGS)["blocks"]
    lines = (_line(line) for block in blocks for line in block.get("lines", ()))
    return InspectedPage(
        index=index,
        width=round(page.rect.width, 1),
        height=round(page.rect.height, 1),
        lines=tuple(itertools.islice((line for line in lines if line.text.strip()), _MOST_LINES)),
    )


def _line(line: Mapping[str, Any]) -> InspectedLine:
    x0, y0, x1, y1 = (round(float(v), 1) for v in line["bbox"])
    spans = tuple(_spaced(line["spans"]))
    dx, dy = line["dir"]
    return InspectedLine(spans, (x0, y0, x1, y1), (round(dx, 3), round(dy, 3)), _baseline(line["spans"], y1))


def _spaced(spans: Sequence[Mapping[str, Any]]) -> Iterator[Span]:
    """The spans with text; a change of font may leave a gap where a space should be."""
    before: Mapping[str, Any] | None = None
    for raw in spans:
        span = _span(raw)
        if not span.text:
            continue
        if before is not None and raw["bbox"][0] - before["bbox"][2] > _GAP * raw["size"] and not span.raised:
            span = replace(span, text=f" {span.text}") if span.text[0] != " " else span
        yield span
        before = raw


def _baseline(spans: Sequence[Mapping[str, Any]], bottom: float) -> float:
    """The height on which the longest of the largest spans stands."""
    if not spans:
        return bottom
    size = max(span["size"] for span in spans)
    main = max((s for s in spans if s["size"] > 0.9 * size), key=lambda s: len(s["chars"]))
    return round(float(main["origin"][1]), 1)


def _span(span: Mapping[str, Any]) -> Span:
    size = float(span["size"])
    text = "   ".join(part for part in map(_clean, _runs(span["chars"], size)) if part.strip())
    glyphs = span["chars"]
    if text and glyphs[0]["c"].isspace():
        text = f" {text}"
    if text and glyphs[-1]["c"].isspace():
        text += " "
    flags, font = int(span["flags"]), str(span["font"])
    return Span(
        text=text or (" " if glyphs else ""),
        size=round(size, 1),
        bold=bool(flags & _BOLD) or "Bold" in font or "CMBX" in font,
        italic=bool(flags & _ITALIC),
        raised=bool(flags & _RAISED),
    )


def _runs(chars: Sequence[Mapping[str, Any]], size: float) -> Iterator[list[Mapping[str, Any]]]:
    """Split where a gap is far wider than a word space: names set side by side."""
    run: list[Mapping[str, Any]] = []
    last: Mapping[str, Any] | None = None
    for char in chars:
        if not char["c"].isspace():
            if last is not None and char["bbox"][0] - last["bbox"][2] > _WIDE * size:
                yield run
                run = []
            last = char
        run.append(char)
    yield run


def _clean(run: Sequence[Mapping[str, Any]]) -> str:
    glyphs = [char["c"].translate(_SMALL_CAPITALS) for char in run]
    return clean_line(glyphs, [tuple(char["bbox"]) for char in run]).text


def _letters(page: InspectedPage) -> int:
    return sum(len(line.text.replace(" ", "")) for line in page.lines)


def _text_length(document: pymupdf.Document, index: int) -> int:
    text = document.load_page(index).get_text("text", flags=_TEXT_FLAGS)
    return sum(not c.isspace() for c in text)


def _spread(count: int, most: int) -> list[int]:
    if count <= most:
        return list(range(count))
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})


def _outline(document: pymupdf.Document, count: int) -> Iterator[OutlineItem]:
    """Walk the bookmarks; MuPDF breaks loops, the bound is for files that mean harm."""
    for level, title, page, *_ in document.get_toc(simple=True)[:_MOST_BOOKMARKS]:
        name = " ".join(str(title).split())
        if name:
            yield OutlineItem(int(level), name, page - 1 if 1 <= page <= count else None)


def _info(metadata: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value).strip() for key, value in metadata.items() if value and key != "encryption"}
