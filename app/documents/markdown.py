"""A page as Markdown: headings, tables with pipes, formulas set apart."""

from __future__ import annotations

import re

from app.documents.clean import SOFT_HYPHEN
from app.documents.flow import FlowBlock
from app.documents.reading import ReadPage
from app.documents.structure import Block, BlockKind

_MOST_LEVEL = 5
_ESCAPED = re.compile(r"([\\|])")


def page_markdown(read: ReadPage) -> str:
    """Return the body of a page as Markdown; figures' inner text and running heads are left out."""
    blocks = (block for block in read.flow.blocks if block.end <= read.body_end)
    return "\n\n".join(part for block in blocks if (part := _block(block, read.flow.text)))


def _block(block: FlowBlock, text: str) -> str:
    content = text[block.start : block.end]
    match block.block.kind:
        case BlockKind.HEADING:
            return f"{'#' * min(block.block.level + 1, _MOST_LEVEL + 1)} {' '.join(content.split())}"
        case BlockKind.TABLE:
            return _table(block.block)
        case BlockKind.FORMULA:
            return f"$$\n{content}\n$$"
        case BlockKind.CAPTION:
            return (
                f"**{content.split('.', 1)[0]}.**{content.split('.', 1)[1]}"
                if "." in content[:24]
                else content
            )
        case BlockKind.FIGURE | BlockKind.FURNITURE:
            return ""
        case _:
            return content


def _table(table: Block) -> str:
    """Cells are the segments of the rows: the model may have named a table that our text runs together."""
    rows = [
        [_ESCAPED.sub(r"\\\1", line.text.rstrip(SOFT_HYPHEN)) for line in row.lines] for row in table.rows
    ]
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
