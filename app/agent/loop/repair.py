"""Making any list of messages one that a provider accepts. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.agent.loop.invariants import INVARIANTS
from app.llm.chat import ChatMessage


def repair(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with every invariant kept.

    The same list always gives the same result, and repairing it again changes nothing, so that
    a prompt cache holds.
    """
    repaired = list(messages)
    for invariant in INVARIANTS:
        repaired = invariant.enforce(repaired)
    return repaired
