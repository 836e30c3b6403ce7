"""Embeddings with llama.cpp: the built-in model as a GGUF file gives the vectors that ONNX Runtime gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.errors import ModelError
from app.llm import weights
from app.llm.embeddings import LocalEmbedder
from app.llm.gguf_embedder import GgufEmbedder
from app.llm.local.client import LocalChatModel
from app.workers.host import Worker
from tests.fakes.gguf_files import gguf_file
from tests.fakes.minilm_gguf import minilm_gguf

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return minilm_gguf(tmp_path_factory.mktemp("models") / "all-MiniLM-L6-v2-f16.gguf")


@pytest.fixture
async def embedder(model: Path) -> AsyncIterator[GgufEmbedder]:
    embedder = GgufEmbedder(Worker("embed", name="embedding"), model)
    yield embedder
    await embedder.close()


def likeness(a: bytes, b: bytes) -> float:
    first, second = (memoryview(vector).cast("b").tolist() for vector in (a, b))
    dot = sum(x * y for x, y in zip(first, second, strict=True))
    return float(dot / (sum(x * x for x in first) * sum(y * y for y in second)) ** 0.5)


async def test_that_vectors_are_those_of_the_other_runtime(embedder: GgufEmbedder) -> None:
    texts = [
        "Type Ia supernovae are standardisable candles used to measure distances.",
        "The recipe asks for two eggs, flour and a pinch of salt.",
        "哈勃常数的测量",
        "naïve Ångström café — λ 6563 Å",
        "the period of a variable star " * 20,
    ]
    other = LocalEmbedder(Worker("embed", name="embedding"))
    ours, theirs = await embedder.embed(texts), await other.embed(texts)
    await other.close()
    assert embedder.dim == 384
    assert min(likeness(a, b) for a, b in zip(ours, theirs, strict=True)) > 0.99


async def test_that_company_does_not_change_a_vector(embedder: GgufEmbedder) -> None:
    text = "We measure the expansion rate of the Universe with Cepheids."
    (alone,) = await embedder.embed([text])
    among = await embedder.embed(["short", text, "a much longer text " * 90, *["filling"] * 90, text])
    assert min(likeness(alone, among[1]), likeness(alone, among[-1])) > 0.999


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\x00\x01", "\ud800 lone surrogate", "🌌🔭" * 50, "x" * 5_000_000, "[SEP] [CLS] </s>"],
    ids=["empty", "blank", "control", "surrogate", "emoji", "long", "marks"],
)
async def test_that_odd_texts_have_vectors_too(embedder: GgufEmbedder, text: str) -> None:
    odd, plain = await embedder.embed([text, "the plain one"])
    assert len(odd) == len(plain) == 384
    assert any(odd)


async def test_that_a_question_overtakes_and_a_cancel_keeps_the_worker(model: Path) -> None:
    worker = Worker("embed", name="embedding")
    embedder = GgufEmbedder(worker, model)
    await embedder.embed(["warm"])
    before = worker.pid
    bulk = asyncio.ensure_future(embedder.embed(["stars and dust " * 60] * 200))
    await embedder.embed(["what is the Hubble constant?"], query=True)
    assert not bulk.done()
    bulk.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bulk
    assert len(await embedder.embed(["next"], query=True)) == 1
    assert worker.pid == before
    await embedder.close()


async def test_that_a_model_to_chat_with_is_no_embedding_model() -> None:
    path = weights.chat_gguf()
    assert path is not None
    embedder = GgufEmbedder(Worker("embed"), path)
    with pytest.raises(ModelError, match="writes texts") as caught:
        _ = embedder.model_id
    assert caught.value.code == "model_kind"
    with pytest.raises(ModelError, match="writes texts"):
        await embedder.embed(["text"])


def test_that_an_embedding_model_is_no_model_to_chat_with(model: Path) -> None:
    with pytest.raises(ModelError, match="cannot chat") as caught:
        _ = LocalChatModel(Worker("llm"), model).info
    assert caught.value.code == "model_kind"


async def test_that_a_model_that_ranks_is_no_embedding_model(tmp_path: Path) -> None:
    embedder = GgufEmbedder(Worker("embed"), minilm_gguf(tmp_path / "ranker.gguf", pooling=4))
    with pytest.raises(ModelError, match="ranks passages") as caught:
        await embedder.embed(["text"])
    assert caught.value.code == "model_kind"
    await embedder.close()


async def test_that_a_damaged_file_is_a_typed_error_and_the_worker_lives(tmp_path: Path, model: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(model.read_bytes()[:5_000_000])
    hollow = tmp_path / "hollow.gguf"
    hollow.write_bytes(gguf_file(architecture="bert", extra={"bert.pooling_type": 1}, template=""))
    nothing = tmp_path / "nothing.gguf"
    nothing.write_bytes(b"%PDF-1.7")
    worker = Worker("embed", name="embedding")
    for path in (cut, hollow, nothing):
        with pytest.raises(ModelError) as caught:
            await GgufEmbedder(worker, path).embed(["text"])
        assert path.name in caught.value.message
        assert caught.value.hint
    good = GgufEmbedder(worker, model)
    assert len(await good.embed(["text"])) == 1
    assert worker.restarts == 0
    await good.close()


def test_that_a_file_that_was_replaced_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    ids = set()
    for layers in (4, 5):
        path.write_bytes(gguf_file(architecture="bert", template="", layers=layers))
        ids.add(GgufEmbedder(Worker("embed"), path).model_id)
    assert len(ids) == 2
