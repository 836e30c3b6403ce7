"""A GGUF embedding model in llama.cpp. Runs in the `embed` worker.

llama.cpp's own functions are called: several texts go through in one run, each as a sequence of its own,
and a run can be stopped.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from app.errors import ModelError
from app.llm.cores import physical_cores
from app.llm.embedding_batches import BatchSize, padded
from app.llm.embedding_vectors import signed_bytes
from app.llm.local.abort import AbortFlag
from app.llm.local.fit import fitted, free_memory
from app.llm.local.gguf import read_gguf
from app.llm.local.gpu import free_gpu_memory
from app.workers.protocol import JSON, Reply
from app.workers.serve import RequestCancelledError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.workers.serve import Context

# The rest of a text is not read. No passage is longer, and attention grows with the square.
MAX_TOKENS = 512
# Tokens in one run, the usual number first; what is fastest here is measured (`BatchSize`).
SIZES = (512, 256, 1024, 2048)
SEQUENCES = 64

_DONE, _ABORTED = 0, 2


def embed(params: dict[str, JSON], blobs: list[bytes], context: Context) -> Reply:
    """Handle `embed_gguf`: texts in, one blob of signed bytes out, all vectors after each other."""
    model = _load(params["model"], int(params.get("threads") or 0))
    vectors = signed_bytes(model.embed(params["texts"], context))
    return Reply({"count": len(vectors), "dim": len(vectors[0])}, [b"".join(vectors)])


class GgufEmbedding:
    """A loaded model. For one thread."""

    def __init__(self, path: Path, threads: int) -> None:
        """Load it; raises ModelError: no embedding model, damaged, or there is no memory for it."""
        import llama_cpp
        from llama_cpp import _logger

        file = read_gguf(path)
        if not file.embeds:
            raise _wrong_kind(f"{file.label} writes texts; it makes no vectors of them.")
        fit = fitted(file, MAX_TOKENS, free_memory(), free_gpu_memory())
        self._api = llama_cpp
        _logger.set_verbose(False)
        llama_cpp.llama_backend_init()
        self._label = file.label
        self._most = min(MAX_TOKENS, file.context_tokens or MAX_TOKENS)
        self._sizes = BatchSize(SIZES)
        self._model = self._loaded(path, fit.gpu_layers)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._context = self._opened(threads or min(4, physical_cores()))
        self._dim = int(llama_cpp.llama_model_n_embd_out(self._model))
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(max(SIZES), 0, 1)
        self._abort = AbortFlag()
        self._abort.attach(self._context)

    def embed(self, texts: Sequence[str], context: Context | None = None) -> npt.NDArray[np.float32]:
        """Return float32[len(texts), dim], not scaled; stops in the midst of a run when cancelled."""
        tokens = [self._tokens(text) for text in texts]
        vectors = np.empty((len(texts), self._dim), np.float32)
        left = list(range(len(texts)))
        with self._stopped_by(context):
            while left:
                size = self._sizes.next()
                run = next(padded([len(tokens[index]) for index in left], size, SEQUENCES))
                chosen = [left[place] for place in run]
                start = time.perf_counter()
                self._run([tokens[index] for index in chosen], vectors, chosen, context)
                amount = sum(len(tokens[index]) for index in chosen)
                self._sizes.took(size, amount, time.perf_counter() - start)
                gone = set(chosen)
                left = [index for index in left if index not in gone]
        return vectors

    def close(self) -> None:
        """Free the memory."""
        self._api.llama_batch_free(self._batch)
        self._api.llama_free(self._context)
        self._api.llama_model_free(self._model)

    def _run(
        self,
        tokens: Sequence[Sequence[int]],
        vectors: npt.NDArray[np.float32],
        places: Sequence[int],
        context: Context | None,
    ) -> None:
        """Let some texts through together and write their vectors into `vectors` at `places`."""
        if context:
            context.check()
        batch, at = self._batch, 0
        for sequence, ids in enumerate(tokens):
            for position, token in enumerate(ids):
                batch.token[at] = token
                batch.pos[at] = position
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = sequence
                batch.logits[at] = 1
                at += 1
        batch.n_tokens = at
        if self._memory:
            self._api.llama_memory_clear(self._memory, True)
        code = self._api.llama_decode(self._context, batch)
        if code == _ABORTED:
            raise RequestCancelledError
        if code != _DONE:
            raise ModelError(f"{self._label} could not embed a text (code {code}).", code="model_decode")
        for sequence, place in enumerate(places):
            numbers = self._api.llama_get_embeddings_seq(self._context, sequence)
            if not numbers:
                raise ModelError(f"{self._label} gave no vector for a text.", code="model_decode")
            vectors[place] = np.ctypeslib.as_array(numbers, (self._dim,))

    def _tokens(self, text: str) -> list[int]:
        """Return the tokens of a text with the marks of the model around it, cut where it is too long."""
        data = text.encode("utf-8", "replace") or b" "
        room = len(data) + 8
        ids = (self._api.llama_token * room)()
        count = self._api.llama_tokenize(self._vocab, data, len(data), ids, room, True, False)
        if count < 0:
            ids = (self._api.llama_token * -count)()
            count = self._api.llama_tokenize(self._vocab, data, len(data), ids, -count, True, False)
        found = list(ids[:count]) or [max(self._api.llama_vocab_bos(self._vocab), 0)]
        if len(found) <= self._most:
            return found
        # the mark at the end is what some models pool by
        marked = self._api.llama_vocab_get_add_eos(self._vocab) or self._api.llama_vocab_get_add_sep(
            self._vocab
        )
        return [*found[: self._most - 1], found[-1]] if marked else found[: self._most]

    @contextmanager
    def _stopped_by(self, context: Context | None) -> Iterator[None]:
        self._abort.clear()
        if context is None:
            yield
            return
        context.on_cancel(self._abort.set)
        try:
            yield
        finally:
            context.on_cancel(None)
            self._abort.clear()

    def _loaded(self, path: Path, gpu_layers: int) -> Any:
        params = self._api.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        model = self._api.llama_model_load_from_file(os.fsencode(path), params)
        if not model:
            raise ModelError(
                f"{path.name} could not be loaded.",
                hint="The file may be incomplete, or of a kind newer than the llama.cpp in this application.",
                code="model_load",
            )
        return model

    def _opened(self, threads: int) -> Any:
        """Make the context; the pooling is that of the model, or the mean where it names none."""
        api = self._api
        context = self._context_with(threads, api.LLAMA_POOLING_TYPE_UNSPECIFIED)
        pooling = api.llama_pooling_type(context) if context else api.LLAMA_POOLING_TYPE_MEAN
        if context and pooling == api.LLAMA_POOLING_TYPE_NONE:
            api.llama_free(context)
            context = self._context_with(threads, api.LLAMA_POOLING_TYPE_MEAN)
        if not context:
            api.llama_model_free(self._model)
            raise ModelError(
                f"llama.cpp has no memory for {self._label}.",
                hint="Close other programs, or choose a smaller embedding model.",
                code="model_memory",
            )
        if pooling == api.LLAMA_POOLING_TYPE_RANK:
            api.llama_free(context)
            api.llama_model_free(self._model)
            raise _wrong_kind(f"{self._label} ranks passages; it makes no vectors of them.")
        return context

    def _context_with(self, threads: int, pooling: int) -> Any:
        params = self._api.llama_context_default_params()
        # all texts of a run at once: an encoder sees whole texts or nothing
        params.n_ctx = params.n_batch = params.n_ubatch = max(SIZES)
        params.n_seq_max = SEQUENCES
        params.kv_unified = True
        params.embeddings = True
        params.pooling_type = pooling
        params.no_perf = True
        params.n_threads = params.n_threads_batch = threads
        return self._api.llama_init_from_model(self._model, params)


def _wrong_kind(message: str) -> ModelError:
    return ModelError(message, hint="Choose an embedding model in the settings.", code="model_kind")


@functools.lru_cache(maxsize=1)
def _load(model: str, threads: int) -> GgufEmbedding:
    return GgufEmbedding(Path(model), threads)
