"""Reading order: columns are found by their gutters and never interleaved.

A gutter is an upright strip that few lines cross with prose on both sides; lines that
do cross it (titles, wide tables) part the page into bands, which are read top down, each
band column by column. Works in reading space (see `glyphs`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from app.documents.glyphs import Box, Line, around

_SIDE_SHARE = 0.12
"""Each side of a gutter holds at least this share of the text."""
_CROSSING_SHARE = 0.6
_REACH = 0.06
"""A line crosses a gutter if it reaches this share of the region's width into both sides."""
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Row:
    """What is printed at one height in one column: segments from left to right."""

    lines: tuple[Line, ...]
    box: Box
    main: Line
    """The longest segment, whose type is that of the row."""

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Row:
        """Put segments in order."""
        ordered = tuple(sorted(lines, key=lambda line: (line.box[0], line.order)))
        return cls(
            ordered, around([line.box for line in ordered]), max(ordered, key=lambda line: len(line.text))
        )

    @property
    def size(self) -> float:
        """Font size."""
        return self.main.size

    @property
    def font(self) -> str:
        """Name of the font."""
        return self.main.font

    @property
    def bold(self) -> bool:
        """Whether the whole row is bold."""
        return all(line.bold for line in self.lines)

    @property
    def italic(self) -> bool:
        """Whether the whole row is italic."""
        return all(line.italic for line in self.lines)

    @property
    def text(self) -> str:
        """The segments with spaces between."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Region:
    """Rows of one column (or of one full-width band), top down."""

    rows: tuple[Row, ...]
    left: float
    right: float


def regions(lines: Sequence[Line]) -> list[Region]:
    """Return the upright lines of a page as regions in reading order."""
    lines = [line for line in lines if line.upright]
    return _read(lines, _wide_table_lines(lines), 0) if lines else []


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """Gather lines printed at the same height into rows, top down."""
    grouped: list[tuple[list[Line], float, float]] = []
    for line in sorted(lines, key=lambda line: (line.middle, line.box[0])):
        top, bottom = line.box[1], line.box[3]
        if grouped:
            members, row_top, row_bottom = grouped[-1]
            shared = min(bottom, row_bottom) - max(top, row_top)
            if shared > 0.5 * min(bottom - top, row_bottom - row_top):
                members.append(line)
                if line.size >= members[0].size:
                    grouped[-1] = (members, min(top, row_top), max(bottom, row_bottom))
                continue
        grouped.append(([line], top, bottom))
    return [Row.of(members) for members, _, _ in grouped]


def _read(lines: Sequence[Line], pinned: set[int], depth: int) -> list[Region]:
    """Split at a gutter if there is one; `pinned` lines (by order) count as crossing any gutter."""
    gutter = _gutter([line for line in lines if line.order not in pinned]) if depth < _MAX_DEPTH else None
    if gutter is None:
        return [Region(tuple(rows_of(lines)), *_extent(lines))]
    left, right = _extent(lines)
    reach = _REACH * (right - left)
    crossing = [
        line
        for line in lines
        if line.order in pinned or (line.box[0] < gutter - reach and line.box[2] > gutter + reach)
    ]
    crossing = _with_row_mates(crossing, pinned, lines)
    crossed = {line.order for line in crossing}
    heights = sorted(line.middle for line in crossing)
    bands: dict[int, tuple[list[Line], list[Line]]] = {}
    for line in lines:
        if line.order not in crossed:
            band = bands.setdefault(bisect_left(heights, line.middle), ([], []))
            band[(line.box[0] + line.box[2]) / 2 > gutter].append(line)
    found: list[Region] = []
    wide: list[Line] = []
    crossing.sort(key=lambda line: line.middle)
    for index in range(len(crossing) + 1):
        if index in bands:
            found += _full_width(wide)
            wide = []
            for side in bands[index]:
                found += _read(side, set(), depth + 1) if side else []
        if index < len(crossing):
            wide.append(crossing[index])
    return found + _full_width(wide)


def _full_width(lines: Sequence[Line]) -> list[Region]:
    return [Region(tuple(rows_of(lines)), *_extent(lines))] if lines else []


def _with_row_mates(crossing: list[Line], pinned: set[int], lines: Sequence[Line]) -> list[Line]:
    """Add the segments that continue a crossing line on the same row."""
    found = {line.order: line for line in crossing}
    for wide in sorted(crossing, key=lambda line: line.box[0]):
        if wide.order in pinned:
            continue
        gap = 1.5 * wide.size
        for line in lines:
            beside = line.box[0] - wide.box[2] < gap and wide.box[0] - line.box[2] < gap
            if beside and wide.box[1] < line.middle < wide.box[3]:
                found.setdefault(line.order, line)
    return list(found.values())


def _gutter(lines: Sequence[Line]) -> float | None:
    """Return the x of the best gutter, or None."""
    if len(lines) < 6:
        return None
    left, right = _extent(lines)
    size = median(line.size for line in lines)
    if right - left < 14 * size:
        return None
    starts = sorted((line.box[0], line.height) for line in lines)
    ends = sorted((line.box[2], line.height) for line in lines)
    from_start = [0.0, *accumulate(h for _, h in starts)]
    from_end = [0.0, *accumulate(h for _, h in ends)]
    start_xs, end_xs = [x for x, _ in starts], [x for x, _ in ends]
    total = from_end[-1]
    candidates: list[tuple[float, float, float]] = []
    for x in sorted({x for x in end_xs if left + 0.1 * (right - left) < x < right - 0.1 * (right - left)}):
        before = from_end[bisect_right(end_xs, x + 0.5)]
        first_after = bisect_left(start_xs, x - 0.5)
        after = total - from_start[first_after]
        if min(before, after) < _SIDE_SHARE * total:
            continue
        crossing = total - before - after
        width = (start_xs[first_after] if first_after < len(start_xs) else right) - x
        if width >= max(3.5, 0.4 * size) and crossing < _CROSSING_SHARE * total:
            candidates.append((crossing, x, width))
    # Among strips that hardly more lines cross, the widest.
    if not candidates:
        return None
    least = min(candidates)[0]
    near = sorted((c for c in candidates if c[0] <= least + 0.04 * total), key=lambda c: -c[2])
    for _, x, width in near[:4]:
        middle = x + width / 2
        sides = (
            [line for line in lines if line.box[2] <= middle],
            [line for line in lines if line.box[0] >= middle],
        )
        if all(_is_prose(side) for side in sides):
            return middle
    return None


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether the lines are running text and not the cells of a table."""
    rows = rows_of(lines)
    if len(rows) < 3:
        return False
    segments = sum(len(row.lines) for row in rows) / len(rows)
    # By characters, so that the scraps of equations and figures do not outvote the text.
    lengths = sorted(len(line.text) for line in lines)
    half, seen = sum(lengths) / 2, 0
    typical = next(length for length in lengths if (seen := seen + length) >= half)
    fill = sum(line.box[2] - line.box[0] for line in lines) / sum(row.box[2] - row.box[0] for row in rows)
    return typical >= 14 and segments < 3.0 and fill > 0.6


def _wide_table_lines(lines: Sequence[Line]) -> set[int]:
    """Return the orders of lines in rows of many short cells, four rows or more together."""
    found: set[int] = set()
    run: list[Row] = []
    for row in [*rows_of(lines), None]:
        if row is not None and _is_cells(row):
            run.append(row)
            continue
        if len(run) >= 4:
            found |= {line.order for r in run for line in r.lines}
        run = []
    return found


def _is_cells(row: Row) -> bool:
    return len(row.lines) >= 4 and median(len(line.text) for line in row.lines) <= 14


def _extent(lines: Sequence[Line]) -> tuple[float, float]:
    return min(line.box[0] for line in lines), max(line.box[2] for line in lines)
