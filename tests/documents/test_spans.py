"""Cutting text into passages."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.documents.spans import context, cut, trimmed

TEXTS = st.text(st.sampled_from("ab c. \n\t中。"), max_size=600)


@given(TEXTS, st.integers(20, 100), st.lists(st.integers(0, 600), max_size=10).map(sorted))
def test_that_cutting_loses_nothing_and_nothing_is_too_long(
    text: str, longest: int, breaks: list[int]
) -> None:
    pieces = cut(text, (0, len(text)), breaks, longest=longest)
    assert all(0 < end - start <= longest for start, end in pieces)
    assert all(a[1] <= b[0] for a, b in pairwise(pieces))
    kept = "".join("".join(text[start:end].split()) for start, end in pieces)
    assert kept == "".join(text.split())


def test_that_cuts_fall_between_paragraphs_then_sentences_then_words() -> None:
    first, second = "a" * 60 + ".", "b" * 60 + "."
    text = f"{first}\n\n{second}"
    assert cut(text, (0, len(text)), [0, 63], longest=100) == [(0, 61), (63, 124)]
    sentences = "One two three four. " * 10
    assert all(sentences[e - 1] == "." for _, e in cut(sentences, (0, len(sentences)), longest=80))
    words = "word " * 50
    assert all(words[s:e].startswith("word") for s, e in cut(words, (0, len(words)), longest=33))


def test_that_pieces_are_of_about_the_same_size() -> None:
    text = "A sentence of some length here. " * 80
    sizes = [end - start for start, end in cut(text, (0, len(text)), longest=1000)]
    assert max(sizes) - min(sizes) < 100


def test_that_context_is_what_stands_around() -> None:
    text = "x" * 50 + "QUOTE" + "y" * 10
    assert context(text, (50, 55)) == ("x" * 32, "y" * 10)
    assert trimmed("  ab ", (0, 5)) == (2, 4)
