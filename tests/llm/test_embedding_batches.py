from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.embedding_batches import BatchSize, padded
from app.llm.embedding_prefixes import Prefixes, prefixes_of
from app.llm.embedding_vectors import signed_bytes, width


def worked(sizes: BatchSize, speed: dict[int, float], batches: int = 60, noise: float = 0.0) -> None:
    chance = random.Random(1)
    for _ in range(batches):
        size = sizes.next()
        sizes.took(size, size, size / speed[size] * (1 + noise * chance.random()))


def test_that_the_fastest_size_is_found_and_kept() -> None:
    sizes = BatchSize((512, 256, 1024))
    worked(sizes, {512: 1000.0, 256: 500.0, 1024: 1500.0}, noise=0.2)
    assert sizes.settled
    assert sizes.next() == 1024


def test_that_the_usual_size_stays_unless_another_is_clearly_faster() -> None:
    sizes = BatchSize((512, 256, 1024))
    worked(sizes, {512: 1000.0, 256: 1030.0, 1024: 1050.0})
    assert sizes.next() == 512


def test_that_batches_that_were_not_full_say_nothing() -> None:
    sizes = BatchSize((512, 256))
    for _ in range(50):
        sizes.took(sizes.next(), 5, 1e-9)
    assert not sizes.settled


def test_that_what_is_refused_is_not_tried_again() -> None:
    sizes = BatchSize((32, 16, 64, 128))
    sizes.at_most(16)
    assert sizes.next() == 16
    sizes.at_most(3)
    assert sizes.next() == 3


@given(st.lists(st.integers(0, 600), max_size=80), st.integers(1, 40))
def test_that_every_text_is_in_one_run_of_bounded_size(lengths: list[int], most: int) -> None:
    runs = list(padded(lengths, 512, most))
    assert sorted(index for run in runs for index in run) == list(range(len(lengths)))
    for run in runs:
        assert len(run) <= most
        assert len(run) == 1 or max(lengths[index] for index in run) * len(run) <= 512


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=5, max_size=5), min_size=1, max_size=5))
def test_that_bytes_point_where_the_numbers_do(vectors: list[list[float]]) -> None:
    for numbers, data in zip(vectors, signed_bytes(vectors), strict=True):
        found = memoryview(data).cast("b").tolist()
        assert len(found) == width(5) == 8
        assert found[5:] == [0, 0, 0]
        largest = max(map(abs, numbers))
        if largest > 1e-20:
            assert all(abs(a - b / largest * 127) <= 0.51 for a, b in zip(found[:5], numbers, strict=True))


def test_that_what_is_no_number_is_zero() -> None:
    assert signed_bytes([[float("nan"), float("inf"), 1.0]]) == [bytes([0, 0, 127, 0, 0, 0, 0, 0])]


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("nomic-embed-text-v1.5.Q8_0", "search_query: ", "search_document: "),
        ("multilingual-e5-large", "query: ", "passage: "),
        ("bge-small-en-v1.5-f16", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3-q8_0", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
    ],
)
def test_that_models_get_the_words_they_were_made_with(name: str, query: str, passage: str) -> None:
    assert prefixes_of(name) == Prefixes(query, passage)


def test_that_qwen_is_told_what_to_look_for() -> None:
    assert prefixes_of("Qwen3-Embedding-0.6B-Q8_0").query.endswith("Query:")
    assert prefixes_of("Qwen3-Embedding-0.6B-Q8_0").passage == ""
