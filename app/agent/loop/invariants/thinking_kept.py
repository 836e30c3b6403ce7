"""A loop of calls that began with thinking is not continued from a message without it."""

from __future__ import annotations

from collections.abc import Sequence

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import ChatMessage


class ThinkingKept(Invariant):
    """Providers that return thinking want it at the head of the loop of calls that follows from it."""

    def allowed_cuts(self, messages: Sequence[ChatMessage]) -> set[int]:
        """Forbid the tail to begin with a message of such a loop that holds no thinking itself."""
        allowed = super().allowed_cuts(messages)
        led = False
        for index, message in enumerate(messages):
            if message.role == "user":
                led = False
            elif message.role == "assistant":
                if led and not message.thinking:
                    allowed.discard(index)
                led = led or bool(message.thinking)
        return allowed
