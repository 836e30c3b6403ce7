"""Vectors as the index keeps them: signed bytes, of which only the direction counts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def width(numbers: int) -> int:
    """Return how many bytes a vector of so many numbers takes: the index wants a multiple of eight."""
    return -(-numbers // 8) * 8


def signed_bytes(vectors: Sequence[Sequence[float]] | npt.NDArray[np.float32]) -> list[bytes]:
    """Return each vector with its largest number as 127 and zeros at its end up to a multiple of eight.

    So that the long vectors of large models, whose numbers are all small, keep their detail. What is not
    a number becomes zero.
    """
    import numpy as np

    given = np.nan_to_num(np.asarray(vectors, np.float64), posinf=0.0, neginf=0.0)
    largest = np.abs(given).max(axis=1, keepdims=True)
    scaled = np.rint(given * (127 / np.maximum(largest, 1e-30)))
    whole = np.zeros((len(given), width(given.shape[1])), np.int8)
    whole[:, : given.shape[1]] = np.clip(scaled, -127, 127)
    return [row.tobytes() for row in whole]
