"""Folding: what does not count when quotes are compared, and the way back to the raw text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.text import FoldedText, fold


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("eﬃciency", "efficiency"),
        ("effi-\nciency", "efficiency"),
        ("effi\u00ad\nciency", "efficiency"),
        ("effi\ufffe\nciency", "efficiency"),
        ("Sunyaev-\nZel'dovich", "Sunyaev-Zel’dovich"),
        ("low\u2010mass", "low-mass"),
        ("“quoted” ‘words’", "\"quoted\" 'words'"),
        ("a  b\n c\u00a0d", "a b c d"),
        ("1990–2000", "1990-2000"),
        ("−5.8", "-5.8"),
        ("H\u200bα", "Hα"),
        ("CAFÉ", "cafe\u0301"),
        ("ＭＮＲＡＳ", "mnras"),
        ("∼ 6", "~ 6"),
        ("Straße", "STRASSE"),
    ],
)
def test_that_what_does_not_count_folds_alike(a: str, b: str) -> None:
    assert fold(a) == fold(b)


@pytest.mark.parametrize(
    ("a", "b"), [("3-4", "34"), ("café", "cafe"), ("a b", "ab"), ("10", "100"), ("5.8", "58")]
)
def test_that_what_counts_stays(a: str, b: str) -> None:
    assert fold(a) != fold(b)


def test_that_a_folded_span_leads_back_to_the_raw_words() -> None:
    raw = "The  eﬃ-\nciency of “Sunyaev-\nZel’dovich” maps"
    folded = FoldedText(raw)
    start = folded.text.index("efficiency")
    assert raw[slice(*folded.raw_span(start, start + len("efficiency")))] == "eﬃ-\nciency"
    start = folded.text.index("sunyaevzel'dovich")
    assert raw[slice(*folded.raw_span(start, start + 17))] == "Sunyaev-\nZel’dovich"


texts = st.text(
    st.one_of(
        st.characters(categories=["L", "N", "P", "S", "Z"]),
        st.sampled_from("ﬁﬂﬃ-\n \u00ad\u2010\u2013\u2212’“”\u0301\u00a0\ufffe"),
    ),
    max_size=120,
)


@given(texts)
def test_that_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(texts, st.data())
def test_that_every_folded_span_maps_to_a_raw_span_in_order(text: str, data: st.DataObject) -> None:
    folded = FoldedText(text)
    size = len(folded.text)
    a = data.draw(st.integers(0, size))
    b = data.draw(st.integers(a, size))
    start, end = folded.raw_span(a, b)
    assert 0 <= start <= end <= len(text)
    if a < b:
        assert start < end
