"""One conversation in the window: its timeline, and the turn that runs in it, looked at or not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.records.ids import SessionId
from app.ui.chat.items import Asked
from app.ui.chat.timeline import Timeline


@dataclass(slots=True, eq=False)
class Turn:
    """A turn that runs."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Its first event is here: from now on it can be steered."""
    task: asyncio.Task[Any] | None = None

    @property
    def stopping(self) -> bool:
        """Whether it was asked to end."""
        return self.stop.is_set()


@dataclass(slots=True, eq=False)
class Talk:
    """A conversation; `session` is None until its first question is asked.

    Of a long one the end is here first; `cut` is the journal row up to which it is missing.
    """

    session: SessionId | None = None
    title: str = ""
    timeline: Timeline = field(default_factory=Timeline)
    project: Path | None = None
    turn: Turn | None = None
    cut: int = 0

    @property
    def waiting(self) -> int:
        """How many questions wait for the person."""
        return len(self.timeline.waiting())

    def name(self) -> str:
        """Return the title, or the first question, as one line."""
        asked = next((item.text for item in self.timeline.items if isinstance(item, Asked)), "")
        return " ".join((self.title or asked).split())
