"""What is being imported: the state of each file, and what the status bar says of them all. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.records.ids import PaperId
from app.services.changes import ImportProgress, ImportState

FAILED = frozenset({"not_pdf", "damaged", "failed"})
KEPT = 500
"""Finished files that stay in the list; the oldest leave first."""


@dataclass(slots=True)
class ImportList:
    """The files of this run of the program, in the order they came."""

    items: dict[int, ImportProgress] = field(default_factory=dict)
    _round: set[int] = field(default_factory=set)

    def apply(self, step: ImportProgress) -> None:
        """Take one step of one file."""
        if not self.running():
            self._round = set()  # a new drop counts from one again
        self.items[step.item_id] = step
        self._round.add(step.item_id)
        finished = [key for key, item in self.items.items() if item.finished]
        for key in finished[: max(0, len(finished) - KEPT)]:
            del self.items[key]
            self._round.discard(key)

    def running(self) -> bool:
        """Whether a file waits or is under way."""
        return any(not item.finished for item in self.items.values())

    def figures(self) -> tuple[int, int]:
        """Return how many files of the running round are finished, and how many it has."""
        mine = [self.items[key] for key in self._round if key in self.items]
        return sum(item.finished for item in mine), len(mine)

    def share(self) -> float:
        """Return how much of the running round is done, pages of files under way counted."""
        mine = [self.items[key] for key in self._round if key in self.items]
        return sum(map(_share, mine)) / len(mine) if mine else 1.0

    def indexing(self) -> frozenset[PaperId]:
        """Return the papers whose files are being read or indexed."""
        busy = (ImportState.READING, ImportState.INDEXING)
        return frozenset(i.paper_id for i in self.items.values() if i.paper_id and i.state in busy)

    def failures(self) -> list[ImportProgress]:
        """Return the files that could not be taken."""
        return [item for item in self.items.values() if item.finished and item.status in FAILED]

    def clear_finished(self) -> None:
        """Forget the finished files."""
        self.items = {key: item for key, item in self.items.items() if not item.finished}

    def in_order(self) -> Iterable[ImportProgress]:
        """Return what needs the person first, then what runs, then the rest, newest first."""
        newest_first = reversed(self.items.values())
        return sorted(newest_first, key=_rank)


def _share(item: ImportProgress) -> float:
    if item.finished:
        return 1.0
    return min(0.95, item.done / item.total) if item.total else 0.0


def _rank(item: ImportProgress) -> int:
    if item.finished and (item.status in FAILED or item.status == "needs_password"):
        return 0
    match item.state:
        case ImportState.READING | ImportState.INDEXING:
            return 1
        case ImportState.WAITING:
            return 2
        case _:
            return 3
