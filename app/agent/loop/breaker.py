"""When to stop shortening a conversation by itself. Pure."""

from __future__ import annotations

from dataclasses import dataclass

MAX_FAILURES = 3
MAX_WITHOUT_GAIN = 2


@dataclass(slots=True)
class CompactionCircuitBreaker:
    """Opens on failures in a row, and on compactions in a row that leave no room.

    The second is the common case: each one succeeds, and the next request is as long as before.
    What counts is therefore measured with the next real request (`measured`).
    """

    failures: int = 0
    without_gain: int = 0
    waiting: bool = False
    """Whether a compaction has not been measured yet."""

    @property
    def open(self) -> bool:
        """Whether no more compaction is tried by itself; one that is asked for may close it again."""
        return self.failures >= MAX_FAILURES or self.without_gain >= MAX_WITHOUT_GAIN

    def failed(self) -> None:
        """Count a compaction that could not be made."""
        self.failures += 1

    def done(self) -> None:
        """Note that one was made; the next request tells what it brought."""
        self.waiting = True

    def summarised(self) -> None:
        """Note that the model wrote a summary that is one."""
        self.failures = 0

    def measured(self, tokens: int, threshold: int) -> None:
        """Take the length of a request that was really sent; `threshold` is where compaction begins."""
        if not self.waiting:
            return
        self.waiting = False
        self.without_gain = self.without_gain + 1 if tokens >= threshold else 0

    def reset(self) -> None:
        """Close it: the person asked for a compaction, or chose a model that reads more."""
        self.failures, self.without_gain, self.waiting = 0, 0, False
