"""Clean characters."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.clean import SOFT_HYPHEN, Box, clean_line, is_noise


def in_a_row(text: str, width: float = 10.0) -> list[Box]:
    return [(i * width, 0.0, (i + 1) * width, 10.0) for i in range(len(text))]


def cleaned(text: str) -> str:
    return clean_line(list(text), in_a_row(text)).text


@pytest.mark.parametrize(
    ("glyphs", "text"),
    [
        ("\ufb01eld", "field"),
        ("e\ufb03ciency", "efficiency"),
        ("\ufb02ux", "flux"),
        ("o\ufb00set", "offset"),
        ("ba\ufb04e", "baffle"),
        ("\ufb05ar", "star"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zerowidth"),
        ("a\u00a0b\u2003c", "a b c"),
        ("two   spaces ", "two spaces"),
        ("\uf8f1x\uf8f3", "x"),
        ("\x10\x15ok\x00", "ok"),
        ("\U0001d43b\U0001d7ce", "H0"),
        ("\u212b", "\u00c5"),
        ("\uf773\uf774", "ST"),
        ("Sunyaev\u2013Zel\u2019dovich", "Sunyaev\u2013Zel\u2019dovich"),
        ("\ufe8e\ufee7\ufeee", "\u0627\u0646\u0648"),
        ("x \u2212 1 \u2264 \u03b1", "x \u2212 1 \u2264 \u03b1"),
        ("e\u0301t", "\u00e9t"),
    ],
)
def test_that_glyphs_are_written_as_what_a_reader_reads(glyphs: str, text: str) -> None:
    assert cleaned(glyphs) == text


def test_that_a_ligature_lends_each_letter_its_share_of_the_box() -> None:
    line = clean_line(["o", "\ufb03"], [(0, 0, 10, 10), (10, 0, 40, 10)])
    assert line.text == "offi"
    assert line.boxes[1:] == ((10, 0, 20, 10), (20, 0, 30, 10), (30, 0, 40, 10))


@pytest.mark.parametrize(
    ("accent", "letter", "composed"),
    [
        ("\u00b4", "e", "\u00e9"),
        ("\u00a8", "u", "\u00fc"),
        ("`", "a", "\u00e0"),
        ("\u02c6", "o", "\u00f4"),
        ("~", "n", "\u00f1"),
        ("\u02c7", "s", "\u0161"),
        ("\u02da", "A", "\u00c5"),
        ("\u00b4", "\u0131", "\u00ed"),
        ("\u00b8", "c", "\u00e7"),
    ],
)
@pytest.mark.parametrize("order", ["accent first", "letter first"])
def test_that_an_accent_printed_over_its_letter_is_one_character(
    accent: str, letter: str, composed: str, order: str
) -> None:
    glyphs = [accent, letter] if order == "accent first" else [letter, accent]
    line = clean_line(["R", *glyphs, "x"], [(0, 0, 10, 10), (11, 0, 15, 10), (10, 0, 16, 8), (16, 0, 20, 10)])
    assert line.text == f"R{composed}x"
    assert line.boxes[1] == (10, 0, 16, 10)


def test_that_an_accent_beside_a_letter_is_left_alone() -> None:
    assert cleaned("z ~ 3 and x~y") == "z ~ 3 and x~y"


def test_that_a_letter_printed_twice_in_one_place_is_one_letter() -> None:
    boxes: list[Box] = [(0, 0, 6, 10), (0.4, 0, 6.4, 10), (6, 0, 12, 10), (12, 0, 18, 10)]
    assert clean_line(["S", "S", "N", "N"], boxes).text == "SNN"


@pytest.mark.parametrize("mark", ["\u00ad", "\ufffe", "\u0002"])
def test_that_an_invisible_hyphen_is_kept_at_the_end_of_a_line_only(mark: str) -> None:
    assert cleaned(f"infor{mark}mation") == "information"
    assert cleaned(f"infor{mark}") == f"infor{SOFT_HYPHEN}"


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=2), max_size=40))
def test_that_clean_text_is_normal_and_every_character_has_a_box(glyphs: list[str]) -> None:
    boxes = in_a_row("x" * len(glyphs))
    line = clean_line(glyphs, boxes)
    assert len(line.text) == len(line.boxes)
    assert not any(is_noise(c) for c in line.text)
    assert SOFT_HYPHEN not in line.text[:-1]
    assert "  " not in line.text
    assert line.text == line.text.strip()
    left, right = 0.0, 10.0 * len(glyphs)
    assert all(left <= b[0] <= b[2] <= right for b in line.boxes)


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=60))
def test_that_plain_letters_are_never_changed(text: str) -> None:
    assert cleaned(text) == text


@given(st.text(max_size=40))
def test_that_cleaning_twice_changes_nothing(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once) == once
    assert all(unicodedata.category(c) != "Co" for c in once)
