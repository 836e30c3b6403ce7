"""The words of a page as something to point at (pure): hit test, words, lines, quads.

Works in PDF user space. Every word has a frame of its own (along its baseline and across),
so that turned pages and turned text need no special case. The order of words is the reading
order of the page text, columns one after the other.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.records.passage import Point, Quad

SIDEWAYS = 0.3
"""Pointing beside a column is pointing at its lines: distance along a line counts this much."""

WITHIN = 0.02
"""The same inside the column, behind the end of a short line."""

_NARROW, _WIDE = frozenset("iljtfrI.,;:'!|()[]1 "), frozenset("mwMWOQGDH@%—…")


@dataclass(frozen=True, slots=True)
class Word:
    """Characters `[start, end)` of the page text, printed in `quad`.

    `edges` are the boundaries of the characters along the word, from 0.0 to 1.0; without
    them they are guessed from typical widths of letters.
    """

    start: int
    end: int
    quad: Quad
    edges: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Frame:
    """A word's own axes: origin upper left, `along` the baseline, `across` the lines."""

    origin: Point
    along: Point
    across: Point
    length: float
    height: float

    def local(self, point: Point) -> Point:
        x, y = point[0] - self.origin[0], point[1] - self.origin[1]
        return (x * self.along[0] + y * self.along[1], x * self.across[0] + y * self.across[1])

    def world(self, u: float, v: float) -> Point:
        return (
            self.origin[0] + u * self.along[0] + v * self.across[0],
            self.origin[1] + u * self.along[1] + v * self.across[1],
        )


@dataclass(frozen=True, slots=True)
class _Row:
    """A printed line in the frame of its first word, and how far the column around it reaches."""

    frame: _Frame
    left: float
    right: float
    top: float
    bottom: float
    column: tuple[float, float]

    def distance(self, point: Point) -> float:
        u, v = self.frame.local(point)
        outside = max(0.0, self.column[0] - u, u - self.column[1])
        beside = max(0.0, self.left - u, u - self.right)
        above = max(0.0, self.top - v, v - self.bottom)
        return math.hypot(SIDEWAYS * outside + WITHIN * beside, above)


class TextLayer:
    """A page's clean text and where its words are.

    `text[:body_end]` is the text proper; running heads and page numbers follow it, so that
    they can be selected, but a selection over several pages runs past them.
    """

    def __init__(self, text: str, words: Sequence[Word], body_end: int | None = None) -> None:
        self.text = text
        self.body_end = len(text) if body_end is None else body_end
        self.words = sorted((w for w in words if w.end > w.start), key=lambda w: (w.start, w.end))
        self._starts = [w.start for w in self.words]
        self._frames = [_frame(w.quad) for w in self.words]
        self._lines = self._find_lines()
        self._line_starts = [self.words[first].start for first, _ in self._lines]
        self._rows = self._find_rows()

    def __bool__(self) -> bool:
        return bool(self.words)

    def offset_at(self, point: Point) -> int | None:
        """Return the caret position nearest to a point of the page; None where there is no text."""
        index = self._nearest_word(point)
        if index is None:
            return None
        word, frame = self.words[index], self._frames[index]
        edges = self._edges(index)
        u = frame.local(point)[0]
        best = min(range(len(edges)), key=lambda i: abs(edges[i] - u))
        return word.start + best

    def on_text(self, point: Point, slack: float = 2.0) -> bool:
        """Say whether a point lies on a word, give or take `slack` units."""
        index = self._nearest_word(point)
        return index is not None and _distance(self._frames[index], point) <= slack

    def word_at(self, point: Point) -> tuple[int, int] | None:
        """Return the span of the word nearest to a point."""
        index = self._nearest_word(point)
        if index is None:
            return None
        start, end = self.words[index].start, self.words[index].end
        # A word broken at a line end has two parts that touch in the text.
        while start > 0 and not self.text[start - 1].isspace():
            start -= 1
        while end < len(self.text) and not self.text[end].isspace():
            end += 1
        return start, end

    def line_at(self, point: Point) -> tuple[int, int] | None:
        """Return the span of the printed line nearest to a point."""
        index = self._nearest_word(point)
        if index is None:
            return None
        first, last = next(line for line in self._lines if line[0] <= index < line[1])
        return self.words[first].start, self.words[last - 1].end

    def line_edge(self, offset: int, end: bool) -> int:
        """Return the start or the end of the line that holds a caret position."""
        if not self.words:
            return 0
        first, last = self._lines[self._line_of(offset)]
        return self.words[last - 1].end if end else self.words[first].start

    def above_or_below(self, offset: int, down: bool) -> int:
        """Return the caret position one printed line further, at about the same place across."""
        if not self.words:
            return 0
        line = self._line_of(offset) + (1 if down else -1)
        if not 0 <= line < len(self._lines):
            return len(self.text) if down else 0
        caret = self.caret(offset)
        first, last = self._lines[line]
        middle = self._frames[first].height / 2
        target = self._frames[first].world(self._frames[first].local(caret.ul)[0], middle)
        index = min(range(first, last), key=lambda i: _distance(self._frames[i], target))
        edges, u = self._edges(index), self._frames[index].local(target)[0]
        return self.words[index].start + min(range(len(edges)), key=lambda i: abs(edges[i] - u))

    def caret(self, offset: int) -> Quad:
        """Return the flat quad of a caret position."""
        index = max(0, bisect_right(self._starts, offset) - 1)
        frame, edges = self._frames[index], self._edges(index)
        u = edges[min(max(0, offset - self.words[index].start), len(edges) - 1)]
        top, bottom = frame.world(u, 0), frame.world(u, frame.height)
        return Quad(top, top, bottom, bottom)

    def quads(self, start: int, end: int) -> tuple[Quad, ...]:
        """Return one quad for each printed line that the characters `[start, end)` touch."""
        found = []
        for first, last in self._lines[self._line_of(start) :]:
            if self.words[first].start >= end:
                break
            quad = self._line_quad(first, last, start, end)
            if quad is not None:
                found.append(quad)
        return tuple(found)

    def _line_quad(self, first: int, last: int, start: int, end: int) -> Quad | None:
        base = self._frames[first]
        us: list[float] = []
        vs: list[float] = []
        for index in range(first, last):
            word, frame = self.words[index], self._frames[index]
            low, high = max(start, word.start) - word.start, min(end, word.end) - word.start
            if high <= low:
                continue
            edges = self._edges(index)
            for u in (edges[low], edges[high]):
                for v in (0.0, frame.height):
                    bu, bv = base.local(frame.world(u, v))
                    us.append(bu)
                    vs.append(bv)
        if not us:
            return None
        left, right, top, bottom = min(us), max(us), min(vs), max(vs)
        return Quad(
            base.world(left, top), base.world(right, top), base.world(left, bottom), base.world(right, bottom)
        )

    def _line_of(self, offset: int) -> int:
        return max(0, bisect_right(self._line_starts, offset) - 1)

    def _edges(self, index: int) -> list[float]:
        """Where the characters of a word begin and end along it, in units."""
        word, frame = self.words[index], self._frames[index]
        if len(word.edges) == word.end - word.start + 1:
            return [edge * frame.length for edge in word.edges]
        weights = [_weight(c) for c in self.text[word.start : word.end]] or [1.0]
        unit = frame.length / sum(weights)
        edges = [0.0]
        for weight in weights:
            edges.append(edges[-1] + weight * unit)
        return edges

    def _nearest_word(self, point: Point) -> int | None:
        if not self.words:
            return None
        row = min(range(len(self._rows)), key=lambda i: self._rows[i].distance(point))
        return min(range(*self._lines[row]), key=lambda i: _distance(self._frames[i], point))

    def _find_lines(self) -> list[tuple[int, int]]:
        lines: list[tuple[int, int]] = []
        first = 0
        for index in range(1, len(self.words) + 1):
            if index == len(self.words) or not _continues(self._frames[index - 1], self._frames[index]):
                lines.append((first, index))
                first = index
        return lines if self.words else []

    def _find_rows(self) -> list[_Row]:
        rows: list[_Row] = []
        for first, last in self._lines:
            frame = self._frames[first]
            corners = [
                frame.local(self._frames[i].world(u, v))
                for i in range(first, last)
                for u, v in ((0.0, 0.0), (self._frames[i].length, self._frames[i].height))
            ]
            us, vs = [u for u, _ in corners], [v for _, v in corners]
            rows.append(_Row(frame, min(us), max(us), min(vs), max(vs), (min(us), max(us))))
        return _with_columns(rows)


def _with_columns(rows: Sequence[_Row]) -> list[_Row]:
    """Give each line the reach of the lines that stand above and below it without a break."""
    found: list[_Row] = []
    block: list[_Row] = []
    for row in [*rows, None]:
        if row is not None and (not block or _under(block[-1], row)):
            block.append(row)
            continue
        found.extend(_widened(block))
        block = [] if row is None else [row]
    return found


def _widened(block: Sequence[_Row]) -> Iterator[_Row]:
    starts = [block[0].frame.local(row.frame.origin)[0] for row in block] if block else []
    left = min((start + row.left for start, row in zip(starts, block, strict=True)), default=0.0)
    right = max((start + row.right for start, row in zip(starts, block, strict=True)), default=0.0)
    for start, row in zip(starts, block, strict=True):
        yield replace(row, column=(left - start, right - start))


def _under(above: _Row, below: _Row) -> bool:
    """Say whether a line stands close under another and shares some of its width."""
    height = above.bottom - above.top
    left, v = above.frame.local(below.frame.world(below.left, below.top))
    right, _ = above.frame.local(below.frame.world(below.right, below.top))
    return above.top < v < above.bottom + 1.5 * height and left < above.right and right > above.left


def _frame(quad: Quad) -> _Frame:
    length, height = math.dist(quad.ul, quad.ur), math.dist(quad.ul, quad.ll)
    along = _direction(quad.ul, quad.ur, length, (1.0, 0.0))
    across = _direction(quad.ul, quad.ll, height, (along[1], -along[0]))
    return _Frame(quad.ul, along, across, length, max(height, 0.1))


def _direction(start: Point, end: Point, length: float, otherwise: Point) -> Point:
    if length < 1e-6:
        return otherwise
    return ((end[0] - start[0]) / length, (end[1] - start[1]) / length)


def _distance(frame: _Frame, point: Point) -> float:
    u, v = frame.local(point)
    du = max(0.0, -u, u - frame.length)
    dv = max(0.0, -v, v - frame.height)
    return math.hypot(du, dv)


def _continues(before: _Frame, after: _Frame) -> bool:
    """Say whether a word stands on the line of the one before it, close behind."""
    u, v = before.local(after.world(0, after.height / 2))
    em = max(before.height, after.height)
    return -0.3 * em < u - before.length < 2.5 * em and -0.3 * em < v < before.height + 0.3 * em


def _weight(character: str) -> float:
    if character in _NARROW:
        return 0.55
    return 1.5 if character in _WIDE else 1.0
