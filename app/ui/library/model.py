"""The rows of the library list: their order is SQL's, their contents come in blocks when seen."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from app.library.listing import PaperRow
from app.ui.tasks import Tasks
from app.ui.widgets.basics import tip

BLOCK = 64
KEPT_BLOCKS = 48

RowRole = Qt.ItemDataRole.UserRole + 1
"""Data role of the whole `PaperRow` (None until its block has come)."""

_NO_PARENT = QModelIndex()
Fetch = Callable[[Sequence[int]], Sequence[PaperRow]]


class LibraryModel(QAbstractListModel):
    """A list over row ids. `fetch` turns ids into rows and is called in a thread.

    A row that has not come yet is None; the view paints a placeholder and is told when it is
    there. After `refresh` the old rows stay visible until the new ones replace them.
    """

    def __init__(self, fetch: Fetch, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fetch = fetch
        self._tasks = tasks
        self._ids: Sequence[int] = ()
        self._generation = 0
        self._blocks: OrderedDict[int, Sequence[PaperRow]] = OrderedDict()
        self._stale: set[int] = set()
        self._wanted: list[int] = []
        self._loading = False

    def set_ids(self, ids: Sequence[int]) -> None:
        """Show these rows, in this order."""
        if len(ids) == len(self._ids) and list(ids) == list(self._ids):
            self.refresh()
            return
        known = {row.row_id: row for rows in self._blocks.values() for row in rows}
        self.beginResetModel()
        self._ids = ids
        self._generation += 1
        self._blocks.clear()
        self._wanted.clear()
        self._carry_over(known)
        self.endResetModel()

    def refresh(self) -> None:
        """Read what is shown again, because the library changed."""
        self._stale = set(self._blocks)
        if self._ids:
            self.dataChanged.emit(self.index(0), self.index(len(self._ids) - 1))

    def id_at(self, row: int) -> int:
        """Return the row id at a place of the list."""
        return int(self._ids[row])

    def place_of(self, row_id: int) -> int | None:
        """Return the place of a row id, or None where it is not in the list."""
        try:
            return self._ids.index(row_id)
        except ValueError:
            return None

    def row_at(self, row: int) -> PaperRow | None:
        """Return the row, or None and have it fetched."""
        block, offset = divmod(row, BLOCK)
        rows = self._blocks.get(block)
        if rows is None or block in self._stale:
            self._want(block)
        else:
            self._blocks.move_to_end(block)
        return rows[offset] if rows is not None and offset < len(rows) else None

    def settled(self) -> bool:
        """Whether nothing is being fetched."""
        return not self._loading and not self._wanted

    def rowCount(self, parent: QModelIndex = _NO_PARENT) -> int:  # type: ignore[override]
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:  # type: ignore[override]
        if not index.isValid():
            return None
        row = self.row_at(index.row())
        if role == RowRole:
            return row
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.ToolTipRole:
                return tip(row.title)
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(filter(None, (row.title, row.authors_short, str(row.year or ""))))
        return None

    def _carry_over(self, known: dict[int, PaperRow]) -> None:
        """Keep the blocks whose rows are all known: a new paper on top must not blank the screen."""
        self._stale = set()
        for block in range(min(4, -(-len(self._ids) // BLOCK))):
            ids = self._ids[block * BLOCK : (block + 1) * BLOCK]
            rows = [known[i] for i in ids if i in known]
            if len(rows) == len(ids):
                self._blocks[block] = rows
                self._stale.add(block)

    def _want(self, block: int) -> None:
        if block in self._wanted:
            return
        self._wanted.append(block)
        if not self._loading:
            self._loading = True
            self._tasks.start(self._load())

    async def _load(self) -> None:
        try:
            while self._wanted:
                block = self._wanted[-1]  # what was asked for last is what is on the screen now
                generation, ids = self._generation, list(self._ids[block * BLOCK : (block + 1) * BLOCK])
                self._stale.discard(block)
                rows = await asyncio.to_thread(self._fetch, ids)
                if generation == self._generation:
                    self._arrived(block, rows)
        finally:
            self._loading = False
            self._wanted.clear()

    def _arrived(self, block: int, rows: Sequence[PaperRow]) -> None:
        self._blocks[block] = rows
        if block in self._wanted:
            self._wanted.remove(block)
        while len(self._blocks) > KEPT_BLOCKS:
            self._blocks.popitem(last=False)
        first = block * BLOCK
        last = min(first + BLOCK, len(self._ids)) - 1
        if last >= first:
            self.dataChanged.emit(self.index(first), self.index(last))
