"""PyMuPDF's layout model, asked only about pages that our own reading leaves in doubt.

Measured on 90 pages of 13 papers: the model takes 0.99 s of processor time a page, our
reading 0.03 s; it finds 94 % of the headings, our reading 87 %. So the model is not
asked about every page, but where a page contradicts itself: the caption of a table
stands there and no table was found. It says what blocks *are*; the text and its offsets
stay as they are, so that places noted earlier remain right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.documents.flow import Flow, FlowBlock
from app.documents.glyphs import Box
from app.documents.order import Row
from app.documents.structure import Block, BlockKind

if TYPE_CHECKING:
    import pymupdf

MOST_PAGES = 4
"""Pages of one document that the model is asked about: some five seconds at most."""

_TABLE_CAPTION = re.compile(r"^\s*tab(?:le|\.)", re.IGNORECASE)
_KINDS = {
    "table": BlockKind.TABLE,
    "caption": BlockKind.CAPTION,
    "formula": BlockKind.FORMULA,
    "picture": BlockKind.FIGURE,
    "text": BlockKind.TEXT,
    "list-item": BlockKind.TEXT,
    "footnote": BlockKind.TEXT,
}
"""The model's classes that change what we made of a block. Headings are left to our own rules."""


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """What the model sees in a part of the page, in reading space."""

    kind: str
    box: Box

    def holds(self, row: Row) -> bool:
        """Whether the middle of a row lies inside."""
        x, y = (row.box[0] + row.box[2]) / 2, (row.box[1] + row.box[3]) / 2
        return self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3]


def in_doubt(flow: Flow) -> bool:
    """Whether a page names a table that was not found on it."""
    kinds = {block.block.kind for block in flow.blocks}
    return BlockKind.TABLE not in kinds and any(
        block.block.kind is BlockKind.CAPTION and _TABLE_CAPTION.match(flow.text[block.start : block.end])
        for block in flow.blocks
    )


def relabelled(flow: Flow, boxes: Sequence[LayoutBox]) -> Flow:
    """Return the same text with blocks parted and named as the model sees them."""
    blocks = [part for block in flow.blocks for part in _parts(flow, block, boxes)]
    return replace(flow, blocks=tuple(blocks))


def layout_boxes(document: pymupdf.Document, page: int) -> list[LayoutBox]:
    """Ask the model about a page. Loads the model at the first call: 0.8 s and 90 MB.

    Nothing for turned pages and where there is no model (Intel Macs have none).
    """
    try:
        import pymupdf.layout
    except ImportError:
        return []
    pymupdf.layout.activate()
    from app.documents.opening import MUPDF_ERRORS

    loaded = document.load_page(page)
    if loaded.rotation:
        return []
    try:
        loaded.get_layout()
    except MUPDF_ERRORS:
        return []
    found = loaded.layout_information or ()
    return [LayoutBox(str(kind), (float(a), float(b), float(c), float(d))) for a, b, c, d, kind, *_ in found]


def _parts(flow: Flow, block: FlowBlock, boxes: Sequence[LayoutBox]) -> list[FlowBlock]:
    if block.block.kind in {BlockKind.HEADING, BlockKind.FURNITURE}:
        return [block]
    parts: list[tuple[BlockKind, list[Row]]] = []
    for row in block.block.rows:
        box = next((box for box in boxes if box.kind in _KINDS and box.holds(row)), None)
        kind = _KINDS[box.kind] if box is not None else block.block.kind
        if parts and parts[-1][0] is kind:
            parts[-1][1].append(row)
        else:
            parts.append((kind, [row]))
    if len(parts) == 1:
        return [replace(block, block=Block(parts[0][0], block.block.rows))]
    spans = _spans(flow, block, [rows for _, rows in parts])
    return [
        FlowBlock(Block(kind, tuple(rows)), start, end)
        for (kind, rows), (start, end) in zip(parts, spans, strict=True)
        if end > start
    ]


def _spans(flow: Flow, block: FlowBlock, parts: Sequence[Sequence[Row]]) -> list[tuple[int, int]]:
    """Return where each run of rows stands in the text."""
    place = {line.line.order: (line.start, line.end) for line in flow.lines_in(block.start, block.end)}
    found = []
    for rows in parts:
        spans = [place[line.order] for row in rows for line in row.lines if line.order in place]
        found.append((min(s for s, _ in spans), max(e for _, e in spans)) if spans else (0, 0))
    return found
