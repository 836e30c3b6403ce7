"""A GGUF model in llama.cpp: its memory of several sequences, and decoding into them. Runs in the worker.

llama.cpp's own functions are called, not the `Llama` class of the Python binding: that one knows a single
sequence, and starts over at the first token that differs.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.errors import ModelError
from app.llm.local.abort import AbortFlag
from app.llm.local.fit import Fit
from app.llm.local.vocabulary import Vocabulary

# What llama_decode answers.
DECODED, NO_ROOM, ABORTED = 0, 1, 2
SEQUENCES = 4
NO_MEMORY = "model_memory"
"""The code of the error when the weights were loaded and the context was not."""


class OutOfCellsError(Exception):
    """The memory holds no more tokens; a sequence must leave."""


class AbortedError(Exception):
    """The decode was stopped; what was read so far is kept."""


class Engine:
    """One model and one context with `SEQUENCES` sequences that share its cells. For one thread."""

    def __init__(
        self, path: Path, fit: Fit, threads: tuple[int, int], progress: Callable[[float], bool]
    ) -> None:
        """Load a model; `threads` are those for writing and for reading, `progress` False ends the loading.

        Raises ModelError when llama.cpp does not take the file or has no memory for it.
        """
        import llama_cpp

        self._api = llama_cpp
        self.abort = AbortFlag()
        self.fit = fit
        _silence()
        llama_cpp.llama_backend_init()
        self.model = self._load(path, fit, progress)
        if why := self._cannot_chat():
            llama_cpp.llama_model_free(self.model)
            raise ModelError(
                f"{path.name} {why}.", hint="Choose another model to chat with.", code="model_kind"
            )
        self.vocabulary = Vocabulary(self.model)
        self.context = self._open(fit, threads)
        if self.context is None:
            llama_cpp.llama_model_free(self.model)
            raise ModelError(
                f"llama.cpp has no memory for a context of {fit.context} tokens.",
                hint="Close other programs, or set a smaller llm.context_tokens.",
                code=NO_MEMORY,
            )
        self._memory = llama_cpp.llama_get_memory(self.context)
        self.batch_size: int = llama_cpp.llama_n_batch(self.context)
        self._batch = llama_cpp.llama_batch_init(self.batch_size, 0, 1)
        self.abort.attach(self.context)

    @property
    def cells(self) -> int:
        """How many tokens all sequences hold together."""
        return int(self._api.llama_n_ctx(self.context))

    @property
    def metadata(self) -> dict[str, str]:
        """Return the chat template and the like."""
        wanted = ("tokenizer.chat_template", "general.architecture", "general.name")
        return {key: value for key in wanted if (value := self._meta(key))}

    def set_threads(self, writing: int, reading: int) -> None:
        self._api.llama_set_n_threads(self.context, writing, reading)

    def decode(self, sequence: int, ids: Sequence[int], start: int) -> None:
        """Read tokens, at most `batch_size`, into a sequence at position `start`.

        Raises OutOfCellsError (nothing was read), AbortedError (perhaps something was: `length` says).
        """
        batch = self._batch
        batch.n_tokens = len(ids)
        for place, token in enumerate(ids):
            batch.token[place] = token
            batch.pos[place] = start + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = sequence
            batch.logits[place] = 0
        batch.logits[len(ids) - 1] = 1
        code = self._api.llama_decode(self.context, batch)
        if code == DECODED:
            return
        if code == NO_ROOM:
            raise OutOfCellsError
        if code == ABORTED:
            raise AbortedError
        raise ModelError(f"llama.cpp could not go on (code {code}).", code="model_decode")

    def length(self, sequence: int) -> int:
        """Return how many tokens a sequence holds."""
        return int(self._api.llama_memory_seq_pos_max(self._memory, sequence)) + 1

    def cut(self, sequence: int, length: int) -> int:
        """Shorten a sequence; return its length: 0 where the model's memory cannot be cut in the middle."""
        if length > 0 and self._api.llama_memory_seq_rm(self._memory, sequence, length, -1):
            return length
        self._api.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return 0

    def share(self, source: int, target: int, length: int) -> int:
        """Let an emptied sequence begin with the head of another; return the length: 0 where impossible."""
        self.cut(target, 0)
        recurrent = self._api.llama_model_is_recurrent(self.model)
        if recurrent or self._api.llama_model_is_hybrid(self.model):
            return 0
        self._api.llama_memory_seq_cp(self._memory, source, target, 0, length)
        return length if self.length(target) == length else self.cut(target, 0)

    def state(self, sequence: int) -> bytes:
        """Return the keys and values of a sequence."""
        size = self._api.llama_state_seq_get_size(self.context, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = self._api.llama_state_seq_get_data(self.context, buffer, size, sequence)
        return bytes(memoryview(buffer)[:written])

    def state_size(self, sequence: int) -> int:
        return int(self._api.llama_state_seq_get_size(self.context, sequence))

    def restore(self, sequence: int, state: bytes, length: int) -> bool:
        """Fill an emptied sequence with what `state` gave; False (and it is empty) when that fails."""
        self.cut(sequence, 0)
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        taken = self._api.llama_state_seq_set_data(self.context, buffer, len(state), sequence)
        if taken > 0 and self.length(sequence) == length:
            return True
        self.cut(sequence, 0)
        return False

    def close(self) -> None:
        """Free the memory; the engine is of no use afterwards."""
        self._api.llama_batch_free(self._batch)
        self._api.llama_free(self.context)
        self._api.llama_model_free(self.model)

    def _load(self, path: Path, fit: Fit, progress: Callable[[float], bool]) -> Any:
        params = self._api.llama_model_default_params()
        params.n_gpu_layers = fit.gpu_layers
        # Kept on the object: llama.cpp holds the bare pointer.
        self._progress = self._api.llama_progress_callback(lambda share, _: progress(share))
        params.progress_callback = self._progress
        model = self._api.llama_model_load_from_file(os.fsencode(path), params)
        if not model:
            raise ModelError(
                f"{path.name} could not be loaded.",
                hint="The file may be incomplete, or of a kind newer than the llama.cpp in this application.",
                code="model_load",
            )
        return model

    def _cannot_chat(self) -> str:
        """Return why llama.cpp would end the process over a chat with this model, or ""."""
        api = self._api
        if api.llama_vocab_type(api.llama_model_get_vocab(self.model)) == api.LLAMA_VOCAB_TYPE_NONE:
            return "has no vocabulary"
        if api.llama_model_has_encoder(self.model) or not api.llama_model_has_decoder(self.model):
            return "translates whole texts; it cannot chat"
        return "is a diffusion model, which cannot chat" if api.llama_model_is_diffusion(self.model) else ""

    def _open(self, fit: Fit, threads: tuple[int, int]) -> Any:
        params = self._api.llama_context_default_params()
        params.n_ctx = fit.cells
        params.n_batch = params.n_ubatch = min(fit.batch, fit.cells)
        params.n_seq_max = SEQUENCES
        params.kv_unified = True
        params.no_perf = True
        params.n_threads, params.n_threads_batch = threads
        if fit.kv_type == "q8_0":
            params.type_k = params.type_v = self._api.GGML_TYPE_Q8_0
            params.flash_attn_type = self._api.LLAMA_FLASH_ATTN_TYPE_ENABLED
        return self._api.llama_init_from_model(self.model, params)

    def _meta(self, key: str) -> str:
        name = key.encode()
        size = self._api.llama_model_meta_val_str(self.model, name, None, 0)
        if size < 0:
            return ""
        buffer = ctypes.create_string_buffer(size + 1)
        self._api.llama_model_meta_val_str(self.model, name, buffer, size + 1)
        return buffer.value.decode("utf-8", "replace")


def _silence() -> None:
    """Let llama.cpp say only what went wrong: its errors reach the log as the worker's last words."""
    from llama_cpp import _logger

    _logger.set_verbose(False)
