"""Whether the model goes round in circles. Pure.

A call is a repetition if it says the same and the same came of it; a search that finds more each time is
none. Cycles of up to four calls are seen (A-B-A-B). The answer grows: a reminder with the result, then a
refusal, then the end of the turn.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from dataclasses import dataclass, field

LONGEST_PERIOD = 4
LEAST_CYCLES = 3
"""So often a cycle of several calls is let pass, whatever the threshold: edit and test come in turns."""
BAD_REPLIES = 3
"""So many replies in a row may consist of calls that cannot be understood."""
POLL_PAUSE_S = 0.5
LONGEST_POLL_PAUSE_S = 15.0
_PENDING = "pending"
_SAMPLED_CHARS = 500_000
_SAMPLES, _SAMPLE_CHARS = 100, 1000


@dataclass(slots=True, eq=False)
class Watch:
    """One call in the detector's memory; `ended` is told what came of it."""

    key: str
    polls: bool
    detector: DuplicateDetector = field(repr=False)
    refusal: str | None = None
    """Why the call must not run."""
    pause_s: float = 0.0
    """How long to wait before it runs: asking again and again what has not changed is slowed down."""
    digest: str = _PENDING
    bad: bool = False

    def ended(self, content: str, *, bad: bool = False) -> str:
        """Take the result, and return what the model should be reminded of with it ("" for nothing).

        `bad` marks a call that could not be understood.
        """
        self.bad = bad
        if self.refusal is not None:
            return ""
        self.digest = digest_of(content)
        return self.detector.reminder(self)


class DuplicateDetector:
    """Watches the calls of a turn. One object a turn; `begin_round` before each reply."""

    def __init__(self, threshold: int = 3) -> None:
        self.threshold = threshold
        self._past: deque[Watch] = deque(maxlen=LONGEST_PERIOD * (max(threshold, LEAST_CYCLES) + 1))
        self._polls: dict[str, list[Watch]] = {}
        self._round: list[Watch] = []
        self._refused_rounds = 0
        self._bad_rounds = 0

    @property
    def looping(self) -> bool:
        """Whether the model went on after a refusal: the turn should end with reason "loop"."""
        refused, bad = self._counted()
        return refused >= 2 or bad >= BAD_REPLIES

    def begin_round(self) -> None:
        """Begin the calls of another reply: only from now on can the model know what came of the last."""
        self._refused_rounds, self._bad_rounds = self._counted()
        self._round = []

    def enter(self, name: str, arguments: str, *, polls: bool = False) -> Watch:
        """Take a call, in the order of calls, before it runs; `arguments` is the text the model wrote."""
        watch = Watch(f"{name} {canonical(arguments)}", polls, self)
        self._round.append(watch)
        if polls:
            asked = self._polls.setdefault(watch.key, [])
            if unchanged := _same_at_end(asked) - 1:
                watch.pause_s = min(POLL_PAUSE_S * 2 ** min(unchanged - 1, 10), LONGEST_POLL_PAUSE_S)
            asked.append(watch)
            return watch
        if period := self._continued(watch.key):
            watch.digest = self._past[-period].digest
            watch.refusal = _refusal(name, period, self._needed(period))
        self._past.append(watch)
        return watch

    def reminder(self, watch: Watch) -> str:
        """Return what to say with the result of a call that has just ended."""
        if watch.polls:
            times = _same_at_end(self._polls[watch.key])
            if times <= self.threshold:
                return ""
            return (
                f"Nothing has changed in the last {times} checks. Do something else meanwhile, or finish: "
                "what comes of it will be brought to you."
            )
        past = list(self._past)
        if watch not in past:
            return ""  # many have come since
        past = past[: past.index(watch) + 1]
        for period in range(1, LONGEST_PERIOD + 1):
            if cycles(past, period) >= self._needed(period):
                return _reminder(period, self._needed(period))
        return ""

    def _continued(self, key: str) -> int:
        """Return the period of the cycle that this call would continue, 0 if there is none."""
        past = list(self._past)
        for period in range(1, LONGEST_PERIOD + 1):
            if cycles(past, period) >= self._needed(period) and past[-period].key == key:
                return period
        return 0

    def _needed(self, period: int) -> int:
        return self.threshold if period == 1 else max(self.threshold, LEAST_CYCLES)

    def _counted(self) -> tuple[int, int]:
        """Return how many rounds in a row had a refusal, and how many had bad calls alone."""
        refused = any(watch.refusal is not None for watch in self._round)
        bad = bool(self._round) and all(watch.bad for watch in self._round)
        return self._refused_rounds + 1 if refused else 0, self._bad_rounds + 1 if bad else 0


def cycles(past: list[Watch], period: int) -> int:
    """Return how often the last `period` calls came one after the other at the end, with the same results."""
    marks = [(watch.key, watch.digest) for watch in past]
    block = marks[-period:]
    count = 0
    while len(block) == period and marks[-period:] == block:
        count += 1
        del marks[-period:]
    return count


def canonical(arguments: str) -> str:
    """Return arguments in one spelling: no spaces, keys sorted; text that is no JSON as it is."""
    try:
        return json.dumps(json.loads(arguments, strict=False), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments.strip()


def digest_of(content: str) -> str:
    """Return what tells contents apart; of large ones a sample, because the screen waits for this."""
    if (length := len(content)) > _SAMPLED_CHARS:
        places = range(0, length, length // _SAMPLES)
        content = f"{length} " + "".join(content[place : place + _SAMPLE_CHARS] for place in places)
    return hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _same_at_end(asked: list[Watch]) -> int:
    count = 0
    for watch in reversed(asked):
        if watch.digest != asked[-1].digest:
            break
        count += 1
    return max(count, 1)


def _refusal(name: str, period: int, needed: int) -> str:
    what = f"{name} with these arguments" if period == 1 else f"this cycle of {period} calls"
    return (
        f"Refused: {what} has been called {needed} times, and the same came of it each time. Use the "
        "result you have, change the arguments, go another way, or say what keeps you from going on."
    )


def _reminder(period: int, needed: int) -> str:
    what = "This call" if period == 1 else f"This cycle of {period} calls"
    return f"{what} has now been made {needed} times with the same result; it will be refused the next time."
