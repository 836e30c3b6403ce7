"""The `llm` worker: one GGUF model in llama.cpp. The only module that imports llama_cpp."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from app.errors import ModelError
from app.llm.chat import ContextOverflowError
from app.llm.cores import physical_cores
from app.llm.local.fit import fitting_context, free_memory
from app.llm.local.gguf import GgufModel, read_gguf
from app.llm.local.prompt import CHATML, Message, render
from app.llm.local.text import TextStream, defused
from app.workers.protocol import JSON
from app.workers.serve import Context, RequestCancelledError, serve

SEED = 20_260
# llama.cpp answers a decode that the abort callback stopped with this code.
ABORTED = 2


def main() -> None:
    """Serve `chat` (a stream), `count_tokens`, `tokenize` and `info`."""
    # Read when llama.cpp loads OpenMP. Threads that spin while they wait for each other made an answer
    # five to fifteen times slower while an import kept the cores busy (measured; docs/adr/0001).
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    serve({"chat": _chat, "count_tokens": _count_tokens, "tokenize": _tokenize, "info": _info})


def _chat(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    """Emit {"text": …} and, while a long prompt is read, {"read": tokens}; return why and how many."""
    model = _load_for(params)
    return model.chat(
        params["messages"],
        context,
        max_tokens=int(params["max_tokens"]),
        temperature=float(params["temperature"]),
        stop=params.get("stop") or (),
    )


def _count_tokens(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    return len(_load_for(params).tokens(params["text"]))


def _tokenize(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    return _load_for(params).tokens(params["text"])


def _info(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    return {"context_tokens": _load_for(params).context_tokens}


class Model:
    """A loaded model. Keeps what it has read: a conversation that goes on costs only its new part."""

    def __init__(self, llama: Any, file: GgufModel) -> None:
        import llama_cpp
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        self._api = llama_cpp
        self._llama = llama
        self._file = file
        self._vocab = llama_cpp.llama_model_get_vocab(llama.model)
        self._begin = self._word(llama.token_bos())
        # Its own types describe OpenAI's messages, of which ours are the plainest.
        self._template: Any = Jinja2ChatFormatter(
            llama.metadata.get("tokenizer.chat_template") or CHATML,
            eos_token=self._word(llama.token_eos()),
            bos_token=self._begin,
        )
        tokens = range(llama.n_vocab())
        control = (token for token in tokens if llama_cpp.llama_vocab_is_control(self._vocab, token))
        self._control_words = [word for token in control if len(word := self._word(token)) > 1]
        self._running: Context | None = None
        # Kept on the object: llama.cpp holds the bare pointer.
        self._abort = llama_cpp.ggml_abort_callback(self._is_cancelled)
        llama_cpp.llama_set_abort_callback(llama.ctx, self._abort, ctypes.c_void_p())
        self._patch_eval()

    @property
    def context_tokens(self) -> int:
        return int(self._llama.n_ctx())

    def tokens(self, text: str, *, markup: bool = False) -> list[int]:
        """Return the tokens of a text; only with `markup` control words become control tokens."""
        data = text.encode("utf-8", "replace")
        return list(self._llama.tokenize(data, add_bos=False, special=markup)) if data else []

    def chat(
        self,
        messages: Sequence[Message],
        context: Context,
        *,
        max_tokens: int,
        temperature: float,
        stop: Sequence[str],
    ) -> JSON:
        """Stream the continuation; raises ContextOverflowError when the messages leave no room for it."""
        prompt = self._prompt(messages)
        room = self.context_tokens - len(prompt)
        if room < 1:
            raise ContextOverflowError(
                f"The question and its passages are {len(prompt)} tokens;"
                f" {self._file.label} reads {self.context_tokens}."
            )
        text = TextStream(stop)
        written, reason = 0, "length"
        self._running, self._evaluated = context, 0
        try:
            for token in self._generate(prompt, temperature):
                context.check()
                if self._api.llama_vocab_is_eog(self._vocab, token):
                    reason = "stop"
                    break
                written += 1
                self._emit(context, text.feed(self._piece(token)))
                if text.stopped:
                    reason = "stop"
                    break
                if written >= min(max_tokens, room):
                    break
        finally:
            self._running = None
        self._emit(context, text.flush())
        return {
            "reason": reason,
            "prompt_tokens": len(prompt),
            "completion_tokens": written,
            "evaluated_tokens": self._evaluated,
        }

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        safe = [
            {"role": message["role"], "content": defused(message["content"], self._control_words)}
            for message in messages
        ]
        prompt = render(lambda given: str(self._template(messages=given).prompt), safe)
        tokens = self.tokens(prompt, markup=True)
        if self._api.llama_vocab_get_add_bos(self._vocab) and not prompt.startswith(self._begin):
            tokens.insert(0, self._llama.token_bos())
        return tokens

    def _generate(self, prompt: list[int], temperature: float) -> Iterator[int]:
        self._llama.set_seed(SEED)
        try:
            yield from self._llama.generate(
                prompt,
                temp=temperature,
                # Tiny models fall into repeating themselves.
                repeat_penalty=1.1 if self._file.tiny else 1.0,
            )
        except RuntimeError as error:
            if str(error).endswith(f"returned {ABORTED}"):
                raise RequestCancelledError from error
            raise ModelError(f"llama.cpp could not go on: {error}.") from error

    def _patch_eval(self) -> None:
        """Read a long prompt batch by batch: say so, look for a cancel, and count what was not known yet."""
        evaluate: Callable[[list[int]], None] = self._llama.eval
        self._evaluated = 0

        def eval_in_batches(tokens: Sequence[int]) -> None:
            size = self._llama.n_batch
            for start in range(0, len(tokens), size):
                batch = list(tokens[start : start + size])
                evaluate(batch)
                self._evaluated += len(batch)
                if self._running and start + size < len(tokens):
                    self._running.check()
                    self._running.emit({"read": self._evaluated})

        self._llama.eval = eval_in_batches

    def _is_cancelled(self, _: object) -> bool:
        return self._running is not None and self._running.cancelled()

    def _word(self, token: int) -> str:
        if token < 0:
            return ""
        return bytes(self._api.llama_vocab_get_text(self._vocab, token) or b"").decode("utf-8", "replace")

    def _piece(self, token: int) -> bytes:
        return bytes(self._llama.detokenize([token]))

    @staticmethod
    def _emit(context: Context, text: str) -> None:
        if text:
            context.emit({"text": text})


def _load_for(params: dict[str, JSON]) -> Model:
    return _load(params["model"], int(params["context_tokens"]), int(params.get("threads") or 0))


@functools.lru_cache(maxsize=1)
def _load(path: str, wanted_context: int, threads: int) -> Model:
    file = read_gguf(Path(path))
    context_tokens = fitting_context(file, wanted_context, free_memory())
    import llama_cpp

    count = threads or physical_cores()
    try:
        llama = llama_cpp.Llama(
            path, n_ctx=context_tokens, n_threads=count, n_threads_batch=count, verbose=False
        )
    except (ValueError, RuntimeError) as error:
        raise ModelError(
            f"{file.path.name} could not be loaded: {error}.",
            hint="The file may be incomplete, or of a kind newer than the llama.cpp in this application.",
        ) from error
    return Model(llama, file)
