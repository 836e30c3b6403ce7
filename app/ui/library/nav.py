"""The shelves of the library: all papers, unread, collections, trash, with their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.theme import interface_font, tokens
from app.ui.widgets.basics import tip

if TYPE_CHECKING:
    from app.library.library import Papers

translate = QCoreApplication.translate

ROW, INSET_X, INSET_Y = 26, 8, 6
MOST_ROWS = 9


@dataclass(frozen=True, slots=True)
class Shelf:
    """One line: `query` and `collection` are what the list is asked for."""

    key: str
    name: str
    count: int
    query: str = ""
    collection: int | None = None

    @property
    def number(self) -> int:
        """The collection's number; only of shelves that are collections."""
        return self.collection or 0


def read_shelves(papers: Papers) -> list[Shelf]:
    """Return all shelves the library has, with their counts; the trash only while something is in it."""
    trashed = papers.count("in:trash")
    return [
        Shelf("all", translate("LibraryPane", "All papers"), papers.count()),
        Shelf("unread", translate("LibraryPane", "Unread"), papers.count("is:unread"), "is:unread"),
        *(
            Shelf(f"collection:{row.collection_id}", row.name, row.papers, collection=row.collection_id)
            for row in papers.collections()
        ),
        *([Shelf("trash", translate("LibraryPane", "Trash"), trashed, "in:trash")] if trashed else []),
    ]


def _shelf_of(item: QListWidgetItem) -> Shelf:
    shelf: Shelf = item.data(Qt.ItemDataRole.UserRole)
    return shelf


class ShelfList(QListWidget):
    """Emits `chosen(Shelf)`; collections can be renamed and removed."""

    chosen = Signal(object)
    rename_wanted = Signal(object)
    remove_wanted = Signal(object)
    new_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Shelves"))
        self.setItemDelegate(_ShelfDelegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setViewportMargins(INSET_X, INSET_Y, INSET_X, INSET_Y)
        self.setMouseTracking(True)
        self.currentItemChanged.connect(lambda now, _before: self._choose(now))
        self._quiet = False

    def show_shelves(self, shelves: Sequence[Shelf]) -> None:
        """Show these; what is chosen stays chosen while it exists."""
        chosen = self.current()
        self._quiet = True
        self.clear()
        for shelf in shelves:
            item = QListWidgetItem(shelf.name)
            item.setData(Qt.ItemDataRole.UserRole, shelf)
            item.setToolTip(tip(shelf.name))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{shelf.name}, {shelf.count}")
            self.addItem(item)
            if chosen is not None and shelf.key == chosen.key:
                self.setCurrentItem(item)
        self._quiet = False
        self.setFixedHeight(min(MOST_ROWS, len(shelves)) * ROW + 2 * INSET_Y)
        if self.currentItem() is None and self.count():
            self.setCurrentRow(0)

    def current(self) -> Shelf | None:
        """Return the shelf that is chosen."""
        row = self.currentRow()
        return _shelf_of(self.item(row)) if row >= 0 else None

    def in_trash(self) -> bool:
        """Whether the trash is chosen."""
        shelf = self.current()
        return shelf is not None and shelf.key == "trash"

    def shelves(self) -> list[Shelf]:
        """Return all shelves in order."""
        return [_shelf_of(self.item(row)) for row in range(self.count())]

    def choose(self, key: str) -> None:
        """Choose a shelf by its key, if it exists."""
        for row in range(self.count()):
            if _shelf_of(self.item(row)).key == key:
                self.setCurrentRow(row)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("New collection…"), self.new_wanted.emit)
        shelf = self._shelf_at(self.viewport().mapFrom(self, event.pos()))
        if shelf is not None and shelf.collection is not None:
            menu.addAction(self.tr("Rename…"), lambda: self.rename_wanted.emit(shelf))
            menu.addAction(self.tr("Remove collection"), lambda: self.remove_wanted.emit(shelf))
        menu.popup(event.globalPos())

    def _shelf_at(self, point: QPoint) -> Shelf | None:
        item = self.itemAt(point)
        return _shelf_of(item) if item is not None else None

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None and not self._quiet:
            self.chosen.emit(_shelf_of(item))


class _ShelfDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = tokens()
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        shelf: Shelf = index.data(Qt.ItemDataRole.UserRole)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(t.colour("accent_soft" if selected else "sunken"))
            painter.drawRoundedRect(QRectF(rect), 6, 6)
        if selected and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(t.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        inner = rect.adjusted(8, 0, -8, 0)
        painter.setFont(interface_font(13, 400, tabular=True))
        painter.setPen(t.colour("accent" if selected else "text_3"))
        figure = f"{shelf.count:,}"
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figure)
        font = interface_font(13, 500 if selected else 400)
        painter.setFont(font)
        painter.setPen(t.colour("accent" if selected else "text_2"))
        room = inner.width() - painter.fontMetrics().horizontalAdvance(figure) - 12
        name = painter.fontMetrics().elidedText(shelf.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()
