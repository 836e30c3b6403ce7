"""A chat model that says what a test tells it to: text in pieces, delays, errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.errors import AppError
from app.llm.chat import AS_USUAL, ChatDelta, ChatEnd, ChatItem, ChatMessage, ChatOptions, ModelInfo, ToolSpec


@dataclass
class ScriptedModel:
    """Plays `script`: a string is a piece of text, a number a pause in seconds, an error is raised."""

    script: Sequence[str | float | AppError]
    tiny: bool = False
    context_tokens: int = 8192
    asked: list[list[ChatMessage]] = field(default_factory=list)
    closed_early: bool = False
    reason: Literal["stop", "length"] = "stop"

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(
            name="scripted",
            label="Scripted",
            tiny=self.tiny,
            context_tokens=self.context_tokens,
            provider="test",
        )

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
        self.asked.append(list(messages))
        try:
            for piece in self.script:
                match piece:
                    case str():
                        yield ChatDelta(piece)
                    case AppError():
                        raise piece
                    case _:
                        await asyncio.sleep(piece)
        except (asyncio.CancelledError, GeneratorExit):
            self.closed_early = True
            raise
        yield ChatEnd(reason=self.reason, prompt_tokens=10, completion_tokens=len(self.script))

    async def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def close(self) -> None:
        return None
