"""No message is empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import ChatMessage


class NothingEmpty(Invariant):
    """Providers refuse messages without content; one that holds thinking alone is one of these."""

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Leave them out; a result that is empty says so."""
        kept = []
        for message in messages:
            if message.content.strip() or message.calls:
                kept.append(message)
            elif message.role == "tool":
                kept.append(replace(message, content="(no output)"))
        return kept
