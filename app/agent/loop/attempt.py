"""One try at one reply of the model. A try that broke before a call is thrown away whole (bug 9)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.agent.tools.context import Emit
from app.events import Message, ModelProgress, TextDelta, ThinkingDelta
from app.llm.assemble import CutCall, StreamAssembler
from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatEnd, ChatItem, ChatProgress, ThinkingChunk

if TYPE_CHECKING:
    from app.agent.execution import Round

MOST_CALLS = 128
"""Calls of one reply; what comes after them is not read."""
MOST_THINKING = 400_000
_CHARS_A_TOKEN = 10


def most_chars(max_tokens: int) -> int:
    """Return how many characters a reply of so many tokens may have, at the very most."""
    return max_tokens * _CHARS_A_TOKEN + 1000


@dataclass(slots=True)
class Attempt:
    """Collects what streams, shows it, and gives every call to the round as soon as it is complete.

    Without a `round_` calls are left out: the model was asked for words alone. A service that goes on beyond
    `most` characters, as if it had not heard of the limit, is read no further: what it writes would fill the
    memory, the journal and every later request.
    """

    emit: Emit
    round_: Round | None
    most: int
    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[CallPart] = field(default_factory=list)
    cut: tuple[CutCall, ...] = ()
    end: ChatEnd | None = None
    writing_s: float = 0.0
    _assembler: StreamAssembler = field(default_factory=StreamAssembler)
    _first: float = 0.0
    _chars: int = 0
    _thought: int = 0

    @property
    def whole(self) -> bool:
        """Whether the model ended its reply itself."""
        return self.end is not None and self.end.reason != "length"

    @property
    def empty(self) -> bool:
        """Whether it holds neither words nor calls."""
        return not self.calls and not "".join(self.text).strip()

    async def take(self, stream: AsyncGenerator[ChatItem, None]) -> None:
        """Read the stream to its end, or to its break: `end` is None then. Raises what it raises."""
        async with aclosing(stream) as items:
            async for item in items:
                await self._take(item)
                if self._endless:
                    self.end = ChatEnd("length", 0, 0)
                    break
        self.finish()

    def finish(self) -> None:
        """Settle which calls are complete, after a break as well."""
        finished = self._assembler.finish(self.end.reason if self.end else None)
        self.cut = finished.cut
        if self.end is not None:
            self._submit(finished.new)
        if self._first:
            self.writing_s = time.monotonic() - self._first

    def message(self, step: int, model: str, read_to: int) -> Message:
        """Return the reply as the journal keeps it."""
        calls = tuple({"id": c.id, "name": c.name, "arguments": c.arguments} for c in self.calls)
        return Message(
            "".join(self.text), step, "".join(self.thinking), calls, model, not self.whole, read_to
        )

    async def _take(self, item: ChatItem) -> None:
        match item:
            case ChatDelta(text):
                self._first = self._first or time.monotonic()
                self._chars += len(text)
                self.text.append(text)
                await self.emit(TextDelta(text))
            case ThinkingChunk(text):
                self._first = self._first or time.monotonic()
                self._thought += len(text)
                self.thinking.append(text)
                await self.emit(ThinkingDelta(text))
            case CallDelta():
                self._chars += len(item.name) + len(item.arguments) + 1
                self._submit(self._assembler.feed(item))
            case ChatProgress():
                await self.emit(ModelProgress(item.share, item.message, item.wait_s))
            case ChatEnd():
                self.end = item

    @property
    def _endless(self) -> bool:
        too_long = self._chars > self.most or self._thought > MOST_THINKING
        return self.end is None and (too_long or len(self.calls) >= MOST_CALLS)

    def _submit(self, parts: tuple[CallPart, ...] | list[CallPart]) -> None:
        if self.round_ is None:
            return
        for part in parts:
            self.calls.append(part)
            self.round_.submit(part)
