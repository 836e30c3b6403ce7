"""What follows from the measures of the battery: how a model calls tools, how many, and how long is waited.

Pure. The numbers are choices, each with its reason beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.llm.local.battery import CallProtocol, CallTrial, Measured

READING_S = 120.0
"""The longest that a whole context may take to read: nobody waits longer for a first word."""
SHORTEST_CONTEXT = 2048
_TOOL_TOKENS = 160
_TOOLS_READING_S = 20.0
_FEW, _SOME = 6, 10
_SMALL, _MEDIUM = 1_000_000_000, 5_000_000_000


@dataclass(frozen=True, slots=True)
class Decided:
    """What the application does from now on with this model."""

    protocol: CallProtocol
    family: str
    """Name of the call syntax, "" where there is none."""
    tool_limit: int | None
    context_tokens: int
    first_token_s: float
    between_tokens_s: float
    busy: bool = False
    """The computer had other work: nothing was decided by the speeds."""


def decided(measured: Measured, *, parameters: int, context_tokens: int, busy: bool = False) -> Decided:
    """Return the decisions; `context_tokens` is what fits into memory.

    On a busy computer a model looks slow that is not: then its speeds take nothing away from it.
    """
    best = best_trial(measured.trials)
    speed = 0.0 if busy else measured.prefill_per_s
    context = readable_context(speed, context_tokens)
    reading = context / measured.prefill_per_s if measured.prefill_per_s else READING_S
    writing = 1 / measured.decode_per_s if measured.decode_per_s else 1.0
    return Decided(
        protocol=best.protocol if best else CallProtocol.NONE,
        family=best.family if best else "",
        tool_limit=tool_limit(best, parameters, speed),
        context_tokens=context,
        # four times as long as measured: the machine may be busy with other things
        first_token_s=max(60.0, round(4 * reading)),
        between_tokens_s=max(20.0, round(40 * writing)),
        busy=busy,
    )


def best_trial(trials: list[CallTrial]) -> CallTrial | None:
    """Return the trial to go by: well formed first, then right, then the order in which they were tried.

    None when no way gives calls of which three in four are well formed.
    """
    good = [trial for trial in trials if trial.asked and trial.valid * 4 >= trial.asked * 3]
    return max(good, key=lambda trial: (trial.valid / trial.asked, trial.right / trial.asked), default=None)


def readable_context(prefill_per_s: float, fits: int) -> int:
    """Return the context that is read in a bearable time, in steps of 1,024."""
    if not prefill_per_s:
        return fits
    readable = int(prefill_per_s * READING_S) // 1024 * 1024
    return max(min(fits, readable), min(SHORTEST_CONTEXT, fits))


def tool_limit(best: CallTrial | None, parameters: int, prefill_per_s: float) -> int | None:
    """Return how many tools a model is shown: None is all of them."""
    if best is None:
        return 0
    limit = _FEW if parameters < _SMALL else _SOME if parameters < _MEDIUM else None
    if best.right * 2 < best.asked:
        limit = _FEW  # it picks the wrong one already when there are few
    read = max(int(prefill_per_s * _TOOLS_READING_S / _TOOL_TOKENS), 4) if prefill_per_s else limit
    if limit is None:
        return read if read is not None and read < _SOME else None
    return limit if read is None else min(limit, read)
