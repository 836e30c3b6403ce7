"""No call is without a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import ChatMessage


class CallsNamed(Invariant):
    """A call without a name cannot be sent anywhere; its result goes with it, as an orphan."""

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Leave such calls out."""
        return [
            message
            if all(call.name for call in message.calls)
            else replace(message, calls=tuple(call for call in message.calls if call.name))
            for message in messages
        ]
