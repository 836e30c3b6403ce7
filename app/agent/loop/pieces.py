"""Pieces of text, thinking and progress, joined so that a screen is not flooded (law 5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.events import Event, Nested, TextDelta, ThinkingDelta, ToolProgress

PER_SECOND = 30
_PIECE_TYPES = {TextDelta.type, ThinkingDelta.type, ToolProgress.type}


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
        self._held = joined([*self._held, event]) if self._held else [event]
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


def joined(pieces: list[Event]) -> list[Event]:
    """Return the pieces with the last joined to its like before it. Pure."""
    *before, last = pieces
    if not before:
        return pieces
    match before[-1], last:
        case TextDelta(text=one), TextDelta(text=two):
            return [*before[:-1], TextDelta(one + two)]
        case ThinkingDelta(text=one), ThinkingDelta(text=two):
            return [*before[:-1], ThinkingDelta(one + two)]
        case _, ToolProgress(id=call):
            return [*(e for e in before if not (isinstance(e, ToolProgress) and e.id == call)), last]
        case _:
            return pieces
