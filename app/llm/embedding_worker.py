"""The `embed` worker: all-MiniLM-L6-v2 on ONNX Runtime; GGUF models it leaves to `embedding_gguf`."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.errors import ModelError
from app.llm.cores import physical_cores
from app.llm.embedding_batches import BatchSize, padded
from app.workers.protocol import JSON, Reply
from app.workers.serve import Context, serve

# The rest is not read. On CosmoPaperQA 192 find as much as 256 in a quarter less time, 128 find less.
MAX_TOKENS = 192
# Padded tokens in one run, the usual number first; what is fastest here is measured (`BatchSize`). Where it
# was measured, larger batches of passages were slower: they leave the cache.
SIZES = (512, 256, 1024)

Vectors = npt.NDArray[np.float32]


def main() -> None:
    """Serve `embed` and `embed_gguf`: texts in, one blob of int8 vectors out."""
    # Read when llama.cpp loads OpenMP: threads that wait for each other sleep.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    serve({"embed": _embed, "embed_gguf": _embed_gguf})


def _embed(params: dict[str, JSON], blobs: list[bytes], context: Context) -> Reply:
    model = _load(params["model"], params["tokenizer"], int(params.get("threads") or 0))
    vectors = model.embed(params["texts"], context)
    return Reply({"count": len(vectors)}, [quantise(vectors).tobytes()])


def _embed_gguf(params: dict[str, JSON], blobs: list[bytes], context: Context) -> Reply:
    from app.llm.embedding_gguf import embed  # llama.cpp is loaded by who needs it

    return embed(params, blobs, context)


def quantise(vectors: Vectors) -> npt.NDArray[np.int8]:
    """Return unit vectors as signed bytes: 127 is 1."""
    return np.clip(np.rint(vectors * 127), -127, 127).astype(np.int8)


class Model:
    """The network and its tokenizer."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._sizes = BatchSize(SIZES)

    def embed(self, texts: Sequence[str], context: Context | None = None) -> Vectors:
        """Return unit vectors, float32[len(texts), 384]; stops between batches when cancelled."""
        # Lone surrogates, as broken PDF fonts give, are no text to the tokenizer.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(clean)]
        vectors = np.empty((len(texts), 384), np.float32)
        left = list(range(len(texts)))
        while left:
            if context:
                context.check()
            size = self._sizes.next()
            batch = [left[place] for place in next(padded([len(tokens[index]) for index in left], size))]
            start = time.perf_counter()
            vectors[batch] = self._run([tokens[index] for index in batch])
            self._sizes.took(size, sum(len(tokens[i]) for i in batch), time.perf_counter() - start)
            done = set(batch)
            left = [index for index in left if index not in done]
        return vectors

    def _run(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        width = max(map(len, tokens))
        ids = np.zeros((len(tokens), width), np.int64)
        mask = np.zeros_like(ids)
        for row, found in enumerate(tokens):
            ids[row, : len(found)] = found
            mask[row, : len(found)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, inputs)[0]
        total = np.einsum("bsd,bs->bd", hidden, mask.astype(np.float32))
        # The mean over the real tokens; its length goes when the vector is scaled to 1.
        unit: Vectors = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-12)
        return unit


@functools.lru_cache(maxsize=1)
def _load(model: str, tokenizer: str, threads: int) -> Model:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or min(4, physical_cores())
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads sleep: a spinning one takes a core from the window.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        words = tokenizers.Tokenizer.from_file(tokenizer)
    except Exception as error:  # the binding raises bare Exception
        raise ModelError(f"{tokenizer} is not a tokenizer: {error}", hint=_HINT) from error
    words.no_padding()
    words.enable_truncation(MAX_TOKENS)
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common base
        raise ModelError(f"{model} is not an embedding model: {error}", hint=_HINT) from error
    return Model(session, words)


_HINT = "Install the embedding model again with `python3 packaging/dev.py run`."
