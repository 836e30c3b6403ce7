"""Embeddings from an OpenAI-compatible service, or a server of one's own (llama-server, Ollama, vLLM).

Asked without the `openai` library, which takes a second to import: it is one request with one answer.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import math
import random
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.errors import ModelError
from app.llm.chat import ContextOverflowError
from app.llm.embedding_batches import BatchSize, by_length
from app.llm.embedding_prefixes import prefixes_of
from app.llm.embedding_vectors import signed_bytes
from app.llm.embeddings import shorten
from app.llm.remote import failures
from app.llm.remote.address import check_address, checked_key, is_near
from app.llm.remote.carrier import Wiring, make_carrier
from app.llm.remote.chunks import error_of, mapping_in, mappings_in
from app.llm.remote.explaining import explaining

if TYPE_CHECKING:
    import httpx2

BASE_URL = "https://api.openai.com/v1"
TIMEOUT_S = 120.0
QUERY_TIMEOUT_S = 30.0
# Texts in one request, the usual number first: what is fastest is measured, what is refused is learnt.
SIZES = (32, 16, 64, 128)
_SHORTEST = 200
"""Characters below which a text that is too long for the model is not shortened any more."""


class EmbeddingConsentError(ModelError):
    """Passages would go to another computer, and the person has not agreed to that."""

    code = "consent_needed"
    hint = "Agree to it for this library (settings, embedding model), or choose a local embedding model."


class OpenAIEmbedder:
    """Embeds with `model` at `base_url`. `api_key` is asked for before every request, in a thread.

    `allowed` says, in a thread, whether passages may be sent; a question may always be. Raises errors of
    `failures`, and EmbeddingConsentError.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: Callable[[], str],
        allowed: Callable[[], bool] = lambda: True,
        wiring: Wiring | None = None,
        attempts: int = 4,
    ) -> None:
        self._model = model
        self._base_url = (base_url or BASE_URL).rstrip("/")
        self._api_key = api_key
        self._allowed = allowed
        self._wiring = wiring or Wiring()
        self._attempts = attempts
        self._prefixes = prefixes_of(model)
        self._sizes = BatchSize(SIZES)
        self._dim = self._given = 0
        self._client: httpx2.AsyncClient | None = None
        self._making = asyncio.Lock()

    @property
    def model_id(self) -> str:
        """The model and where it is asked: under one name, services keep different models."""
        return f"{self._model}@{urlsplit(self._base_url).netloc.rpartition('@')[2]}"

    @property
    def dim(self) -> int:
        """Numbers in a vector; 0 until the service has sent one."""
        return self._dim

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """Return a vector a text, in the order of the texts; see `Embedder.embed`."""
        if not texts:
            return []
        if not query and not await asyncio.to_thread(self._allowed):
            raise EmbeddingConsentError(
                f"The passages of the library would be sent to the embedding model {self._model}."
            )
        prefix = self._prefixes.query if query else self._prefixes.passage
        # a service may refuse a text without anything in it
        whole = [f"{prefix}{_sendable(text)}" for text in texts]
        vectors: list[bytes] = [b""] * len(texts)
        order = by_length([len(text) for text in whole])
        while order:
            size = self._sizes.next()
            part, order = order[:size], order[size:]
            start = time.perf_counter()
            found = await self._parted([whole[index] for index in part], query)
            self._sizes.took(size, len(part), time.perf_counter() - start)
            for index, vector in zip(part, found, strict=True):
                vectors[index] = vector
        return vectors

    async def close(self) -> None:
        """Close the connections."""
        if self._client:
            await self._client.aclose()
            self._client = None

    async def _parted(self, texts: list[str], query: bool) -> list[bytes]:
        """Return the vectors; texts that are too many or too long at once go in parts, or shortened."""
        try:
            return await self._asked(texts, query)
        except (ContextOverflowError, failures.ModelRequestError) as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                first = await self._parted(texts[:middle], query)
                vectors = first + await self._parted(texts[middle:], query)
                if isinstance(error, failures.ModelRequestError):  # smaller ones are taken: it is the number
                    self._sizes.at_most(max(middle, 1))
                return vectors
            (text,) = texts
            if isinstance(error, ContextOverflowError) and len(text) > _SHORTEST:
                return await self._parted([text[: len(text) * 2 // 3]], query)
            raise

    async def _asked(self, texts: list[str], query: bool) -> list[bytes]:
        """Ask, and ask again where the failure may pass."""
        tries = 0
        while True:
            tries += 1
            try:
                return await self._attempt(texts, QUERY_TIMEOUT_S if query else TIMEOUT_S)
            except ModelError as error:
                chance = random.random()  # noqa: S311  it spreads many clients, nothing more
                attempts = min(2, self._attempts) if query else self._attempts
                wait = failures.retry_wait(error, tries, attempts=attempts, chance=chance)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    async def _attempt(self, texts: list[str], timeout: float) -> list[bytes]:
        check_address(self._base_url)
        key = checked_key(await asyncio.to_thread(self._api_key), needed=not is_near(self._base_url))
        client = await self._connected()
        with explaining(key, self._base_url):
            async with asyncio.timeout(timeout):
                response = await client.post(
                    f"{self._base_url}/embeddings",
                    json={"model": self._model, "input": texts, "encoding_format": "float"},
                    headers={"Authorization": f"Bearer {key or 'none'}"},
                )
            rows = _rows(response, key, len(texts))
        if len({len(row) for row in rows}) != 1 or (self._dim and len(rows[0]) != self._given):
            raise failures.ModelServerError("The embedding service sent vectors of different lengths.")
        vectors = await asyncio.to_thread(signed_bytes, rows)
        self._given, self._dim = len(rows[0]), len(vectors[0])
        return vectors

    async def _connected(self) -> httpx2.AsyncClient:
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(
                    make_carrier, self._base_url, self._wiring, QUERY_TIMEOUT_S
                )
            return self._client


def _sendable(text: str) -> str:
    """Return the text without what JSON in UTF-8 cannot carry, and something where there is nothing."""
    return shorten(text).encode("utf-8", "replace").decode() or "-"


def _rows(response: httpx2.Response, key: str, count: int) -> list[list[float]]:
    """Return the vectors of an answer in the order of the texts. Raises ModelError."""
    try:
        body: object = response.json()
    except (ValueError, RecursionError):  # a web page, nothing at all, or no UTF-8
        body = None
    if response.status_code >= 300:
        code, message = error_of(body)
        raise failures.of_status(
            response.status_code, code, message.replace(key or "\0", "…"), response.headers
        )
    if error := mapping_in(body).get("error"):
        raise failures.of_stream(*error_of(error))
    if not isinstance(body, Mapping) or not isinstance(body.get("data"), list):
        raise failures.ModelMissingError(
            "The address of the embedding model answers, but not with vectors.",
            hint="Check the address (embedding.base_url); it mostly ends with /v1.",
        )
    rows = mappings_in(body["data"])
    places = [row.get("index") for row in rows]
    if sorted(place for place in places if isinstance(place, int)) != list(range(len(rows))):
        places = list(range(len(rows)))  # missing or all the same: then they come in order
    found = {place: _numbers(row.get("embedding")) for place, row in zip(places, rows, strict=True)}
    if len(found) != count or not all(found.values()):
        raise failures.ModelServerError(
            f"The embedding service sent {sum(map(bool, found.values()))} vectors for {count} texts."
        )
    return [found[place] for place in range(count)]


def _numbers(value: object) -> list[float]:
    """Return a vector, sent as numbers or as base64 of 32-bit floats; nothing where there is none."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]  # older llama-servers
    if isinstance(value, str):
        try:
            data = base64.b64decode(value, validate=True)
            value = list(struct.unpack(f"<{len(data) // 4}f", data))
        except (binascii.Error, struct.error):
            return []
    if not isinstance(value, list) or not all(isinstance(number, int | float) for number in value):
        return []
    return [float(number) for number in value] if all(map(math.isfinite, value)) else []
