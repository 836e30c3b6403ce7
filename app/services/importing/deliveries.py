"""Who hears what of an import: watchers of every step, callers of the results they wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from app.library.imports import ImportItem
from app.records.ids import PaperId
from app.services.changes import (
    Change,
    ImportProgress,
    ImportState,
    LibraryChanged,
    LibraryChangeKind,
    NoticeGiven,
)
from app.services.importing.one_file import Report
from app.services.importing.results import ImportResult

Results = asyncio.Queue[ImportResult | BaseException]
"""Where a caller takes results from; an exception in it is the end of the queue itself."""


class Deliveries:
    """Passes on what happens to the items of the queue."""

    def __init__(self, on_change: Callable[[Change], None]) -> None:
        self._tell = on_change
        self._expected: dict[int, list[Results]] = {}
        self._placed: set[int] = set()

    def expect(self, item_id: int, results: Results) -> None:
        """Have the item's result put into `results`."""
        self._expected.setdefault(item_id, []).append(results)

    def expected(self) -> list[int]:
        """Return the items whose results somebody waits for."""
        return list(self._expected)

    def give_up(self, ids: Iterable[int]) -> list[int]:
        """Deliver nothing more for these items; return those that were still open."""
        return [item_id for item_id in ids if self._expected.pop(item_id, None) is not None]

    def notice(self, message: str, level: str = "warning") -> None:
        """Tell the watchers something that concerns no single file."""
        self._tell(NoticeGiven(level, message))

    def waiting(self, item: ImportItem) -> None:
        """Tell that a file is in the queue."""
        self._tell(ImportProgress(item.id, item.path, ImportState.WAITING))

    def reporter(self, item: ImportItem) -> Report:
        """Return what a file under way reports to."""

        def report(state: ImportState, paper_id: PaperId | None, done: int, total: int) -> None:
            if state is ImportState.INDEXING and paper_id is not None:
                new = item.id not in self._placed
                self._placed.add(item.id)
                kind = LibraryChangeKind.PAPERS_ADDED if new else LibraryChangeKind.PASSAGES_ADDED
                self._tell(LibraryChanged(kind, (paper_id,)))
            self._tell(ImportProgress(item.id, item.path, state, "", paper_id, done, total))

        return report

    def finished(self, item_id: int, result: ImportResult) -> None:
        """Tell a result that is committed, and give it to whoever waits for it."""
        new = item_id not in self._placed
        self._placed.discard(item_id)
        if result.paper_id is not None:
            kind = LibraryChangeKind.PAPERS_ADDED if new else LibraryChangeKind.PAPERS_CHANGED
            self._tell(LibraryChanged(kind, (result.paper_id,)))
        self._tell(
            ImportProgress(
                item_id,
                result.path,
                ImportState.FINISHED,
                result.status.value,
                result.paper_id,
                result.pages,
                result.pages,
                result.message,
            )
        )
        for results in self._expected.pop(item_id, ()):
            results.put_nowait(result)

    def failed(self, error: BaseException) -> None:
        """The queue itself ended with an error: nobody may wait for ever."""
        self.notice(f"The import stopped: {error}", level="error")
        for waiting in self._expected.values():
            for results in waiting:
                results.put_nowait(error)
