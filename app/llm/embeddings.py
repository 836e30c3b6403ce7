"""Texts to vectors. The model runs in the `embed` worker; this is what the application sees of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from app.errors import WorkerError
from app.llm import weights
from app.workers.host import Worker
from app.workers.request import Priority

# One call to the worker holds about half a second of work, so that a question asked during an import
# of a thousand papers waits no longer than that.
CALL_CHARACTERS = 8_000
CALL_TEXTS = 64
# What is beyond cannot be within the tokens the model reads.
TEXT_CHARACTERS = 8_000


class Embedder(Protocol):
    """Gives texts of similar meaning vectors that point the same way."""

    @property
    def model_id(self) -> str:
        """Name kept with every vector: vectors of different models do not compare."""

    @property
    def dim(self) -> int:
        """Numbers in a vector, a multiple of eight; 0 while that is not known."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """Return a vector a text: `dim` signed bytes, of which only the direction counts.

        A `query` goes before everything else that waits, and is what is looked for: some models embed
        that in another way than what is found.
        """

    async def close(self) -> None:
        """Give everything back."""


EmbedderSource = Callable[[], Embedder | None]
"""Gives the model to use now; None: there is none."""


class LocalEmbedder:
    """all-MiniLM-L6-v2 in a worker. Raises ModelError when its files are missing or damaged."""

    model_id = "all-MiniLM-L6-v2-int8"
    dim = 384

    def __init__(self, worker: Worker, *, model: Path | None = None, tokenizer: Path | None = None) -> None:
        self._worker = worker
        self._model = model
        self._tokenizer = tokenizer

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """Return a vector a text, in the order of the texts; see `Embedder.embed`."""
        if not texts:
            return []
        files = {
            "model": str(weights.checked(self._model or weights.embedding_onnx(), "embedding model")),
            "tokenizer": str(
                weights.checked(self._tokenizer or weights.embedding_vocab(), "embedding tokenizer")
            ),
        }
        vectors: list[bytes] = [b""] * len(texts)
        priority = Priority.USER if query else Priority.BULK
        shortened = [shorten(text) for text in texts]
        for part in split(shortened):
            params = {**files, "texts": [shortened[index] for index in part]}
            reply = await self._worker.call("embed", params, timeout=120, priority=priority)
            data = b"".join(reply.blobs)
            if len(data) != self.dim * len(part):
                raise WorkerError("The embedding worker sent vectors of the wrong size.")
            for place, index in enumerate(part):
                vectors[index] = data[place * self.dim : (place + 1) * self.dim]
        return vectors

    async def close(self) -> None:
        """Close the worker."""
        await self._worker.close()


def shorten(text: str) -> str:
    """Return what of a text the model can see: white space does not matter to it, nor does the far end."""
    return " ".join(text[: 4 * TEXT_CHARACTERS].split())[:TEXT_CHARACTERS]


def split(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the indices of the texts by call: neighbours in length together, so that little is padded."""
    part: list[int] = []
    size = 0
    for index in sorted(range(len(texts)), key=lambda index: len(texts[index])):
        if part and (len(part) >= CALL_TEXTS or size + len(texts[index]) > CALL_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(index)
        size += len(texts[index])
    if part:
        yield part
