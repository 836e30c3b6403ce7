"""No two calls of a conversation have the same id."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import CallPart, ChatMessage


class CallIdsUnique(Invariant):
    """Transcripts from elsewhere repeat ids ("call_0" in every reply): a result belongs to the last call.

    Ids that our own program made are unique already.
    """

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Rename every id that was used before, in the call and in its result."""
        ids = [call.id for message in messages for call in message.calls]
        if len(set(ids)) == len(ids) and all(ids):
            return list(messages)
        taken, used = set(ids), set[str]()
        renamed: dict[str, deque[str]] = defaultdict(deque)
        result = []
        for message in messages:
            if message.calls:
                calls = []
                renamed.clear()
                for call in message.calls:
                    fresh = call.id if call.id and call.id not in used else _fresh(call.id or "call", taken)
                    used.add(fresh)
                    taken.add(fresh)
                    renamed[call.id].append(fresh)
                    calls.append(call if fresh == call.id else CallPart(fresh, call.name, call.arguments))
                result.append(replace(message, calls=tuple(calls)))
            elif message.role == "tool" and (waiting := renamed.get(message.call_id)):
                fresh = waiting.popleft() if len(waiting) > 1 else waiting[0]
                result.append(message if fresh == message.call_id else replace(message, call_id=fresh))
            else:
                result.append(message)
        return result


def _fresh(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
