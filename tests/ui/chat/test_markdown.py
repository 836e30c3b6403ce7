"""Markdown as the timeline sets it: blocks that freeze, marks, and nothing that can bite."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.ui.chat import formulas
from app.ui.chat.markdown import (
    CITE_START,
    UNPROVEN_END,
    UNPROVEN_START,
    Colours,
    as_plain,
    checked_source,
    split_blocks,
    to_html,
    without_marks,
)

COLOURS = Colours("#111111", "#222222", "#333333", "#444444", "#555555", dark=False, mono="mono")
SOURCE = (
    "One $H_0$.\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n"
    "```python\nz = 1\n\nw = 2\n```\n\n> said\n\nend"
)


def html(source: str) -> str:
    return to_html(source, COLOURS).html


def test_that_text_is_cut_at_its_top_level_blocks() -> None:
    assert [block.strip() for block in split_blocks(SOURCE)] == [
        "One $H_0$.",
        "- a\n- b",
        "| x | y |\n|---|---|\n| 1 | 2 |",
        "```python\nz = 1\n\nw = 2\n```",
        "> said",
        "end",
    ]


@given(st.integers(0, len(SOURCE)))
def test_that_closed_blocks_never_change_while_text_streams_in(length: int) -> None:
    now = split_blocks(SOURCE[:length])
    final = split_blocks(SOURCE)
    assert [b.strip() for b in now[:-1]] == [b.strip() for b in final[: max(0, len(now) - 1)]]


def test_that_raw_html_is_shown_and_not_obeyed() -> None:
    made = html('<img src="x"> <b onclick="y">bold</b>')
    assert "<img" not in made
    assert "&lt;img" in made


def test_that_only_web_and_doi_links_are_links() -> None:
    assert 'href="https://x.org"' in html("[a](https://x.org)")
    for target in ("javascript:alert(1)", "file:///etc/passwd", "cite:3", "data:text/html,x"):
        assert "href" not in html(f"[a]({target})")


def test_that_images_are_never_fetched() -> None:
    assert "<img" not in html("![alt words](https://tracker.example/x.png)")


def test_that_formulas_are_marked_and_counted() -> None:
    made = to_html("A $x$ and $$y^2$$.", COLOURS)
    assert made.formulas == [("x", False), ("y^2", True)]


def test_that_prices_are_no_formulas() -> None:
    assert to_html("It costs 5$ or 7$ today.", COLOURS).formulas == []


def test_that_sentences_keep_their_citations_and_the_bare_ones_are_marked() -> None:
    source = checked_source(
        [
            {"text": "Proven.", "supported": True, "citations": [{}, {}]},
            {"text": "Not proven.", "supported": False, "citations": []},
        ]
    )
    assert source.count(CITE_START) == 2
    assert f"{UNPROVEN_START}Not proven.{UNPROVEN_END}" in source
    assert f"{UNPROVEN_START}Proven" not in source


def test_that_a_marked_list_item_stays_a_list_item() -> None:
    source = checked_source(
        [
            {"text": "Two values:", "supported": False, "citations": []},
            {"text": "\n- one", "supported": False, "citations": []},
            {"text": "- two", "supported": True, "citations": [{}]},
        ]
    )
    assert html(source).count("<li") == 2


def test_that_text_cannot_forge_citations() -> None:
    forged = f"{CITE_START}0\ue003 {UNPROVEN_START}"
    assert without_marks(forged) == "0 "
    assert CITE_START not in checked_source([{"text": forged, "supported": True, "citations": []}])


@given(st.text(max_size=80))
def test_that_words_of_a_paper_are_shown_sign_for_sign(words: str) -> None:
    from PySide6.QtGui import QTextDocument

    document = QTextDocument()
    document.setHtml(html(as_plain(words)))
    shown = "".join(document.toPlainText().split())
    expected = "".join(without_marks(words).split()).replace("\x00", "\ufffd")
    printable = "".join(c for c in expected if c.isprintable())
    assert "".join(c for c in shown if c.isprintable()) == printable or not printable.isascii()


def test_that_a_formula_is_drawn_and_a_broken_one_is_not() -> None:
    drawn = formulas.draw(r"H_0 = 73 \pm 1", "#000000", 14)
    assert drawn is not None
    assert drawn.width > 20
    assert drawn.ascent > drawn.descent > 0
    assert formulas.draw(r"\frac{a", "#000000", 14) is None
    assert formulas.draw(r"\text{速度}", "#000000", 14) is None
