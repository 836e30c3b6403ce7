"""One streamed reply of a remote model: what has come of it, and how long the next piece may take."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from app.llm.chat import CallDelta, ChatEnd, ChatItem
from app.llm.remote import failures
from app.llm.remote.chunks import Chunk, Usage
from app.llm.remote.failures import ModelRefusedError

USAGE_GRACE_S = 5.0
"""How long the count of tokens is waited for when the reply itself is whole."""
_ENDS: dict[str, Literal["stop", "length", "tool_calls"]] = {
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds; None waits as long as it takes.

    A model on this machine or in this network may read a long prompt for minutes without a sign:
    `first_token` does not hold there (bug 10).
    """

    connect: float | None = 15.0
    first_token: float | None = 300.0
    between_tokens: float | None = 90.0
    total: float | None = None


@dataclass(slots=True)
class Reply:
    """What has come of one reply."""

    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    thinking_field: str = ""
    called: bool = False

    def take(self, chunk: Chunk) -> list[ChatItem]:
        """Return the items of a chunk; raises what it carries of failure."""
        if chunk.error:
            raise failures.of_stream(*chunk.error)
        if chunk.finish == "content_filter":
            raise ModelRefusedError("The model service withheld the reply.")
        self.finish = chunk.finish or self.finish
        self.usage = chunk.usage or self.usage
        self.thinking_field = chunk.thinking_field or self.thinking_field
        self.called = self.called or any(isinstance(item, CallDelta) for item in chunk.items)
        return chunk.items

    def end(self) -> ChatEnd | None:
        """Return the end; None when no reason came: then the reply was cut, whatever it looks like."""
        if not self.finish:
            return None
        reason = _ENDS.get(self.finish, "tool_calls" if self.called else "stop")
        return ChatEnd(reason, self.usage.prompt, self.usage.completion, self.usage.cached)


@dataclass(slots=True)
class Waits:
    """How long the next wait may take."""

    limits: Timeouts
    deadline: float | None
    begun: bool = False
    ended: bool = False
    timer: asyncio.Timeout | None = None
    """That of the wait that goes on now."""
    _first_until: float | None = None
    _since: float = 0.0

    def alive(self) -> None:
        """Take note of bytes without a piece of the reply in them: the service works on it.

        Within a reply that prolongs the wait between pieces, up to what the first one may take.
        """
        between, first = self.limits.between_tokens, self.limits.first_token
        if self.timer is None or self.timer.expired() or not self.begun or self.ended or between is None:
            return
        until = asyncio.get_running_loop().time() + between
        last = None if first is None else self._since + max(first, between)
        self.timer.reschedule(min(at for at in (until, last, self.deadline) if at is not None))

    def until(self) -> float | None:
        """Return the time of the loop at which waiting ends; None for never."""
        now = self._since = asyncio.get_running_loop().time()
        seconds = USAGE_GRACE_S if self.ended else self.limits.between_tokens
        until = None if seconds is None else now + seconds
        if not (self.begun or self.ended):
            if self._first_until is None and self.limits.first_token is not None:
                self._first_until = now + self.limits.first_token
            until = self._first_until
        return min((at for at in (until, self.deadline) if at is not None), default=None)
