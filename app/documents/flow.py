"""Blocks to one clean text, in which every character knows its glyph."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.glyphs import Box, Line
from app.documents.hyphens import Vocabulary, joint
from app.documents.structure import Block, BlockKind

BLOCK_BREAK = "\n\n"
_CELL_BREAK, _ROW_BREAK = "\t", "\n"


@dataclass(frozen=True, slots=True)
class FlowLine:
    """The characters `[start, end)` of a flow come from the first characters of `line`."""

    start: int
    end: int
    line: Line

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """Return the glyph boxes of `[start, end)` as far as they lie on this line."""
        return self.line.boxes[max(start, self.start) - self.start : min(end, self.end) - self.start]


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """A block and its span in the text."""

    block: Block
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Flow:
    """A page's clean text, its blocks and its printed lines, both in text order."""

    text: str
    blocks: tuple[FlowBlock, ...]
    lines: tuple[FlowLine, ...]

    def lines_in(self, start: int, end: int) -> Sequence[FlowLine]:
        """Return the lines that have characters in `[start, end)`."""
        first = max(0, bisect_right(self.lines, start, key=lambda line: line.start) - 1)
        last = bisect_right(self.lines, max(start, end - 1), key=lambda line: line.start)
        return [line for line in self.lines[first:last] if line.end > start and line.start < end]


def flow(blocks: Sequence[Block], words: Vocabulary) -> Flow:
    """Write the blocks one after the other, joining lines as they were meant."""
    writer = _Writer()
    spans = []
    for block in blocks:
        writer.separate(BLOCK_BREAK)
        start = writer.length
        first_row = True
        for row in block.rows:
            is_table = block.kind is BlockKind.TABLE
            if not first_row:
                if is_table:
                    writer.separate(_ROW_BREAK)
                else:
                    writer.join(row.lines[0].text, words)
            first_row = False
            for index, line in enumerate(row.lines):
                if index:
                    writer.separate(_CELL_BREAK if is_table else _gap(row.lines[index - 1], line))
                writer.write(line)
        writer.close()
        if writer.length > start:
            spans.append(FlowBlock(block, start, writer.length))
    return Flow(writer.text, tuple(spans), tuple(writer.lines))


class _Writer:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self.lines: list[FlowLine] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def separate(self, text: str) -> None:
        self.close()
        if self.length:
            self._put(text)

    def join(self, following: str, words: Vocabulary) -> None:
        """End a row the way the next one asks for: with a space, or without its hyphen."""
        last = self.lines[-1]
        meet = joint(last.line.text[: last.end - last.start], following, words)
        self._drop(meet.drop)
        self._put(meet.separator)

    def write(self, line: Line) -> None:
        self.lines.append(FlowLine(self.length, self.length + len(line.text), line))
        self._put(line.text)

    def close(self) -> None:
        """Drop a soft hyphen that nothing followed."""
        if self._parts and self._parts[-1].endswith("\u00ad"):
            self._drop(1)

    def _put(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self.length += len(text)

    def _drop(self, count: int) -> None:
        if count:
            self._parts[-1] = self._parts[-1][:-count]
            self.length -= count
            last = self.lines[-1]
            self.lines[-1] = FlowLine(last.start, last.end - count, last.line)


def _gap(left: Line, right: Line) -> str:
    """Return what stands between two segments of a row: nothing where a raised 2 touches its letter."""
    space = right.box[0] - left.box[2]
    return "" if space < 0.12 * max(left.size, right.size) and abs(left.size - right.size) > 0.5 else " "
