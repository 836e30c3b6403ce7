"""The clean text of a page with the place of every word: what is selected, copied and marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.documents.flow import Flow, FlowLine
from app.documents.geometry import Affine, PageGeometry
from app.documents.glyphs import quad_of
from app.documents.quality import PageQuality
from app.records.ids import PageIndex, PageLabel
from app.records.passage import Point, Quad, TextLine

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters `[start, end)` without a space on one printed line.

    A word broken at a line's end is two of these, with nothing between them. `edges`
    are the places of the character boundaries along the word, from 0.0 to 1.0.
    """

    start: int
    end: int
    quad: Quad
    edges: tuple[float, ...]

    def part(self, start: int, end: int) -> Quad:
        """Return the quad of the characters `[start, end)` as far as they are in this word."""
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start
        if last <= first:
            first, last = 0, self.end - self.start
        a, b = self.edges[first], self.edges[last]
        quad = self.quad
        return Quad(
            _between(quad.ul, quad.ur, a),
            _between(quad.ul, quad.ur, b),
            _between(quad.ll, quad.lr, a),
            _between(quad.ll, quad.lr, b),
        )


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as text. Offsets are those of `Passage.start` and `Anchor.start`.

    `text[:body_end]` is the text proper in reading order; running heads, page numbers,
    stamps and watermarks follow it, so that they can be selected too.
    """

    page: PageIndex
    label: PageLabel
    text: str
    words: tuple[Word, ...]
    lines: tuple[TextLine, ...]
    geometry: PageGeometry
    quality: PageQuality
    body_end: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points as the page is seen."""
        return self.geometry.size

    def words_in(self, start: int, end: int) -> tuple[Word, ...]:
        """Return the words that have characters in `[start, end)`."""
        return tuple(word for word in self.words if word.start < end and word.end > start)

    def quads(self, start: int, end: int) -> tuple[Quad, ...]:
        """Return one quad per printed line that cover the characters `[start, end)`."""
        found = []
        for line in self.lines:
            if line.start < end and line.end > start:
                parts = [
                    word.part(start, end)
                    for word in self.words_in(max(start, line.start), min(end, line.end))
                ]
                if parts:
                    found.append(_joined(parts))
        return tuple(found)

    def as_json(self) -> dict[str, Any]:
        """Return plain values to send between processes."""
        geometry = self.geometry
        return {
            "page": self.page,
            "label": self.label,
            "text": self.text,
            "words": [
                [w.start, w.end, [round(v, 2) for v in w.quad.as_list()], [round(e, 4) for e in w.edges]]
                for w in self.words
            ],
            "lines": [lines_as_json(line) for line in self.lines],
            "geometry": [list(geometry.box), geometry.rotation, geometry.user_unit],
            "quality": self.quality.value,
            "body_end": self.body_end,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> PageText:
        """Read what `as_json` gives."""
        box, rotation, unit = values["geometry"]
        return cls(
            page=PageIndex(values["page"]),
            label=PageLabel(values["label"]),
            text=values["text"],
            words=tuple(Word(s, e, Quad.from_list(q), tuple(edges)) for s, e, q, edges in values["words"]),
            lines=tuple(line_from_json(line) for line in values["lines"]),
            geometry=PageGeometry.of(box, rotation, unit),
            quality=PageQuality(values["quality"]),
            body_end=values["body_end"],
        )


def words_of(flow: Flow, to_user: Affine) -> tuple[Word, ...]:
    """Return the words of a flow with their quads."""
    return tuple(
        _word(line, line.start + match.start(), line.start + match.end(), to_user)
        for line in flow.lines
        for match in _WORD.finditer(flow.text[line.start : line.end])
    )


def text_lines(flow: Flow, start: int, end: int, to_user: Affine) -> tuple[TextLine, ...]:
    """Return the printed lines of `[start, end)` with their quads, counted from `start`.

    Segments that touch on the same row become one line.
    """
    found: list[TextLine] = []
    for row in _rows(flow.lines_in(start, end)):
        boxes = [b for line in row for b in line.boxes(start, end)]
        if boxes:
            first, last = max(row[0].start, start), min(row[-1].end, end)
            quad = quad_of(boxes, to_user, row[0].line.direction)
            found.append(TextLine(first - start, last - start, quad))
    return tuple(found)


def lines_as_json(line: TextLine) -> list[Any]:
    """Return `[start, end, [eight numbers]]`, to a hundredth of a point."""
    return [line.start, line.end, [round(v, 2) for v in line.quad.as_list()]]


def line_from_json(values: Sequence[Any]) -> TextLine:
    """Read what `lines_as_json` gives."""
    start, end, quad = values
    return TextLine(start, end, Quad.from_list(quad))


def _rows(lines: Sequence[FlowLine]) -> list[list[FlowLine]]:
    rows: list[list[FlowLine]] = []
    for line in lines:
        if rows and _beside(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _beside(left: FlowLine, right: FlowLine) -> bool:
    """Whether one segment goes on where the other stops, on the same row."""
    a, b = left.line, right.line
    gap = b.box[0] - a.box[2]
    return (
        a.direction == b.direction
        and a.upright
        and -1 < gap < 1.5 * a.size
        and a.box[1] < b.middle < a.box[3]
    )


def _word(line: FlowLine, start: int, end: int, to_user: Affine) -> Word:
    boxes = line.boxes(start, end)
    quad = quad_of(boxes, to_user, line.line.direction)
    dx, dy = line.line.direction
    axis, sign = (0, dx) if abs(dx) >= abs(dy) else (1, dy)
    starts = [b[axis] if sign >= 0 else -b[axis + 2] for b in boxes]
    low = min(starts)
    length = max(b[axis + 2] if sign >= 0 else -b[axis] for b in boxes) - low or 1.0
    inner = [min(1.0, max(0.0, (s - low) / length)) for s in starts[1:]]
    return Word(start, end, quad, (0.0, *inner, 1.0))


def _between(a: Point, b: Point, share: float) -> Point:
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)


def _joined(parts: Sequence[Quad]) -> Quad:
    """Return the quad around quads of one line, which read in the same direction."""
    first, last = parts[0], parts[-1]
    along = (last.ur[0] - first.ul[0], last.ur[1] - first.ul[1])
    length = (along[0] ** 2 + along[1] ** 2) ** 0.5 or 1.0
    across = (-along[1] / length, along[0] / length)

    def height(point: Point) -> float:
        return point[0] * across[0] + point[1] * across[1]

    def moved(point: Point, to: float) -> Point:
        by = to - height(point)
        return (point[0] + by * across[0], point[1] + by * across[1])

    top = max(height(part.ul) for part in parts)
    bottom = min(height(part.ll) for part in parts)
    return Quad(moved(first.ul, top), moved(last.ur, top), moved(first.ll, bottom), moved(last.lr, bottom))
