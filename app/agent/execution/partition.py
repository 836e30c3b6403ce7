"""Which calls of a reply may run side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Partitionable(Protocol):
    """A call that knows whether it may run beside its neighbours."""

    @property
    def concurrency_safe(self) -> bool:
        """Whether it may."""


C = TypeVar("C", bound=Partitionable)


@dataclass(frozen=True, slots=True)
class Batch(Generic[C]):
    """Neighbouring calls: all of them at once if `is_parallel`, else there is one."""

    is_parallel: bool
    calls: tuple[C, ...]


class ToolPartitioner:
    """Cuts the calls of a reply into batches that run one after the other."""

    @staticmethod
    def partition(calls: Iterable[C]) -> list[Batch[C]]:
        """Return the batches in order: neighbours that are safe share one, every other has its own.

        `[read, grep, bash, read, write]` gives `[read ∥ grep] → [bash] → [read] → [write]`. The gate
        runs streamed calls in the same way, without having to know them all.
        """
        batches: list[Batch[C]] = []
        for safe, group in itertools.groupby(calls, key=lambda call: call.concurrency_safe):
            if safe:
                batches.append(Batch(True, tuple(group)))
            else:
                batches.extend(Batch(False, (call,)) for call in group)
        return batches
