"""What an invariant is."""

from __future__ import annotations

from collections.abc import Sequence

from app.llm.chat import ChatMessage


class Invariant:
    """Holds for every list that is sent. Deterministic: no clock, no chance; enforcing twice is once."""

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Return the messages with the rule kept; those that keep it are the same objects."""
        return list(messages)

    def allowed_cuts(self, messages: Sequence[ChatMessage]) -> set[int]:
        """Return the places from 0 to `len(messages)` where leaving out what is before keeps the rule."""
        return set(range(len(messages) + 1))
