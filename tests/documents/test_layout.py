"""When the layout model is asked, and what its answer changes."""

from __future__ import annotations

from app.documents.flow import Flow, flow
from app.documents.glyphs import Line
from app.documents.hyphens import Vocabulary
from app.documents.layout import LayoutBox, in_doubt, relabelled
from app.documents.order import Row
from app.documents.structure import Block, BlockKind


def row(text: str, order: int) -> Row:
    y = 20.0 * order
    boxes = tuple((10.0 + 5 * i, y, 15.0 + 5 * i, y + 10) for i in range(len(text)))
    return Row.of([Line(text, boxes, (10.0, y, 10.0 + 5 * len(text), y + 10), 10.0, order=order)])


def page(*blocks: tuple[BlockKind, list[str]]) -> Flow:
    made, order = [], 0
    for kind, texts in blocks:
        rows = tuple(row(text, order + i) for i, text in enumerate(texts))
        made.append(Block(kind, rows))
        order += len(texts)
    return flow(made, Vocabulary())


CAPTION = (BlockKind.CAPTION, ["Table 2. Periods of the stars."])
ROWS = (BlockKind.TEXT, ["HD 1 4.5 0.1", "HD 2 5.5 0.2", "These stars are near."])


def test_that_the_model_is_asked_where_a_table_is_named_but_not_found() -> None:
    assert in_doubt(page(CAPTION, ROWS))
    assert not in_doubt(page(CAPTION, (BlockKind.TABLE, ["HD 1 4.5"])))
    assert not in_doubt(page(ROWS))
    assert not in_doubt(page((BlockKind.CAPTION, ["Figure 2. A plot."]), ROWS))


def test_that_the_model_parts_and_names_blocks_but_never_changes_the_text() -> None:
    before = page(CAPTION, ROWS)
    after = relabelled(before, [LayoutBox("table", (0, 15, 300, 55)), LayoutBox("text", (0, 55, 300, 90))])
    assert after.text == before.text
    assert [block.block.kind for block in after.blocks] == [
        BlockKind.CAPTION,
        BlockKind.TABLE,
        BlockKind.TEXT,
    ]
    table = after.blocks[1]
    assert after.text[table.start : table.end] == "HD 1 4.5 0.1 HD 2 5.5 0.2"
    assert after.text[after.blocks[2].start : after.blocks[2].end] == "These stars are near."


def test_that_headings_stay_as_our_own_rules_found_them() -> None:
    before = page((BlockKind.HEADING, ["2 Results"]), ROWS)
    after = relabelled(before, [LayoutBox("text", (0, 0, 300, 100))])
    assert after.blocks[0].block.kind is BlockKind.HEADING
