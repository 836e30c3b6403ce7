"""How much is embedded in one run: chosen by measuring the work itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_ROUNDS = 3
# Another size must be clearly faster than the usual one: a busy machine varies by as much.
_CLEARLY_FASTER = 1.08


class BatchSize:
    """Finds the fastest of some sizes while real batches are worked off, then keeps to it.

    `sizes` are in any unit (tokens, texts), the usual one first. Each is tried a few times, in turn; what
    was measured in a batch that was not full does not count.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = list(sizes)
        self._speeds: dict[int, list[float]] = {size: [] for size in sizes}
        self._chosen: int | None = None

    @property
    def settled(self) -> bool:
        """Whether the choice has been made."""
        return self._chosen is not None

    def next(self) -> int:
        """Return the size of the next batch."""
        if self._chosen is not None:
            return self._chosen
        return min(self._sizes, key=lambda size: len(self._speeds[size]))

    def took(self, size: int, amount: float, seconds: float) -> None:
        """Note that a batch of `size` did `amount` of work in `seconds`."""
        if self._chosen is not None or size not in self._speeds or amount <= size / 2:
            return
        self._speeds[size].append(amount / max(seconds, 1e-9))
        if all(len(speeds) >= _ROUNDS for speeds in self._speeds.values()):
            self._chosen = self._fastest()

    def at_most(self, limit: int) -> None:
        """Let no batch be larger than `limit` from now on: more is refused, or there is no room for it."""
        self._sizes = [size for size in self._sizes if size <= limit] or [max(1, limit)]
        self._speeds = {size: self._speeds.get(size, []) for size in self._sizes}
        if len(self._sizes) == 1:
            self._chosen = self._sizes[0]
        elif self._chosen is not None and self._chosen > limit:
            self._chosen = max(self._sizes)

    def _fastest(self) -> int:
        # the best of the rounds: what else the machine does only makes a round slower
        best = {size: max(speeds) for size, speeds in self._speeds.items()}
        usual, fastest = self._sizes[0], max(self._sizes, key=lambda size: best[size])
        return fastest if best[fastest] > best[usual] * _CLEARLY_FASTER else usual


def by_length(lengths: Sequence[int]) -> list[int]:
    """Return the indices from short to long: neighbours need little padding."""
    return sorted(range(len(lengths)), key=lambda index: lengths[index])


def padded(lengths: Sequence[int], size: int, most: int | None = None) -> Iterator[list[int]]:
    """Yield indices by run: similar lengths together, at most `size` tokens with the padding.

    A text that is longer than that is a run of its own; `most` is the largest number of texts in a run.
    """
    batch: list[int] = []
    for index in by_length(lengths):
        if batch and (lengths[index] * (len(batch) + 1) > size or len(batch) == most):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
