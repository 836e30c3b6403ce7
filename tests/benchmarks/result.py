"""What a benchmark gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Result:
    """A measured value beside a baseline that was measured in the same run.

    `unit` names what both are in ("s", "pages/s"); `n` is how often or over how much it was measured.
    """

    value: float
    unit: str
    baseline: float
    n: int

    @property
    def ratio(self) -> float | None:
        """`value / baseline`, or None where the baseline is zero."""
        return self.value / self.baseline if self.baseline else None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the shape that `dev.py bench` prints."""
        return {**asdict(self), "ratio": self.ratio}


Bench = Callable[[], Result]
