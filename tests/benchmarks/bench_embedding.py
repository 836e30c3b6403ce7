"""What embedding costs beside the bare library, with GGUF models and when a library is indexed anew."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app.library import Library
from app.llm.cores import physical_cores
from app.llm.embeddings import Embedder, LocalEmbedder
from app.llm.gguf_embedder import GgufEmbedder
from app.services.embedding_models import EmbeddingChoice, Wanted
from app.services.reindexing import Reindexer
from app.workers.host import Worker
from tests.benchmarks.bench_models import TEXTS
from tests.benchmarks.result import Bench, Result
from tests.fakes.minilm_gguf import minilm_gguf
from tests.library.samples import MODEL, add_indexed

ROUNDS = 2
_SOME = TEXTS[:8]
_PASSAGES = 64


def embedding_gguf_throughput() -> Result:
    """Texts per second through the worker, against llama.cpp's binding in this process, taken in turn."""
    with tempfile.TemporaryDirectory() as folder:
        path = minilm_gguf(Path(folder) / "minilm.gguf")
        ours, theirs = asyncio.run(_in_turn(path, _bare(path)))
    value, baseline = len(_SOME) / statistics.median(ours), len(_SOME) / statistics.median(theirs)
    return Result(value=value, unit="texts/s", baseline=baseline, n=len(_SOME) * ROUNDS)


def reindex_throughput() -> Result:
    """Passages per second of a new index in the background, against embedding the same texts alone."""
    value, baseline = asyncio.run(_reindexed())
    return Result(value=value, unit="passages/s", baseline=baseline, n=_PASSAGES)


async def _in_turn(path: Path, bare: Callable[[list[str]], object]) -> tuple[list[float], list[float]]:
    embedder = GgufEmbedder(Worker("embed"), path)
    for _ in range(2):  # also finds the size of its batches
        await embedder.embed(_SOME)
    bare(_SOME[:2])
    ours, theirs = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await embedder.embed(_SOME)
        middle = time.perf_counter()
        bare(_SOME)
        ours.append(middle - start)
        theirs.append(time.perf_counter() - middle)
    await embedder.close()
    return ours, theirs


def _bare(path: Path) -> Callable[[list[str]], object]:
    import llama_cpp

    threads = min(4, physical_cores())
    model = llama_cpp.Llama(
        str(path), embedding=True, n_ctx=512, n_batch=512, n_ubatch=512, n_threads=threads,
        n_threads_batch=threads, verbose=False,
    )  # fmt: skip

    def embed(texts: list[str]) -> object:
        return model.embed(texts, normalize=True)

    return embed


class _Models:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def wanted(self) -> Wanted:
        return Wanted(self._embedder, EmbeddingChoice())

    def make(self, choice: EmbeddingChoice) -> Embedder | None:
        return None

    def signature(self) -> object:
        return None


async def _reindexed() -> tuple[float, float]:
    texts = [f"{number} {TEXTS[number % len(TEXTS)]}" for number in range(_PASSAGES)]
    embedder = LocalEmbedder(Worker("embed"))
    await embedder.embed(texts[:4])
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder)) as library:
        add_indexed(library, "Bench", texts)
        assert library.search.models() == {MODEL: _PASSAGES}
        start = time.perf_counter()
        await embedder.embed([f"Bench | Results\n{text}" for text in texts])
        middle = time.perf_counter()
        reindexer = Reindexer(library, Path(folder), _Models(embedder))
        reindexer.start()
        await reindexer.settled()
        end = time.perf_counter()
        await reindexer.close()
    return _PASSAGES / (end - middle), _PASSAGES / (middle - start)


BENCHES: dict[str, Bench] = {
    "embedding_gguf_throughput": embedding_gguf_throughput,
    "reindex_throughput": reindex_throughput,
}
