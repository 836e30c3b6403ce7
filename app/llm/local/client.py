"""The local chat model as the application sees it; the model itself is in the `llm` worker."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from app.errors import ModelError
from app.llm import weights
from app.llm.chat import AS_USUAL, ChatDelta, ChatEnd, ChatItem, ChatMessage, ChatOptions, ModelInfo, ToolSpec
from app.llm.local.gguf import read_gguf
from app.workers.host import Worker
from app.workers.protocol import JSON
from app.workers.request import Priority

DEFAULT_CONTEXT = 8192
# The longest silence while a model is loaded or reads one batch of a prompt; a slow disk and a large
# model need minutes.
SILENCE_S = 600.0


class LocalChatModel:
    """A GGUF model: the default one, or `model_path`. Nothing is loaded before the first question."""

    def __init__(
        self, worker: Worker, model_path: Path | None = None, context_tokens: int = DEFAULT_CONTEXT
    ) -> None:
        self._worker = worker
        self._path = model_path or weights.chat_gguf()
        self._context_tokens = context_tokens

    @cached_property
    def info(self) -> ModelInfo:
        """What the file says of itself; raises ModelError when there is none or it is no GGUF."""
        file = read_gguf(weights.checked_gguf(self._path))
        context = min(self._context_tokens, file.context_tokens)
        return ModelInfo(file.path.name, file.label, file.tiny, context, "local")

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float = 0.2,
        stop: Sequence[str] = (),
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = AS_USUAL,
    ) -> AsyncGenerator[ChatItem, None]:
        """Yield deltas, then a ChatEnd; see `ChatModel.stream`."""
        params = {
            **self._model(),
            "messages": [asdict(message) for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stop": list(stop),
        }
        parts = self._worker.stream("chat", params, timeout=SILENCE_S, priority=Priority.USER)
        try:
            async for part in parts:
                match part:
                    case {"text": str(text)}:
                        yield ChatDelta(text)
                    case {
                        "reason": "stop" | "length" as reason,
                        "prompt_tokens": int(read),
                        "completion_tokens": int(written),
                    }:
                        yield ChatEnd(reason, read, written)
        finally:
            await parts.aclose()

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens the text is; waits while an answer is being written."""
        reply = await self._worker.call("count_tokens", {**self._model(), "text": text}, timeout=SILENCE_S)
        if not isinstance(reply.value, int):
            raise ModelError("The model counted no tokens.")
        return reply.value

    async def close(self) -> None:
        """Close the worker."""
        await self._worker.close()

    def _model(self) -> dict[str, JSON]:
        path = weights.checked_gguf(self._path)
        return {"model": str(path.resolve()), "context_tokens": self._context_tokens}
