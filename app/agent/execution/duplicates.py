"""Whether the model goes round in circles. Pure."""

from __future__ import annotations


class DuplicateDetector:
    """Watches the calls of a turn. One object a turn."""

    def __init__(self, threshold: int = 3) -> None:
        self.threshold = threshold

    @property
    def looping(self) -> bool:
        """Whether the model went on after a refusal: the turn should end with reason "loop"."""
        raise NotImplementedError
