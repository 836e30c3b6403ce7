"""Every call is followed by exactly one result."""

from __future__ import annotations

from collections.abc import Sequence

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import ChatMessage

MISSING = "No result of this call was recorded. It may have run in part: check before doing it again."


class CallsWithResults(Invariant):
    """The results stand right behind the message with the calls, in the order of the calls.

    Providers refuse anything else, and go on refusing: the conversation would be lost.
    """

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Bring results to their calls; put a text where one is missing; leave out orphans and doubles."""
        found: dict[str, ChatMessage] = {}
        known: set[str] = set()
        for message in messages:
            known.update(call.id for call in message.calls)
            if message.role == "tool" and message.call_id in known:
                found.setdefault(message.call_id, message)
        kept: list[ChatMessage] = []
        for message in messages:
            if message.role == "tool":
                continue
            kept.append(message)
            kept += [found.get(c.id) or ChatMessage("tool", MISSING, call_id=c.id) for c in message.calls]
        return kept

    def allowed_cuts(self, messages: Sequence[ChatMessage]) -> set[int]:
        """Forbid every place between a call and its result."""
        allowed = super().allowed_cuts(messages)
        called: dict[str, int] = {}
        for index, message in enumerate(messages):
            called.update({call.id: index for call in message.calls})
            if message.role == "tool":
                allowed -= set(range(called.get(message.call_id, index - 1) + 1, index + 1))
        answered = {message.call_id for message in messages if message.role == "tool"}
        for index, message in enumerate(messages):
            if any(call.id not in answered for call in message.calls):
                allowed -= set(range(index + 1, len(messages) + 1))  # its result is still to come
        return allowed
