"""What is printed on a page without being its text: running heads, page and line numbers, stamps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from app.documents.glyphs import Line

_EDGE = 0.14
"""Running heads and feet stand within this share of the page's height."""
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_LINE_NUMBER = re.compile(r"^\d{1,4}$")
_PAGE_NUMBER = re.compile(
    r"^(?:[-–—\s]*\d{1,4}[-–—\s]*|[ivxlc]{1,6}|(?:page|p\.)\s*\d+(?:\s*(?:of|/)\s*\d+)?)$", re.IGNORECASE
)
_FEWEST_NUMBERS = 5
_MOST_HEAD_ROWS = 3


def pattern(text: str) -> str:
    """Return the text with its numbers blanked: running heads differ by page number alone."""
    return _DIGITS.sub("#", text.lower()).strip()


def running_patterns(pages: Iterable[tuple[Sequence[Line], float]]) -> frozenset[str]:
    """Find what repeats at the top or foot of several pages, given their lines and heights."""
    seen: Counter[tuple[str, int]] = Counter()
    for lines, height in pages:
        # At the same height, give or take half a line: running heads do not move.
        places = {
            (pattern(line.text), round(line.middle / 6) + nudge)
            for line in _set_off(lines, height)
            for nudge in (0, 1)
        }
        seen.update(places)
    return frozenset(text for (text, _), times in seen.items() if times >= 2 and len(text) > 1)


def furniture(lines: Sequence[Line], height: float, running: frozenset[str]) -> set[int]:
    """Return the orders of lines that are not part of the text."""
    found = {line.order for line in lines if not line.upright}
    upright = [line for line in lines if line.upright]
    found |= line_numbers(upright)
    edges = _set_off(upright, height)
    found |= {line.order for line in edges if pattern(line.text) in running}
    for row in _outermost_rows(upright, edges):
        # "S. Author et al." left of a page number that is known to be one belongs to it.
        if any(line.order in found or _PAGE_NUMBER.match(line.text) for line in row):
            found |= {line.order for line in row}
    if all(line.order in found for line in upright):
        # Nothing else is printed here, so this is the text.
        found -= {line.order for line in upright}
    return found


def line_numbers(lines: Sequence[Line]) -> set[int]:
    """Return the orders of manuscript line numbers: a margin column of rising integers."""
    numbers = [line for line in lines if _LINE_NUMBER.match(line.text)]
    if len(numbers) < _FEWEST_NUMBERS:
        return set()
    texts = [line for line in lines if len(line.text) > 12]
    if not texts:
        return set()
    found: set[int] = set()
    columns: dict[int, list[Line]] = {}
    for line in numbers:
        columns.setdefault(round(line.box[2] / 6), []).append(line)
    for key in list(columns):
        column = sorted(columns[key] + columns.get(key + 1, []), key=lambda line: line.middle)
        if len(column) < _FEWEST_NUMBERS or not _rising([int(line.text) for line in column]):
            continue
        edge = median(line.box[2] for line in column)
        beside = sum(t.box[0] < edge < t.box[2] for t in texts)
        neighbours = sum(_has_neighbour(line, texts) for line in column)
        if beside <= 0.1 * len(texts) and neighbours >= 0.5 * len(column):
            found |= {line.order for line in column}
    return found


def copies(lines: Sequence[Line]) -> set[int]:
    """Return the orders of lines printed again in the same place, or repeating part of one there."""
    found: set[int] = set()
    rows: dict[int, list[Line]] = {}
    for line in lines:
        cell = round(line.middle / 4)
        if any(_repeats(line, other) for near in (cell - 1, cell, cell + 1) for other in rows.get(near, ())):
            found.add(line.order)
        else:
            rows.setdefault(cell, []).append(line)
    return found


def _repeats(line: Line, other: Line) -> bool:
    slack = 0.2 * max(1.0, line.size)
    inside = other.box[0] - slack <= line.box[0] and line.box[2] <= other.box[2] + slack
    if not inside or abs(line.middle - other.middle) > slack or line.text not in other.text:
        return False
    at = other.text.find(line.text)
    while at >= 0:
        if abs(other.boxes[at][0] - line.boxes[0][0]) < slack:
            return True
        at = other.text.find(line.text, at + 1)
    return False


def _set_off(lines: Sequence[Line], height: float) -> list[Line]:
    """Return the lines at the top and foot of a page that a gap sets off from the text."""
    upright = sorted((line for line in lines if line.upright), key=_middle)
    top = _until_gap(upright)
    foot = _until_gap(upright[::-1])
    at_edge = (
        *(line for line in top if line.box[3] < _EDGE * height),
        *(line for line in foot if line.box[1] > (1 - _EDGE) * height),
    )
    return list({line.order: line for line in at_edge}.values())


def _until_gap(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of the first rows, up to a gap that must come soon."""
    rows = 1
    for index, (line, following) in enumerate(pairwise(lines)):
        gap = max(line.box[1], following.box[1]) - min(line.box[3], following.box[3])
        if gap > 0.45 * min(line.height, following.height):
            return list(lines[: index + 1])
        rows += not _same_row(following, line)
        if rows > _MOST_HEAD_ROWS:
            return []
    return list(lines)


def _outermost_rows(lines: Sequence[Line], edges: Sequence[Line]) -> list[list[Line]]:
    """Return what stands in the first and the last row of a page, as far as it is at the edge."""
    if not edges:
        return []
    first, last = min(lines, key=_middle), max(lines, key=_middle)
    return [[line for line in edges if _same_row(line, end)] for end in (first, last)]


def _middle(line: Line) -> float:
    return line.middle


def _same_row(line: Line, other: Line) -> bool:
    return abs(line.middle - other.middle) < 0.5 * other.height


def _rising(values: Sequence[int]) -> bool:
    steps = [b - a for a, b in pairwise(values)]
    return sum(0 < step <= 5 for step in steps) >= 0.8 * len(steps)


def _has_neighbour(number: Line, texts: Sequence[Line]) -> bool:
    return any(text.box[1] - 2 < number.middle < text.box[3] + 2 for text in texts)
