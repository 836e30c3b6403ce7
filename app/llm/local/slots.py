"""Which conversation has which sequence of the model's memory, and who leaves when there is no room. Pure.

All sequences share one pool of cells, a cell a token. A request goes on where its owner left off; a new
owner starts with what any other sequence has read of the same head (the cells are shared, not copied).
When sequences or cells run out, requests that nobody will go on with leave first, then the oldest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.llm.chat import Use
from app.llm.local.token_log import TokenLog

_WORTH = {Use.SUMMARY: 0, Use.TITLE: 0, Use.SUBAGENT: 1, Use.TURN: 2}
# Moving to another sequence's head is only worth it for more than this.
_WORTH_A_COPY = 32


@dataclass(slots=True)
class Slot:
    """A sequence of the model's memory. `owner` "" means nobody's."""

    number: int
    owner: str = ""
    use: Use = Use.TURN
    log: TokenLog = field(default_factory=TokenLog)
    last_used: int = 0

    @property
    def worth(self) -> tuple[int, int]:
        """What is lost with it; the smallest leaves first."""
        return (_WORTH[self.use], self.last_used)

    @property
    def lasting(self) -> bool:
        """Whether somebody will go on with it: a title is asked for once."""
        return _WORTH[self.use] > 0


@dataclass(frozen=True, slots=True)
class Claim:
    """Where a request runs: cut `slot` to `kept` tokens, or take that many from the head of `source`."""

    slot: Slot
    kept: int
    source: Slot | None


class SlotTable:
    """The sequences of one loaded model."""

    def __init__(self, count: int) -> None:
        self.slots = [Slot(number) for number in range(count)]
        self._clock = 0

    def of(self, owner: str) -> Slot | None:
        """Return the sequence of an owner."""
        return next((slot for slot in self.slots if owner and slot.owner == owner), None)

    def claim(self, owner: str) -> Slot:
        """Return the sequence of an owner, else a free one, else the one that is worth least.

        One that had another owner still has that one's log: the caller puts it away first, then `give`s.
        """
        free = (slot for slot in self.slots if not slot.log.ids)
        return self.of(owner) or next(free, None) or min(self.slots, key=lambda slot: slot.worth)

    def give(self, slot: Slot, owner: str, use: Use) -> None:
        """Make a sequence an owner's, and the one used last."""
        self._clock += 1
        slot.owner, slot.use, slot.last_used = owner, use, self._clock

    def head(self, slot: Slot, prompt: Sequence[int]) -> Claim:
        """Return how much of a prompt need not be read, and from which sequence that much is taken."""
        kept = slot.log.shared(prompt)
        source, longest = None, kept + _WORTH_A_COPY
        for other in self.slots:
            if other is not slot and (shared := other.log.shared(prompt)) > longest:
                source, longest = other, shared
        return Claim(slot, longest if source else kept, source)

    def spare(self, slot: Slot) -> Slot | None:
        """Return who leaves when the cells run out while `slot` is being filled; None when it is alone."""
        others = [other for other in self.slots if other is not slot and other.log.ids]
        return min(others, key=lambda other: other.worth, default=None)
