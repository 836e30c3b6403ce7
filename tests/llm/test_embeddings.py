from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ModelError
from app.llm.embeddings import CALL_CHARACTERS, CALL_TEXTS, LocalEmbedder, shorten, split
from app.workers.host import Worker


@pytest.fixture
async def embedder() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder(Worker("embed", name="embedding"))
    yield embedder
    await embedder.close()


def numbers(vector: bytes) -> Sequence[int]:
    return memoryview(vector).cast("b").tolist()


def likeness(a: bytes, b: bytes) -> float:
    return sum(x * y for x, y in zip(numbers(a), numbers(b), strict=True)) / 127**2


async def test_that_similar_meanings_are_closer_than_others(embedder: LocalEmbedder) -> None:
    first, second, other = await embedder.embed(
        [
            "Type Ia supernovae are standardisable candles used to measure distances.",
            "Distances can be inferred from the brightness of thermonuclear stellar explosions.",
            "The recipe asks for two eggs, flour and a pinch of salt.",
        ]
    )
    assert likeness(first, second) > 0.35
    assert likeness(first, second) > likeness(first, other) + 0.25


async def test_that_vectors_are_unit_vectors_in_signed_bytes(embedder: LocalEmbedder) -> None:
    (vector,) = await embedder.embed(["The Hubble constant"], query=True)
    assert len(vector) == embedder.dim == 384
    assert likeness(vector, vector) == pytest.approx(1, abs=0.02)


async def test_that_the_same_text_gives_the_same_vector_in_any_company(embedder: LocalEmbedder) -> None:
    text = "We measure the expansion rate of the Universe with Cepheids."
    (alone,) = await embedder.embed([text])
    among = await embedder.embed(["short", text, "a much longer text " * 30, text])
    assert among[1] == among[3]
    assert max(abs(a - b) for a, b in zip(numbers(alone), numbers(among[1]), strict=True)) <= 1
    assert (await embedder.embed([text])) == [alone]


async def test_that_no_texts_need_no_worker() -> None:
    worker = Worker("embed")
    assert await LocalEmbedder(worker).embed([]) == []
    assert worker.pid is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "\x00\x01",
        "\ud800 lone surrogate",
        "🌌🔭" * 50,
        "哈勃常数的测量 哈勃常数",
        "x" * 5_000_000,
        " " * 10**6,
    ],
    ids=["empty", "blank", "control", "surrogate", "emoji", "chinese", "long", "spaces"],
)
async def test_that_odd_texts_have_vectors_too(embedder: LocalEmbedder, text: str) -> None:
    odd, plain = await embedder.embed([text, "the plain one"])
    assert len(odd) == len(plain) == 384
    assert any(numbers(odd))


async def test_that_chinese_is_told_apart(embedder: LocalEmbedder) -> None:
    a, b, c = await embedder.embed(["超新星的距离测量", "超新星距离的测量", "今天晚饭吃什么好"])
    assert likeness(a, b) > likeness(a, c)


async def test_that_a_question_overtakes_an_import(embedder: LocalEmbedder) -> None:
    bulk = asyncio.ensure_future(embedder.embed(["stars and dust " * 60] * 60))
    await embedder.embed(["first"], query=True)
    for _ in range(3):
        await embedder.embed(["what is the Hubble constant?"], query=True)
    assert not bulk.done()
    bulk.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bulk


async def test_that_a_cancelled_import_keeps_the_worker() -> None:
    worker = Worker("embed")
    embedder = LocalEmbedder(worker)
    await embedder.embed(["warm"])
    before = worker.pid
    bulk = asyncio.ensure_future(embedder.embed(["stars and dust " * 60] * 60))
    await asyncio.sleep(0.1)
    bulk.cancel()
    assert len(await embedder.embed(["next"], query=True)) == 1
    assert worker.pid == before
    await embedder.close()


async def test_that_a_missing_model_is_named(tmp_path: Path) -> None:
    embedder = LocalEmbedder(Worker("embed"), model=tmp_path / "gone.onnx")
    with pytest.raises(ModelError, match=r"gone\.onnx") as caught:
        await embedder.embed(["text"])
    assert caught.value.hint


async def test_that_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.onnx"
    wrong.write_bytes(b"%PDF-1.7 not a network")
    worker = Worker("embed")
    for embedder in (LocalEmbedder(worker, model=wrong), LocalEmbedder(worker, tokenizer=wrong)):
        with pytest.raises(ModelError, match=r"wrong\.onnx"):
            await embedder.embed(["text"])
    assert len(await LocalEmbedder(worker).embed(["text"])) == 1
    await worker.close()


@given(st.lists(st.text(max_size=40).map(lambda text: text * 90), max_size=80))
def test_that_every_text_is_in_exactly_one_call_of_bounded_size(texts: list[str]) -> None:
    parts = list(split(texts))
    assert sorted(index for part in parts for index in part) == list(range(len(texts)))
    for part in parts:
        assert len(part) <= CALL_TEXTS
        assert len(part) == 1 or sum(len(texts[index]) for index in part) <= CALL_CHARACTERS


def test_that_white_space_is_not_sent() -> None:
    assert shorten("  a\n\n b" + " " * 100) == "a b"
