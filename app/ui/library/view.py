"""The list of papers itself: keys, and a selection that outlives a new order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QItemSelectionModel, QItemSelectionRange, QModelIndex, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from app.library.listing import PaperRow
from app.ui.library.delegate import ROW_HEIGHT, PaperDelegate
from app.ui.library.model import LibraryModel


class PaperList(QTableView):
    """Selection is by row id and outlives a new order of the rows."""

    opened = Signal(object)
    """The `PaperRow` to read."""
    menu_wanted = Signal(object)
    """Where on the screen."""
    delete_wanted = Signal()
    copy_wanted = Signal()

    def __init__(self, model: LibraryModel) -> None:
        super().__init__()
        self.setObjectName("libraryTable")
        self.setAccessibleName(self.tr("Papers"))
        self._rows = model
        self.papers = PaperDelegate()
        self.setModel(model)
        self.setItemDelegate(self.papers)
        # A table with one column, not a list: a list measures every row, 0.8 s at 100,000.
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.verticalScrollBar().setSingleStep(24)
        self.activated.connect(self._open)

    def selected_ids(self) -> list[int]:
        """Return the row ids that are selected, from top to bottom."""
        return [self._rows.id_at(place) for place in self._places()]

    def selected_rows(self, at_most: int) -> list[PaperRow]:
        """Return the first of the selected papers, those that have been read from the library already."""
        places = self._places()[:at_most]
        return [row for place in places if (row := self._rows.row_at(place)) is not None]

    def _places(self) -> list[int]:
        """By ranges: all of 100,000 rows may be selected."""
        ranges: Iterable[QItemSelectionRange] = self.selectionModel().selection()  # type: ignore[assignment]
        return sorted({place for span in ranges for place in range(span.top(), span.bottom() + 1)})

    def show_ids(self, ids: Sequence[int], *, keep_place: bool) -> None:
        """Show these rows; keep the selection, and the scroll position if `keep_place`."""
        selected = set(self.selected_ids())
        current = self._rows.id_at(self.currentIndex().row()) if self.currentIndex().isValid() else None
        value = self.verticalScrollBar().value()
        self._rows.set_ids(ids)
        self.select_ids([i for i in ids if i in selected] if selected else [], current)
        if keep_place:
            self.verticalScrollBar().setValue(value)
        else:
            self.scrollToTop()

    def select_ids(self, ids: list[int], current: int | None = None) -> None:
        """Select these rows and none else."""
        choose = self.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        choose.blockSignals(True)
        choose.clearSelection()
        for row_id in ids[:1000]:
            place = self._rows.place_of(row_id)
            if place is not None:
                choose.select(self._rows.index(place), flags.Select)
        if current is not None and (place := self._rows.place_of(current)) is not None:
            choose.setCurrentIndex(self._rows.index(place), flags.NoUpdate)
        choose.blockSignals(False)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Delete) or event.key() == Qt.Key.Key_Backspace:
            self.delete_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    def _open(self, index: QModelIndex) -> None:
        row = self._rows.row_at(index.row())
        if row is not None:
            self.opened.emit(row)
