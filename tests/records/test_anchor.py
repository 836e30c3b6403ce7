"""Anchors: a quote is found again, and only where it stands."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.anchor import Anchor, anchor_at, find_quote, quads_for
from app.records.ids import PageIndex
from app.records.passage import Quad, TextLine

PAGE = (
    "The period–luminosity relation of Mira variables was derived by Glass & Lloyd Evans (1981) from a small "
    "sample in the Large Magellanic Cloud. We find a mean efﬁciency of 0.35 ± 0.02 for the low-mass stars, "
    "in agreement with the Sunyaev-\nZel’dovich measurements. The zero point depends on Galactic longitude. "
    "A second sample gives the same slope. The zero point depends on Galactic latitude as well, and the "
    "interpre-\ntation remains open. “Dust” is not seen.\n"
)


def quad(x0: float, y: float, x1: float) -> Quad:
    return Quad((x0, y + 10), (x1, y + 10), (x0, y), (x1, y))


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("a small sample", "a small sample"),
        ("A SMALL SAMPLE", "a small sample"),
        ("mean efficiency of 0.35", "mean efﬁciency of 0.35"),
        ("period-luminosity relation", "period–luminosity relation"),
        ("the Sunyaev-Zel'dovich measurements", "the Sunyaev-\nZel’dovich measurements"),
        ("the interpretation remains open", "the interpre-\ntation remains open"),
        ('"Dust" is  not seen', "“Dust” is not seen"),
        ("low\u2010mass   stars", "low-mass stars"),
        (
            "derived by Glass & Loyd Evans (1981) from a small",
            "derived by Glass & Lloyd Evans (1981) from a small",
        ),
    ],
)
def test_that_a_quote_is_found_word_for_word_folded_or_nearly(quote: str, found: str) -> None:
    span = find_quote(PAGE, quote)
    assert span is not None
    assert PAGE[slice(*span)] == found


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "is not on this page at all",
        "A second sample in the Large Magellanic Cloud gives Galactic longitude",  # stitched
        "efficient",
        "zzz",
    ],
)
def test_that_what_is_not_there_is_not_found(quote: str) -> None:
    assert find_quote(PAGE, quote) is None


def test_that_a_perfect_score_forbids_likeness() -> None:
    quote = "derived by Glass & Loyd Evans (1981) from a small"
    assert find_quote(PAGE, quote, min_score=1.0) is None
    assert find_quote(PAGE, "mean efficiency of 0.35", min_score=1.0) is not None


@pytest.mark.parametrize(
    ("prefix", "suffix", "nth"), [("measurements. ", " longitude", 0), ("same slope. ", " latitude", 1)]
)
def test_that_context_decides_between_equal_quotes(prefix: str, suffix: str, nth: int) -> None:
    quote = "The zero point depends on Galactic"
    places = [i for i in range(len(PAGE)) if PAGE.startswith(quote, i)]
    assert find_quote(PAGE, quote, prefix=prefix, suffix=suffix) == (places[nth], places[nth] + len(quote))
    damaged = PAGE.replace("zero point", "zero-point value")
    span = find_quote(damaged, quote, prefix=prefix, suffix=suffix, min_score=0.8)
    assert span is not None
    assert damaged[span[1] :].strip().startswith(suffix.strip())


def words(dice: random.Random, count: int) -> str:
    letters = "etaoinshrdlcumwfgypbvk"
    return " ".join("".join(dice.choices(letters, k=dice.randint(2, 9))) for _ in range(count))


def test_that_nearly_all_quotes_survive_small_edits_of_a_long_page() -> None:
    dice = random.Random(11)
    text = words(dice, 1700)
    assert len(text) > 10_000
    hits, total = 0, 80
    for _ in range(total):
        start = dice.randrange(0, len(text) - 400)
        anchor = anchor_at(PageIndex(0), text, start, start + dice.randint(40, 300))
        edited = list(text)
        for _ in range(max(1, len(anchor.quote) // 60)):
            where = dice.randrange(anchor.start, anchor.end)
            edited[where] = dice.choice(["", "x", edited[where] + "y", " "])
        changed = words(dice, 30) + " " + "".join(edited)
        span = find_quote(changed, anchor.quote, prefix=anchor.prefix, suffix=anchor.suffix)
        shift = len(changed) - len("".join(edited))
        hits += span is not None and abs(span[0] - shift - anchor.start) <= 12
    assert hits >= 0.95 * total


@given(st.integers(0, len(PAGE) - 1), st.integers(1, 120))
def test_that_every_stretch_of_a_page_is_found_where_it_stands(start: int, length: int) -> None:
    anchor = anchor_at(PageIndex(0), PAGE, start, min(len(PAGE), start + length))
    span = find_quote(PAGE, anchor.quote, prefix=anchor.prefix, suffix=anchor.suffix)
    if anchor.quote.strip():
        assert span is not None
        assert PAGE[slice(*span)] == anchor.quote.strip()


@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_that_no_text_breaks_the_search(text: str, quote: str, prefix: str, suffix: str) -> None:
    span = find_quote(text, quote, prefix=prefix, suffix=suffix)
    if span is not None:
        assert 0 <= span[0] <= span[1] <= len(text)


def test_that_quads_are_cut_to_the_share_of_the_line() -> None:
    lines = [
        TextLine(0, 10, quad(0, 100, 100)),
        TextLine(10, 20, quad(0, 80, 100)),
        TextLine(20, 30, quad(0, 60, 100)),
    ]
    quads = quads_for(lines, 5, 22)
    assert [(q.ul[0], q.ur[0], q.ul[1]) for q in quads] == [(50, 100, 110), (0, 100, 90), (0, 20, 70)]
    assert quads_for(lines, 30, 40) == ()
    assert quads_for(lines, 5, 5) == ()


def test_that_turned_quads_are_cut_along_the_text() -> None:
    upwards = Quad((10, 0), (10, 100), (20, 0), (20, 100))
    (cut,) = quads_for([TextLine(0, 10, upwards)], 5, 10)
    assert cut == Quad((10, 50), (10, 100), (20, 50), (20, 100))


def test_that_an_anchor_survives_json() -> None:
    anchor = anchor_at(PageIndex(3), PAGE, 10, 60, [TextLine(0, 100, quad(0, 100, 100))])
    assert Anchor.from_json(anchor.as_json()) == anchor
    assert anchor.prefix == PAGE[:10]
    assert anchor.suffix == PAGE[60:92]
