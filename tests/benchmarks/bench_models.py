"""What the worker processes cost: embedding beside the bare runtime, a round trip beside a plain call."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable

from app.llm import weights
from app.llm.cores import physical_cores
from app.llm.embedding_worker import MAX_TOKENS
from app.llm.embeddings import LocalEmbedder
from app.workers.host import Worker
from tests.benchmarks.result import Bench, Result

# Passages of a paper, as the chunker cuts them.
TEXTS = [
    f"{number} The distance to the host galaxy was measured from the light curves of its Cepheids and checked"
    " against the tip of the red giant branch; the scatter about it is a few hundredths of a magnitude. "
    * (3 + number % 5)
    for number in range(16)
]
ROUNDS = 2
CALLS = 200


def embedding_throughput() -> Result:
    """Texts per second through the worker, against ONNX Runtime called in this process, taken in turn."""
    bare = _bare()
    bare(TEXTS[:2])
    ours, theirs = asyncio.run(_embed_in_turn(bare))
    value, baseline = len(TEXTS) / statistics.median(ours), len(TEXTS) / statistics.median(theirs)
    return Result(value=value, unit="texts/s", baseline=baseline, n=len(TEXTS) * ROUNDS)


def worker_round_trip() -> Result:
    """One call to a worker and back, against one trip through the event loop with the same JSON."""
    trip = asyncio.run(_round_trips())
    plain = asyncio.run(_plain_calls())
    return Result(value=trip * 1e6, unit="µs", baseline=plain * 1e6, n=CALLS)


async def _embed_in_turn(bare: Callable[[list[str]], object]) -> tuple[list[float], list[float]]:
    embedder = LocalEmbedder(Worker("embed"))
    await embedder.embed(TEXTS[:2])
    ours, theirs = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await embedder.embed(TEXTS)
        middle = time.perf_counter()
        bare(TEXTS)
        ours.append(middle - start)
        theirs.append(time.perf_counter() - middle)
    await embedder.close()
    return ours, theirs


def _bare() -> Callable[[list[str]], object]:
    """The shortest program that does it: sorted texts, batches of two, the same threads."""
    import numpy as np
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(4, physical_cores())
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(weights.embedding_onnx()), options, providers=["CPUExecutionProvider"]
    )
    words = tokenizers.Tokenizer.from_file(str(weights.embedding_vocab()))
    words.enable_padding()
    words.enable_truncation(MAX_TOKENS)

    def embed(texts: list[str]) -> object:
        ordered = sorted(texts, key=len)
        for start in range(0, len(ordered), 2):
            encoded = words.encode_batch(ordered[start : start + 2])
            ids = np.array([one.ids for one in encoded], np.int64)
            mask = np.array([one.attention_mask for one in encoded], np.int64)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = session.run(None, inputs)[0]
            (hidden * mask[:, :, None]).sum(axis=1)
        return None

    return embed


async def _round_trips() -> float:
    worker = Worker("selftest")
    await worker.call("echo")
    times = []
    for number in range(CALLS):
        start = time.perf_counter()
        await worker.call("echo", {"n": number})
        times.append(time.perf_counter() - start)
    await worker.close()
    return statistics.median(times)


async def _plain_calls() -> float:
    import json

    times = []
    for number in range(CALLS):
        start = time.perf_counter()
        params = json.loads(json.dumps({"n": number}))
        await asyncio.sleep(0)
        json.loads(json.dumps(params))
        times.append(time.perf_counter() - start)
    return statistics.median(times)


BENCHES: dict[str, Bench] = {
    "embedding_throughput": embedding_throughput,
    "worker_round_trip": worker_round_trip,
}
