"""Wraps a chat model or a tool so that it misbehaves by a seed: cut differently, late, failing."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
import random
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolOutput
from app.errors import AppError, ModelError
from app.llm.chat import (
    AS_USUAL,
    CallDelta,
    ChatDelta,
    ChatEnd,
    ChatItem,
    ChatMessage,
    ChatModel,
    ChatOptions,
    ModelInfo,
    ThinkingChunk,
    ToolSpec,
)


@dataclass(frozen=True, slots=True)
class Chaos:
    """How bad it is: shares from 0 to 1, and the longest delay in seconds.

    `failures` raise ModelError before an item, `cuts` end the stream there without a ChatEnd; for tools
    `failures` raise AppError and `faults` an error that no tool should raise.
    """

    seed: int
    rechunks: bool = True
    delay_s: float = 0.0
    failures: float = 0.0
    cuts: float = 0.0
    faults: float = 0.0


@dataclass
class ChaosChat:
    """Streams what `model` streams, cut anew at random places, late, and broken off at times."""

    model: ChatModel
    chaos: Chaos
    broken: int = 0
    _chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.chaos.seed)

    @property
    def info(self) -> ModelInfo:
        return self.model.info

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
        inner = self.model.stream(
            messages, max_tokens=max_tokens, temperature=temperature, stop=stop, tools=tools
        )
        async with contextlib.aclosing(inner) as items:
            async for item in items:
                for piece in self._pieces(item):
                    await self._delay()
                    if self._chance.random() < self.chaos.failures:
                        self.broken += 1
                        raise ModelError("Chaos broke the connection.", code="chaos")
                    if self._chance.random() < self.chaos.cuts:
                        self.broken += 1
                        return
                    yield piece

    async def count_tokens(self, text: str) -> int:
        return await self.model.count_tokens(text)

    async def close(self) -> None:
        await self.model.close()

    def _pieces(self, item: ChatItem) -> list[ChatItem]:
        if not self.chaos.rechunks or isinstance(item, ChatEnd):
            return [item]
        match item:
            case ChatDelta(text) | ThinkingChunk(text) if text:
                return [type(item)(piece) for piece in self._cut(text)]
            case CallDelta(index=index, arguments=arguments) if arguments and (
                index is not None or item.name
            ):
                first, *rest = self._cut(arguments)
                head = dataclasses.replace(item, arguments=first)
                return [head, *(CallDelta(index, arguments=piece) for piece in rest)]
            case _:
                return [item]

    def _cut(self, text: str) -> list[str]:
        places = sorted(self._chance.sample(range(len(text) + 1), min(len(text), self._chance.randint(0, 3))))
        edges = [0, *places, len(text)]
        return [text[a:b] for a, b in itertools.pairwise(edges)]

    async def _delay(self) -> None:
        await asyncio.sleep(self._chance.random() * self.chaos.delay_s)


def chaotic(tool: AgentTool, chaos: Chaos) -> AgentTool:
    """Return a tool that is `tool` in every respect but late and failing by the seed."""
    chance = random.Random(f"{chaos.seed} {tool.name}")

    class Chaotic(type(tool)):  # type: ignore[misc]  # the class is known at run time alone
        async def execute_with_progress(self, args: Any, ctx: ToolContext, report: Report) -> ToolOutput:
            await asyncio.sleep(chance.random() * chaos.delay_s)
            if chance.random() < chaos.failures:
                raise AppError("Chaos struck the tool.", code="chaos", hint="Try again.")
            if chance.random() < chaos.faults:
                raise ZeroDivisionError("chaos")
            output: ToolOutput = await super().execute_with_progress(args, ctx, report)
            await asyncio.sleep(chance.random() * chaos.delay_s)
            return output

    wrapped = Chaotic.__new__(Chaotic)
    wrapped.__dict__.update(vars(tool))
    return wrapped
