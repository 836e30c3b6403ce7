"""After the system prompt, the first message is the person's."""

from __future__ import annotations

from collections.abc import Sequence

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import ChatMessage

LEFT_OUT = "(The beginning of this conversation was left out.)"


class PersonFirst(Invariant):
    """Many templates raise an error otherwise."""

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Put a message of the person before an assistant's that is first."""
        start = next((i for i, message in enumerate(messages) if message.role != "system"), len(messages))
        if start == len(messages) or messages[start].role == "user":
            return list(messages)
        return [*messages[:start], ChatMessage("user", LEFT_OUT), *messages[start:]]
