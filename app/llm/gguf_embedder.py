"""A GGUF embedding model as the application sees it; the model itself is in the `embed` worker."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from app.errors import ModelError, WorkerError
from app.llm.embedding_prefixes import prefixes_of
from app.llm.embeddings import shorten, split
from app.llm.local.gguf import GgufModel, read_gguf
from app.workers.host import Worker
from app.workers.request import Priority

# The first call loads the model, which a slow disk may take long for.
_SILENCE_S = 300.0
# Beginning and end of the file tell models apart as well as all of it, in a moment.
_SAMPLE = 2**20


class GgufEmbedder:
    """Embeds with a GGUF file. Raises ModelError when it is missing, damaged or a model to chat with."""

    def __init__(self, worker: Worker, path: Path) -> None:
        self._worker = worker
        self._path = path
        self._prefixes = prefixes_of(path.stem)
        self._dim = 0

    @cached_property
    def file(self) -> GgufModel:
        """What the header says; raises ModelError unless it is that of an embedding model."""
        file = read_gguf(self._path)
        if not file.embeds:
            raise ModelError(
                f"{file.label} writes texts; it makes no vectors of them.",
                hint="Choose it as the chat model, and an embedding model to search by meaning.",
                code="model_kind",
            )
        return file

    @cached_property
    def model_id(self) -> str:
        """Name of the file with a digest of it: vectors of a file that was replaced do not compare."""
        return f"{self.file.path.stem}-{_digest(self.file.path)}"

    @property
    def dim(self) -> int:
        """Numbers in a vector; 0 until the model has said how many."""
        return self._dim

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """Return a vector a text, in the order of the texts; see `Embedder.embed`."""
        if not texts:
            return []
        vectors: list[bytes] = [b""] * len(texts)
        prefix = self._prefixes.query if query else self._prefixes.passage
        whole = [f"{prefix}{shorten(text)}" for text in texts]
        model = str(self.file.path.resolve())
        priority = Priority.USER if query else Priority.BULK
        for part in split(whole):
            params = {"model": model, "texts": [whole[index] for index in part]}
            reply = await self._worker.call("embed_gguf", params, timeout=_SILENCE_S, priority=priority)
            data = b"".join(reply.blobs)
            dim = len(data) // len(part)
            if len(data) != dim * len(part) or dim == 0 or dim != (self._dim or dim):
                raise WorkerError("The embedding worker sent vectors of the wrong size.")
            self._dim = dim
            for place, index in enumerate(part):
                vectors[index] = data[place * dim : (place + 1) * dim]
        return vectors

    async def close(self) -> None:
        """Close the worker."""
        await self._worker.close()


def _digest(path: Path) -> str:
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    try:
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(size - _SAMPLE, 0))
            digest.update(file.read(_SAMPLE))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", hint="Choose another model.") from error
    return digest.hexdigest()[:12]
