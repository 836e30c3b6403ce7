"""What holds for every list of messages that is sent: one class each, in the order of enforcement.

A new rule is a new file and a line in `INVARIANTS`.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.agent.loop.invariants.call_ids_unique import CallIdsUnique
from app.agent.loop.invariants.calls_named import CallsNamed
from app.agent.loop.invariants.calls_readable import CallsReadable
from app.agent.loop.invariants.calls_with_results import CallsWithResults
from app.agent.loop.invariants.nothing_empty import NothingEmpty
from app.agent.loop.invariants.person_first import PersonFirst
from app.agent.loop.invariants.rule import Invariant
from app.agent.loop.invariants.thinking_kept import ThinkingKept
from app.llm.chat import ChatMessage

INVARIANTS: tuple[Invariant, ...] = (
    CallsNamed(),
    CallIdsUnique(),
    CallsWithResults(),
    CallsReadable(),
    NothingEmpty(),
    PersonFirst(),
    ThinkingKept(),
)


def allowed_cuts(messages: Sequence[ChatMessage]) -> list[int]:
    """Return where the list may be cut, ascending: at i, message i is the first that is kept."""
    allowed = set(range(len(messages) + 1))
    for invariant in INVARIANTS:
        allowed &= invariant.allowed_cuts(messages)
    return sorted(allowed)
