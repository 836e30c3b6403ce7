"""Pieces of text, thinking and progress, joined so that a screen is not flooded (law 5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.events import Event, ModelProgress, Nested, TextDelta, ThinkingDelta, ToolProgress

PER_SECOND = 30
_PIECE_TYPES = {TextDelta.type, ThinkingDelta.type, ToolProgress.type, ModelProgress.type}


def is_piece(event: Event) -> bool:
    """Whether an event is shown but not kept; also one that happened inside a sub-agent."""
    if isinstance(event, Nested):
        inner = event.event
        while inner.get("type") == Nested.type:
            inner = inner.get("event", {})
        return inner.get("type") in _PIECE_TYPES
    return event.type in _PIECE_TYPES


class Pieces:
    """Shows pieces at most 30 times a second: texts joined, of the progress of a call the newest."""

    def __init__(self, show: Callable[[Event], None]) -> None:
        self._show = show
        self._held: list[Event] = []
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")

    def add(self, event: Event) -> None:
        """Show the piece now or soon."""
        self._held = joined(self._held, event)
        loop = asyncio.get_running_loop()
        wait = self._last + 1 / PER_SECOND - loop.time()
        if wait <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = loop.call_later(wait, self.flush)

    def flush(self) -> None:
        """Show what is held."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._held:
            return
        held, self._held = self._held, []
        self._last = asyncio.get_running_loop().time()
        for event in held:
            self._show(event)


def joined(pieces: list[Event], new: Event) -> list[Event]:
    """Return the pieces with one more, joined to its like where that changes no order of words. Pure."""
    if isinstance(new, ToolProgress):
        return [*(e for e in pieces if not (isinstance(e, ToolProgress) and e.id == new.id)), new]
    if isinstance(new, ModelProgress):
        return [*(e for e in pieces if not isinstance(e, ModelProgress)), new]
    words = [i for i, event in enumerate(pieces) if isinstance(event, TextDelta | ThinkingDelta)]
    if words and isinstance(new, TextDelta | ThinkingDelta):
        last = pieces[words[-1]]
        if isinstance(last, TextDelta | ThinkingDelta) and type(last) is type(new):
            return [*pieces[: words[-1]], type(last)(last.text + new.text), *pieces[words[-1] + 1 :]]
    return [*pieces, new]
