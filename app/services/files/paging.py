"""A text in pages of whole lines, and cuts that part no character. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

LONG_LINE = 2000
"""A line of more characters is cut into pieces that count as lines, else no page could hold it."""

NUMBER_BYTES = 8
"""What the number of a line adds to it, about."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Page:
    """Lines `first` to `last`, counting from 1; `next_offset` begins the next page, None at the end.

    `pieces` says that long lines were cut, so that numbers count pieces and not lines.
    """

    lines: tuple[str, ...]
    first: int
    total: int
    pieces: bool = False

    @property
    def last(self) -> int:
        """Number of the last line; first - 1 for an empty page."""
        return self.first + len(self.lines) - 1

    @property
    def next_offset(self) -> int | None:
        """Where to read on."""
        return self.last + 1 if self.last < self.total else None


def lines_of(text: str) -> list[str]:
    r"""Split at \n, \r\n and \r alone: U+2028 and form feeds are characters of a line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def page_of(text: str, offset: int, limit: int, budget: int) -> Page:
    """Return the lines from `offset` (from 1) on: at most `limit`, and at most `budget` bytes of UTF-8.

    Bytes, because four of them make about one token in any script.

    There is at least one line, unless the offset is behind the end. A text with a line longer than
    LONG_LINE is paged by pieces of lines, the same ones for every offset.
    """
    lines = lines_of(text)
    pieces = any(len(line) > LONG_LINE for line in lines)
    if pieces:
        lines = [piece for line in lines for piece in split_line(line, LONG_LINE)]
    chosen: list[str] = []
    used = 0
    for line in lines[offset - 1 : offset - 1 + limit]:
        used += len(line.encode("utf-8", "surrogatepass")) + NUMBER_BYTES
        if chosen and used > budget:
            break
        chosen.append(line)
    return Page(tuple(chosen), offset, len(lines), pieces)


def split_line(line: str, widest: int) -> list[str]:
    """Cut a line into pieces of at most about `widest` characters."""
    pieces = []
    start = 0
    while len(line) - start > widest:
        end = safe_cut(line, start + widest, lowest=start + 1)
        pieces.append(line[start:end])
        start = end
    return [*pieces, line[start:]]


def safe_cut(text: str, at: int, *, lowest: int = 0) -> int:
    """Return the last place up to `at` where a text can be cut without parting what is drawn as one.

    Looks back 64 characters at most, and not before `lowest`.
    """
    if at >= len(text):
        return len(text)
    for place in range(at, max(lowest, at - 64) - 1, -1):
        if place <= lowest or not _sticks(text, place):
            return max(place, lowest)
    return at


def around(text: str, start: int, end: int, width: int) -> str:
    """Return the part of a line that shows `[start, end)`, with … where it was cut."""
    if len(text) <= width:
        return text
    left = max(0, min(start - (width - min(end - start, width)) // 2, len(text) - width))
    first = safe_cut(text, left)
    last = safe_cut(text, first + width, lowest=first)
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


def _sticks(text: str, place: int) -> bool:
    """Whether the character at `place` belongs to the one before it."""
    before, after = text[place - 1], text[place]
    if before == "\u200d" or after in _JOINERS or unicodedata.combining(after):
        return True
    if unicodedata.category(after) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if _flag(after) and _flag(before):  # flags are pairs: count how many stand before
        run = re.search("[\U0001f1e6-\U0001f1ff]*$", text[max(0, place - 64) : place])
        return run is not None and len(run[0]) % 2 == 1
    return False


def _flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
