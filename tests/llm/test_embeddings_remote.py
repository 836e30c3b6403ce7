"""Embeddings of a service: whatever it sends, there is a vector for each text, or a typed error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from app.errors import ModelError
from app.llm.remote import failures, openai_embedder
from app.llm.remote.openai_embedder import EmbeddingConsentError, OpenAIEmbedder
from tests.fakes.embedding_server import FakeEmbeddings, vector_of
from tests.fakes.openai_server import Http

TEXTS = [f"{'a' * n}{'b' * (20 - n)} {'words ' * n}" for n in range(20)]


def embedder_of(server: FakeEmbeddings, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("fake", base_url=server.url, api_key=lambda: options.pop("key", ""), **options)


async def embedded(server: FakeEmbeddings, texts: Sequence[str], **options: Any) -> list[bytes]:
    embedder = embedder_of(server, **options)
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.close()


def expected(texts: Sequence[str]) -> list[list[float]]:
    return [vector_of(" ".join(text.split()) or "-") for text in texts]


def close_to(vectors: Sequence[bytes], wanted: Sequence[Sequence[float]]) -> bool:
    for vector, numbers in zip(vectors, wanted, strict=True):
        largest = max(map(abs, numbers))
        ours = memoryview(vector).cast("b").tolist()
        assert len(ours) == 8
        if any(abs(a - b / largest * 127) > 1 for a, b in zip(ours, [*numbers, 0, 0, 0, 0], strict=True)):
            return False
    return True


@pytest.mark.parametrize("form", ["float", "base64", "nested"])
async def test_that_vectors_come_in_the_order_of_the_texts(form: str) -> None:
    with FakeEmbeddings(form=form) as server:
        assert close_to(await embedded(server, TEXTS), expected(TEXTS))


def _reversed(answer: dict[str, Any]) -> object:
    return {**answer, "data": answer["data"][::-1]}


def _without_index(answer: dict[str, Any]) -> object:
    return {"data": [{"embedding": row["embedding"]} for row in answer["data"]]}


def _same_index(answer: dict[str, Any]) -> object:
    return {"data": [{**row, "index": 0} for row in answer["data"]]}


@pytest.mark.parametrize("change", [_reversed, _without_index, _same_index])
async def test_that_moving_or_missing_indices_do_not_mix_vectors_up(
    change: Callable[[dict[str, Any]], object],
) -> None:
    with FakeEmbeddings(change=change) as server:
        assert close_to(await embedded(server, TEXTS), expected(TEXTS))


async def test_that_a_number_of_texts_that_is_refused_is_learnt() -> None:
    with FakeEmbeddings(at_most=7) as server:
        embedder = embedder_of(server)
        assert close_to(await embedder.embed(TEXTS), expected(TEXTS))
        refused = len(server.inputs)
        await embedder.embed(TEXTS)
        await embedder.close()
        assert all(len(texts) <= 7 for texts in server.inputs[refused:])


async def test_that_a_text_that_is_too_long_for_the_model_is_shortened_alone() -> None:
    long = "a" * 5000
    with FakeEmbeddings(longest=1500) as server:
        vectors = await embedded(server, [*TEXTS, long])
        assert close_to(vectors[:-1], expected(TEXTS))
        assert any(vectors[-1])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Http(401, "invalid api key"), failures.ModelKeyError),
        (Http(402, "pay first"), failures.ModelQuotaError),
        (Http(404, "model not found"), failures.ModelMissingError),
        (Http(422, "no"), failures.ModelRequestError),
        (Http(302, "", headers={"location": "http://127.0.0.1:1/"}), failures.ModelMissingError),
        (Http(200, body="<html>welcome</html>"), failures.ModelMissingError),
        (Http(200, body="[" * 100_000), failures.ModelMissingError),
        (Http(200, body="{}"), failures.ModelMissingError),
        (Http(200, body='{"error": {"message": "overloaded"}}'), failures.ModelBusyError),
        (Http(200, body='{"data": []}'), failures.ModelServerError),
        (Http(200, body='{"data": [{"index": 0, "embedding": [1, "x"]}]}'), failures.ModelServerError),
        (Http(200, body='{"data": [{"index": 0, "embedding": [NaN, 1]}]}'), failures.ModelServerError),
        (Http(200, body='{"data": [{"index": 0, "embedding": []}]}'), failures.ModelServerError),
        (Http(200, body='{"data": [{"index": 0, "embedding": "###"}]}'), failures.ModelServerError),
    ],
)
async def test_that_what_is_no_vector_is_a_typed_error(answer: Http, error: type[ModelError]) -> None:
    with FakeEmbeddings(trouble=[answer] * 9) as server:
        with pytest.raises(error) as caught:
            await embedded(server, ["text"], attempts=1)
        assert caught.value.hint


async def test_that_a_passing_failure_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "retry_wait", lambda error, tries, **_: 0.0 if tries < 3 else None)
    with FakeEmbeddings(trouble=[Http(429), Http(503)]) as server:
        assert close_to(await embedded(server, ["aab"]), expected(["aab"]))
        assert len(server.inputs) == 3


async def test_that_vectors_of_another_length_are_refused() -> None:
    lengths: Mapping[str, list[float]] = {"one": [1.0, 2.0], "two": [1.0, 2.0, 3.0]}
    with FakeEmbeddings(vectors=lambda text: lengths[text]) as server:
        embedder = embedder_of(server, attempts=1)
        await embedder.embed(["one"])
        assert embedder.dim == 8
        with pytest.raises(failures.ModelServerError, match="lengths"):
            await embedder.embed(["two"])
        await embedder.close()


async def test_that_passages_are_sent_only_after_the_person_agreed() -> None:
    with FakeEmbeddings() as server:
        embedder = embedder_of(server, allowed=lambda: False)
        with pytest.raises(EmbeddingConsentError) as caught:
            await embedder.embed(["a passage"])
        assert caught.value.code == "consent_needed"
        assert server.inputs == []
        assert len(await embedder.embed(["a question"], query=True)) == 1
        await embedder.close()


async def test_that_a_silent_service_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_embedder, "QUERY_TIMEOUT_S", 0.2)
    with FakeEmbeddings(hang=True) as server:
        embedder = embedder_of(server, attempts=1)
        with pytest.raises(failures.ModelTimeoutError):
            await embedder.embed(["a question"], query=True)
        await embedder.close()


async def test_that_a_cancelled_request_lets_go() -> None:
    with FakeEmbeddings(hang=True) as server:
        embedder = embedder_of(server)
        asking = asyncio.ensure_future(embedder.embed(["text"]))
        async with asyncio.timeout(30):
            while not server.inputs:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await embedder.close()


async def test_that_nobody_there_is_a_typed_error() -> None:
    embedder = OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1", api_key=lambda: "", attempts=1)
    with pytest.raises(failures.ModelUnreachableError):
        await embedder.embed(["text"])
    await embedder.close()


async def test_that_no_key_for_a_service_elsewhere_is_said_before_anything_is_sent() -> None:
    embedder = OpenAIEmbedder("m", base_url="https://example.org/v1", api_key=lambda: "")
    with pytest.raises(failures.ModelKeyError):
        await embedder.embed(["text"])
    await embedder.close()


async def test_that_the_key_is_sent_and_in_no_message() -> None:
    with FakeEmbeddings(trouble=[Http(400, "bad key sk-secret")]) as server:
        embedder = OpenAIEmbedder("m", base_url=server.url, api_key=lambda: "sk-secret", attempts=1)
        with pytest.raises(ModelError) as caught:
            await embedder.embed(["text"])
        assert "sk-secret" not in str(caught.value)
        assert server.headers[0]["authorization"] == "Bearer sk-secret"
        await embedder.close()


@pytest.mark.parametrize("text", ["", " \n", "\ud800 half", "\x00", "🌌" * 9000, "\u2028 line"])
async def test_that_odd_texts_have_vectors_too(text: str) -> None:
    with FakeEmbeddings() as server:
        odd, plain = await embedded(server, [text, "the plain one"])
        assert len(odd) == len(plain) == 8
        assert all(sent for texts in server.inputs for sent in texts)


async def test_that_questions_and_passages_are_marked_where_the_model_wants_it() -> None:
    with FakeEmbeddings() as server:
        embedder = OpenAIEmbedder("intfloat/multilingual-e5-small", base_url=server.url, api_key=lambda: "")
        await embedder.embed(["dust"])
        await embedder.embed(["dust"], query=True)
        await embedder.close()
        assert server.inputs == [["passage: dust"], ["query: dust"]]


def test_that_one_name_at_two_services_is_two_models() -> None:
    ids = {
        OpenAIEmbedder("m", base_url=base, api_key=lambda: "").model_id
        for base in ("http://localhost:1/v1", "http://localhost:2/v1", "http://me:secret@localhost:2/v1")
    }
    assert ids == {"m@localhost:1", "m@localhost:2"}
