"""Deciding what to leave out of a conversation. Pure; `compactor` carries it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.agent.loop.invariants import allowed_cuts
from app.agent.loop.units import CLEARED, Placed, Round, Said, Unit

KEEP_ROUNDS = 2
"""The results of so many last rounds are never cleared."""
_WORTHWHILE = 0.8
_TARGET = 0.6
_TAIL = 0.35
_CLEARED_TOKENS = 30
_LINE = 240


@dataclass(frozen=True, slots=True)
class Room:
    """What a request may take: `context` tokens in all, `reply` of them for the reply."""

    context: int
    reply: int
    soft: float

    @property
    def most(self) -> int:
        """What a request may hold at most."""
        return self.context - self.reply

    @property
    def threshold(self) -> int:
        """From where on a conversation is shortened."""
        return min(int(self.context * self.soft), self.most)

    @property
    def target(self) -> int:
        """What it should be down to then."""
        return int(self.threshold * _TARGET)

    @property
    def tail(self) -> int:
        """How much of the end is kept word for word when the rest is summarised."""
        return int(self.threshold * _TAIL)


def clearable(units: Sequence[Unit], sizes: Mapping[str, int], *, total: int, room: Room) -> tuple[str, ...]:
    """Return the calls whose results are replaced by placeholders, the oldest first.

    `sizes` are the tokens of results by call id. Nothing when that would leave too little room to be
    worth losing the prompt cache for: the next request would have to be shortened again.
    """
    rounds = [unit for unit in units if isinstance(unit, Round) and unit.calls]
    chosen: list[str] = []
    freed = 0
    for unit in rounds[: max(0, len(rounds) - KEEP_ROUNDS)]:
        for call in unit.calls:
            result = unit.results.get(call.id)
            gain = sizes.get(call.id, 0) - _CLEARED_TOKENS
            if result is None or result.cleared or result.instructs or gain <= 0:
                continue
            if total - freed <= room.target:
                break
            chosen.append(call.id)
            freed += gain
    return tuple(chosen) if chosen and total - freed <= room.threshold * _WORTHWHILE else ()


def choose_cut(entries: Sequence[Placed], sizes: Sequence[int], *, keep: int) -> int | None:
    """Return the index of the first message that is kept, or None where no cut helps.

    The longest tail of at most `keep` tokens that begins at an allowed place; where even the
    shortest is longer, that one. A cut divides the journal too: what is kept came later than all
    that is left out.
    """
    messages = [entry.message for entry in entries]
    start = next((i for i, message in enumerate(messages) if message.role != "system"), len(messages))
    before = [0, *accumulate((entry.last for entry in entries), max)]
    after = [*reversed(list(accumulate((entry.first for entry in reversed(entries)), min))), 0]
    tails = [*reversed(list(accumulate(reversed(sizes)))), 0]
    # what the person said is kept anyway: a cut behind that alone frees nothing
    least = next(
        (i + 1 for i, m in enumerate(messages) if i >= start and m.role == "assistant"), len(messages)
    )
    best = None
    for cut in reversed(allowed_cuts(messages)):
        if least <= cut < len(messages) and before[cut] < after[cut] and (best is None or tails[cut] <= keep):
            best = cut
    return best


def kept_from(entries: Sequence[Placed], cut: int) -> int:
    """Return the journal row from which a tail that begins at `cut` was made."""
    return min(entry.first for entry in entries[cut:])


def digest(entries: Sequence[Placed], limit: int) -> str:
    """Return a summary made without a model: a line a message, at most `limit` characters."""
    lines = []
    for entry in entries:
        message = entry.message
        if message.role == "system" or message.content == CLEARED:
            continue
        text = " ".join(message.content.split())
        calls = "; ".join(f"{call.name} {call.arguments[:80]}" for call in message.calls)
        words = " | ".join(part for part in (_short(text), f"called {calls}" if calls else "") if part)
        lines.append(f"- {message.role}: {words}")
    kept: list[str] = []
    for line in reversed(lines):
        limit -= len(line) + 1
        if limit < 0:
            kept.append("- (what was before is lost)")
            break
        kept.append(line)
    return "\n".join(reversed(kept))


def skills_in(units: Sequence[Unit], row: int) -> list[str]:
    """Return the texts of the skills that were loaded before `row`, which is where the kept part begins."""
    texts = []
    for unit in units:
        if isinstance(unit, Said):
            if unit.source == "skill" and unit.last < row:
                texts.append(unit.body)
        elif unit.last < row:
            texts += [result.text for result in unit.results.values() if result.instructs]
    return list(dict.fromkeys(texts))


def _short(text: str) -> str:
    return text if len(text) <= _LINE else f"{text[:_LINE]}…"
