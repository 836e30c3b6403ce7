"""Pointing at words: nearest glyph, words, lines, columns, turned text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.documents.geometry import Affine, PageGeometry, quad_bounds
from app.records.passage import Quad
from app.ui.reader.text_layer import TextLayer, Word

COLUMNS = (
    (72, ["Left column one", "left column two", "left short", "left column four"]),
    (320, ["Right column one", "right column two", "right column three", "right column four"]),
)
SAME = Affine(1, 0, 0, 1, 0, 0)
TOP, LINE, HEIGHT, LETTER = 700.0, 14.0, 10.0, 6.0


def page() -> TextLayer:
    """Two columns of four lines; every letter is six points wide."""
    text, words = "", []
    for left, lines in COLUMNS:
        for row, line in enumerate(lines):
            x, high = float(left), TOP - row * LINE
            for word in line.split():
                start = len(text)
                text += word
                right = x + LETTER * len(word)
                quad = Quad((x, high), (right, high), (x, high - HEIGHT), (right, high - HEIGHT))
                edges = tuple(i / len(word) for i in range(len(word) + 1))
                words.append(Word(start, len(text), quad, edges))
                x = right + LETTER
                text += " "
    return TextLayer(text, words)


def between(layer: TextLayer, first: str, last: str) -> str:
    start = layer.text.index(first)
    return layer.text[start : layer.text.index(last) + len(last)]


def test_that_a_caret_goes_to_the_nearest_edge_of_a_letter() -> None:
    layer = page()
    assert layer.offset_at((72 + 2 * LETTER + 1, 695)) == 2
    assert layer.offset_at((72 + 2 * LETTER + 5, 695)) == 3


def test_that_white_space_belongs_to_the_line_beside_it() -> None:
    layer = page()
    short = layer.text.index("short") + len("short")
    assert layer.offset_at((170, TOP - 2 * LINE - 5)) == short
    assert layer.offset_at((10, TOP - 2 * LINE - 5)) == layer.text.index("left short")


def test_that_the_gutter_belongs_to_the_nearer_column() -> None:
    layer = page()
    assert layer.offset_at((190, 695)) == len("Left column one")
    assert layer.offset_at((316, 695)) == layer.text.index("Right")


def test_that_a_drag_inside_a_column_takes_that_column_only() -> None:
    layer = page()
    start, end = layer.offset_at((72, 695)), layer.offset_at((200, TOP - 3 * LINE - 5))
    assert start is not None
    assert end is not None
    assert layer.text[start:end] == between(layer, "Left", "left column four")


def test_that_a_drag_across_columns_takes_left_bottom_then_right_top() -> None:
    layer = page()
    start, end = layer.offset_at((72, TOP - 3 * LINE - 5)), layer.offset_at((320 + 5 * LETTER, 695))
    assert start is not None
    assert end is not None
    assert layer.text[start:end] == "left column four Right"


def test_that_a_click_takes_the_word_and_three_take_the_line() -> None:
    layer = page()
    spot = (320 + 8 * LETTER, TOP - LINE - 5)
    word, line = layer.word_at(spot), layer.line_at(spot)
    assert word is not None
    assert line is not None
    assert layer.text[slice(*word)] == "column"
    assert layer.text[slice(*line)] == "right column two"


def test_that_a_word_broken_over_lines_is_taken_whole() -> None:
    upper = Word(0, 5, Quad((0, 20), (30, 20), (0, 10), (30, 10)))
    lower = Word(5, 8, Quad((0, 5), (18, 5), (0, -5), (18, -5)))
    layer = TextLayer("infrared light", [upper, lower])
    assert layer.word_at((9, 0)) == (0, 8)
    assert len(layer.quads(0, 8)) == 2


def test_that_there_is_one_quad_for_each_line_cut_to_the_letters() -> None:
    layer = page()
    start = layer.text.index("column one")
    end = layer.text.index("left column two") + 4
    first, second = layer.quads(start, end)
    assert (first.ul, first.lr) == ((72 + 5 * LETTER, TOP), (72 + 15 * LETTER, TOP - HEIGHT))
    assert (second.ul, second.lr) == ((72, TOP - LINE), (72 + 4 * LETTER, TOP - LINE - HEIGHT))


def test_that_the_caret_moves_by_lines_within_the_column() -> None:
    layer = page()
    start = layer.text.index("column one")
    below = layer.above_or_below(start, True)
    assert layer.text[below:].startswith("column two")
    assert layer.line_edge(start, end=True) == len("Left column one")


def test_that_an_empty_page_has_nothing_to_point_at() -> None:
    layer = TextLayer("", [])
    assert not layer
    assert layer.offset_at((1, 1)) is None
    assert layer.word_at((1, 1)) is None
    assert layer.quads(0, 10) == ()


@given(st.floats(-500, 1200), st.floats(-500, 1200))
def test_that_any_spot_has_a_caret(x: float, y: float) -> None:
    layer = page()
    offset = layer.offset_at((x, y))
    assert offset is not None
    assert 0 <= offset <= len(layer.text)


@given(st.sampled_from([0, 90, 180, 270]), st.integers(0, 120), st.integers(1, 60))
def test_that_text_turned_with_its_page_is_marked_in_the_same_words(
    turn: int, start: int, length: int
) -> None:
    layer = page()
    turned_page = PageGeometry.of((0, 0, 600, 800), turn)
    affine = turned_page.to_page()

    def turned(quad: Quad) -> Quad:
        ul, ur, ll, lr = (affine.apply(p) for p in (quad.ul, quad.ur, quad.ll, quad.lr))
        return Quad(ul, ur, ll, lr)

    other = TextLayer(layer.text, [Word(w.start, w.end, turned(w.quad), w.edges) for w in layer.words])
    end = min(start + length, len(layer.text))
    plain = [quad_bounds(affine, quad) for quad in layer.quads(start, end)]
    moved = [quad_bounds(SAME, quad) for quad in other.quads(start, end)]
    assert len(plain) == len(moved)
    for a, b in zip(plain, moved, strict=True):
        assert all(abs(p - q) < 1e-6 for p, q in zip(a, b, strict=True))
