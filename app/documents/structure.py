"""Rows to blocks: paragraphs, headings, tables, captions, formulas, in reading order.

Decided from geometry and type alone. The layout model can say better what a block *is*
(see `layout`), never where its text stands: spans in a page's text do not depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from statistics import median

from app.documents.headings import (
    MAX_ROWS,
    heading_level,
    is_caps,
    is_usual,
    number_depth,
    outline_key,
    row_style,
)
from app.documents.order import Region, Row
from app.documents.profile import DocumentProfile


class BlockKind(StrEnum):
    """What a block is set as."""

    HEADING = "heading"
    TEXT = "text"
    TABLE = "table"
    CAPTION = "caption"
    FORMULA = "formula"
    FIGURE = "figure"
    """Text inside a figure: axis numbers, labels. Not searched."""
    FURNITURE = "furniture"
    """Running heads, page and line numbers, stamps, watermarks. Not searched."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together; `level` is the depth of a heading."""

    kind: BlockKind
    rows: tuple[Row, ...]
    level: int = 0


_CAPTION = re.compile(
    r"^(?:extended data |supplementary |online )?"
    r"(?:fig(?:ure|s?\.)?|table|tab\.|plate|scheme|listing|algorithm|chart)"
    r"\s*(?:[A-Z]\.?)?(?:\d+|[IVXL]+)(?:[a-z]|[.\-]\d+)?(?P<after>\s*[.:|\u2014\u2013\-)]|\s*$|\s+\S)",
    re.IGNORECASE,
)
_EQUATION_NUMBER = re.compile(r"\(\s*[A-Z]?\.?\d{1,3}(?:\.\d{1,3})?[a-z]?\s*\)$")
_MATH = set("=+−×÷·∑∏∫∂∇√∝≈≃≡≤≥≪≫±∓∞∈⟨⟩∼→{}[]()/|<>∗*^_′")
_STRONG_MATH = set("=∑∏∫∂∇√∝≈≃≡≤≥≪≫±∓→")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_TERMINAL = re.compile(r"[.?!:;\u3002\"\u201d)]$")
_NUMERIC = re.compile(r"\d")


def blocks_of(regions: Sequence[Region], profile: DocumentProfile) -> list[Block]:
    """Return the blocks of a page in reading order; a paragraph may go on in the next column."""
    found: list[Block] = []
    for region in regions:
        blocks = _region_blocks(region, profile)
        if found and blocks and _goes_on(found[-1], blocks[0]):
            found[-1] = replace(found[-1], rows=found[-1].rows + blocks[0].rows)
            del blocks[0]
        found += blocks
    if all(block.kind is BlockKind.FIGURE for block in found):
        # A page of few words is not a figure.
        return [replace(block, kind=BlockKind.TEXT) for block in found]
    return found


def without_front_headings(blocks: Sequence[Block], profile: DocumentProfile) -> list[Block]:
    """Take back the headings above the first section of a first page: names, dates and addresses.

    The largest is left: it is the title.
    """
    heads = [i for i, block in enumerate(blocks) if block.kind is BlockKind.HEADING]
    first = next((i for i in heads if _opens_section(blocks[i], profile)), len(blocks))
    front = [i for i in heads if i < first]
    title = max(front, key=lambda i: blocks[i].rows[0].size, default=None)
    return [
        replace(block, kind=BlockKind.TEXT, level=0) if i in front and i != title else block
        for i, block in enumerate(blocks)
    ]


def _opens_section(block: Block, profile: DocumentProfile) -> bool:
    text = block.rows[0].text
    return is_usual(text) or number_depth(text) is not None or outline_key(text) in profile.outline


def caption_start(text: str, *, small: bool) -> bool:
    """Whether a block that starts so is a caption, and not a sentence about a figure."""
    match = _CAPTION.match(text)
    if match is None:
        return False
    after = match["after"].strip()
    return not after[:1].isalnum() or after[:1].isupper() or (small and not after[:1].islower())


def is_formula(rows: Sequence[Row], *, left: float, right: float) -> bool:
    """Whether rows set apart from both edges are a display equation."""
    text = " ".join(row.text for row in rows)
    width = right - left
    inset = min(row.box[0] for row in rows) - left
    shown = text.replace(" ", "")
    if not shown or len(shown) > 400:
        return False
    words = sum(len(w) for w in _WORDS.findall(text)) / len(shown)
    if _EQUATION_NUMBER.search(text) and words < 0.6 and any(c in _MATH for c in text[:-4]):
        return True
    math = sum(c in _MATH for c in shown) / len(shown)
    strong = any(c in _STRONG_MATH for c in text)
    return inset > 0.04 * width and words < 0.35 and (strong or math > 0.25)


def _region_blocks(region: Region, profile: DocumentProfile) -> list[Block]:
    blocks: list[Block] = []
    for run, is_table in _table_runs(region.rows):
        if is_table:
            blocks.append(Block(BlockKind.TABLE, tuple(run)))
        else:
            blocks += _paragraphs(run, region, profile)
    return blocks


def _paragraphs(rows: Sequence[Row], region: Region, profile: DocumentProfile) -> list[Block]:
    groups = _groups(rows, region)
    blocks = []
    for index, group in enumerate(groups):
        above = groups[index - 1][-1] if index else None
        below = groups[index + 1][0] if index + 1 < len(groups) else None
        blocks.append(_judged(tuple(group), above, below, region, profile))
    return _merged_formulas(blocks)


def _groups(rows: Sequence[Row], region: Region) -> list[list[Row]]:
    """Part rows where a paragraph ends: by space, size, weight or indent."""
    if not rows:
        return []
    steps = [b.box[3] - a.box[3] for a, b in pairwise(rows)]
    pitch = median(s for s in steps if s > 0) if any(s > 0 for s in steps) else rows[0].size * 1.2
    body = median(row.size for row in rows)
    indents = [row.box[0] - region.left > 0.7 * body for row in rows]
    hanging = sum(indents) > 0.4 * len(rows)
    groups = [[rows[0]]]
    for above, row in pairwise(rows):
        if _parts(above, row, pitch, region, hanging=hanging):
            groups.append([row])
        else:
            groups[-1].append(row)
    return groups


def _parts(above: Row, row: Row, pitch: float, region: Region, *, hanging: bool) -> bool:
    size = max(above.size, row.size)
    if row.box[3] - above.box[3] > 1.4 * max(pitch, 0.9 * size):
        return True
    if abs(above.size - row.size) > 0.08 * size and min(len(above.text), len(row.text)) > 3:
        return True
    if above.bold != row.bold and (above.bold or row.lines[0].bold):
        return True
    width = region.right - region.left
    if _face(above) != _face(row):
        # A heading in capitals or italics over its text, not a word at a paragraph's end.
        if above.box[2] < region.right - 0.1 * width or is_caps(above.text):
            return True
    elif above.bold or is_caps(above.text) or (_centred(above, region) and _centred(row, region)):
        return number_depth(row.text) is not None
    shift = row.box[0] - above.box[0]
    if hanging:
        return shift < -0.7 * size
    ended = above.box[2] < region.right - 0.1 * width and bool(_TERMINAL.search(above.text))
    return shift > 0.7 * size or ended


def _face(row: Row) -> tuple[bool, bool, str]:
    return is_caps(row.text), row.italic, row.font


def _centred(row: Row, region: Region) -> bool:
    width = region.right - region.left
    left, right = row.box[0] - region.left, region.right - row.box[2]
    return left > 0.06 * width and abs(left - right) < 0.04 * width


def _judged(
    rows: tuple[Row, ...], above: Row | None, below: Row | None, region: Region, profile: DocumentProfile
) -> Block:
    text = " ".join(row.text for row in rows)
    left, right = region.left, region.right
    if caption_start(text, small=rows[0].size < 0.97 * profile.body_size):
        return Block(BlockKind.CAPTION, rows)
    if len(rows) <= MAX_ROWS:
        free_above = above is None or rows[0].box[1] - above.box[3] > 0.35 * rows[0].size
        free_below = below is None or below.box[1] - rows[-1].box[3] > 0.1 * rows[0].size
        alone = free_above and free_below
        style = row_style(rows, left=left, right=right, alone=alone, body_font=profile.body_font)
        level = heading_level(style, profile.body_size, profile.outline)
        if level is not None:
            return Block(BlockKind.HEADING, rows, level)
    if is_formula(rows, left=left, right=right):
        return Block(BlockKind.FORMULA, rows)
    if _is_label(rows, profile):
        return Block(BlockKind.FIGURE, rows)
    return Block(BlockKind.TEXT, rows)


def _is_label(rows: Sequence[Row], profile: DocumentProfile) -> bool:
    """Whether rows are scraps of a figure: short, hardly a word, not set as the body is."""
    segments = [line for row in rows for line in row.lines]
    typical = median(len(line.text) for line in segments)
    words = sum(len(w) for line in segments for w in _WORDS.findall(line.text))
    shown = sum(len(line.text.replace(" ", "")) for line in segments)
    if typical <= 6 and words < 0.5 * shown:
        return True
    off_body = abs(rows[0].size - profile.body_size) > 0.15 * profile.body_size
    return off_body and typical <= 12 and len(segments) > 2 * len(rows)


def _merged_formulas(blocks: list[Block]) -> list[Block]:
    """Put the scraps of one display equation (limits, fractions) together."""
    merged: list[Block] = []
    for block in blocks:
        near = merged and block.rows[0].box[1] - merged[-1].rows[-1].box[3] < 1.2 * block.rows[0].size
        kinds = {merged[-1].kind, block.kind} if merged else set()
        if near and BlockKind.FORMULA in kinds and kinds <= {BlockKind.FORMULA, BlockKind.FIGURE}:
            merged[-1] = Block(BlockKind.FORMULA, merged[-1].rows + block.rows)
        else:
            merged.append(block)
    return merged


def _table_runs(rows: Sequence[Row]) -> list[tuple[list[Row], bool]]:
    """Part rows into runs of table rows (three or more, cells aligned) and others."""
    marks = [_is_table_row(row) for row in rows]
    for i in range(1, len(rows) - 1):
        if marks[i - 1] and marks[i + 1] and len(rows[i].lines) >= 2:
            marks[i] = True
    runs: list[tuple[list[Row], bool]] = []
    for row, mark in zip(rows, marks, strict=True):
        if runs and runs[-1][1] == mark:
            runs[-1][0].append(row)
        else:
            runs.append(([row], mark))
    judged: list[tuple[list[Row], bool]] = []
    for run, mark in runs:
        table = mark and len(run) >= 3 and _aligned(run)
        if judged and not table and not judged[-1][1]:
            judged[-1][0].extend(run)
        else:
            judged.append((run, table))
    return judged


def _is_table_row(row: Row) -> bool:
    cells = row.lines
    if len(cells) < 2:
        return False
    typical = median(len(cell.text) for cell in cells)
    numeric = sum(bool(_NUMERIC.search(cell.text)) for cell in cells)
    math = sum(c in _STRONG_MATH for c in row.text)
    if math and len(cells) < 4 and _EQUATION_NUMBER.search(row.text):
        return False
    return (len(cells) >= 3 and typical <= 18) or (
        numeric >= 1 and typical <= 18 and len(row.text) <= 60 and not math
    )


def _aligned(rows: Sequence[Row]) -> bool:
    """Whether most cells start, end or stand in the middle where cells of other rows do."""
    slack = 0.6 * rows[0].size
    hits = total = 0
    for index, row in enumerate(rows):
        near = [
            cell for other in rows[max(0, index - 3) : index + 4] if other is not row for cell in other.lines
        ]
        for cell in row.lines:
            total += 1
            middle = (cell.box[0] + cell.box[2]) / 2
            hits += any(
                abs(cell.box[0] - c.box[0]) < slack
                or abs(cell.box[2] - c.box[2]) < slack
                or abs(middle - (c.box[0] + c.box[2]) / 2) < slack
                for c in near
            )
    return hits > 0.7 * total


def _goes_on(above: Block, below: Block) -> bool:
    """Whether a paragraph was cut by the end of its column."""
    if above.kind is not BlockKind.TEXT or below.kind is not BlockKind.TEXT:
        return False
    last, first = above.rows[-1], below.rows[0]
    if abs(last.size - first.size) > 0.08 * first.size or last.bold != first.bold:
        return False
    return not re.search(r"[.?!:\u3002]$", last.text) and (first.text[:1].islower() or last.text[-1:] == "-")
