"""The conversations: looked through, found by their words, opened, renamed, exported, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import (
    QAbstractListModel,
    QDate,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QCursor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.library.journal import SessionRow
from app.ui.chat.sessions_delegate import MENU_WIDTH, SessionsDelegate
from app.ui.theme import M, S
from app.ui.widgets.basics import icon_button, label

SEARCH_AFTER_MS = 150
AT_MOST = 500


@dataclass(frozen=True, slots=True)
class Standing:
    """What a conversation does now, besides being kept."""

    running: bool = False
    waiting: bool = False
    shown: bool = False


class SessionsPage(QWidget):
    """Shows rows it is given; asks for everything else by signals."""

    wanted = Signal(object)
    """A SessionRow to open."""
    search_changed = Signal(str)
    rename_wanted = Signal(object)
    export_wanted = Signal(object)
    delete_wanted = Signal(object)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = _Sessions(self)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search conversations"))
        self.search.setAccessibleName(self.tr("Search conversations"))
        self.search.setClearButtonEnabled(True)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(SEARCH_AFTER_MS)
        self._pause.timeout.connect(lambda: self.search_changed.emit(self.search.text().strip()))
        self.search.textChanged.connect(lambda _: self._pause.start())
        self.search.returnPressed.connect(self._open_first)
        self.list = _List()
        self.list.setModel(self.model)
        self.list.setItemDelegate(SessionsDelegate(self.list))
        self.list.setAccessibleName(self.tr("Conversations"))
        self.list.clicked.connect(self._clicked)
        self.list.entered_key.connect(self._open)
        self.list.delete_key.connect(lambda index: self._with_row(index, self.delete_wanted))
        self.list.customContextMenuRequested.connect(self._menu)
        self._none = label("", "hint", wrap=True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head = QHBoxLayout()
        head.setContentsMargins(M, S, M, S)
        head.setSpacing(S)
        head.addWidget(self.search, 1)
        head.addWidget(icon_button("close", self.tr("Back to the conversation"), self.closed.emit))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._none)
        layout.addWidget(self.list, 1)

    def show_rows(self, rows: Sequence[SessionRow], standings: dict[str, Standing]) -> None:
        """Show these conversations."""
        self.model.set_rows(rows, standings)
        words = self.tr("No conversation has these words.")
        self._none.setText(words if self.search.text().strip() else self.tr("No earlier conversations"))
        self._none.setVisible(not rows)
        self._none.setContentsMargins(M, 40, M, M)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus()
            self.list.setCurrentIndex(self.model.index(0))
        else:
            super().keyPressEvent(event)

    def _clicked(self, index: QModelIndex) -> None:
        at = self.list.viewport().mapFromGlobal(QCursor.pos())
        if at.x() > self.list.viewport().width() - MENU_WIDTH:
            self._menu(self.list.visualRect(index).bottomRight() - QPoint(MENU_WIDTH, S))
        else:
            self._open(index)

    def _open(self, index: QModelIndex) -> None:
        self._with_row(index, self.wanted)

    def _open_first(self) -> None:
        if self.model.rowCount():
            self._open(self.model.index(0))

    def _with_row(self, index: QModelIndex, signal: object) -> None:
        row = self.model.row_at(index.row())
        if row is not None:
            signal.emit(row)  # type: ignore[attr-defined]

    def _menu(self, at: QPoint) -> None:
        index = self.list.indexAt(at)
        row = self.model.row_at(index.row())
        if row is None:
            return
        self.menu_of(row).popup(self.list.viewport().mapToGlobal(at))

    def menu_of(self, row: SessionRow) -> QMenu:
        """Return the menu of one conversation."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Open"), lambda: self.wanted.emit(row))
        menu.addSeparator()
        menu.addAction(self.tr("Rename…"), lambda: self.rename_wanted.emit(row))
        menu.addAction(self.tr("Export as Markdown…"), lambda: self.export_wanted.emit(row))
        menu.addSeparator()
        menu.addAction(self.tr("Delete…"), lambda: self.delete_wanted.emit(row))
        return menu


class _Sessions(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[SessionRow] = []
        self._standings: dict[str, Standing] = {}

    def set_rows(self, rows: Sequence[SessionRow], standings: dict[str, Standing]) -> None:
        self.beginResetModel()
        self._rows, self._standings = list(rows), standings
        self.endResetModel()

    def row_at(self, place: int) -> SessionRow | None:
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> object:
        row = self.row_at(index.row())
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return " ".join(row.title.split()) or self.tr("Untitled")
            case SessionsDelegate.META:
                return self._meta(row)
            case SessionsDelegate.STANDING:
                return self._standings.get(row.session_id, Standing())
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title} {self._meta(row)}"
            case _:
                return None

    def _meta(self, row: SessionRow) -> str:
        standing = self._standings.get(row.session_id, Standing())
        parts = [when(row.updated_at)]
        if standing.waiting:
            parts.insert(0, self.tr("waits for you"))
        elif standing.running:
            parts.insert(0, self.tr("running"))
        if row.project:
            parts.append(Path(row.project).name)
        if row.forked_from:
            parts.append(self.tr("fork"))
        return " · ".join(parts)


class _List(QListView):
    entered_key = Signal(QModelIndex)
    delete_key = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_key.emit(self.currentIndex())
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_key.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


def when(at: datetime) -> str:
    """Return a moment as people say it: the time for today, else the date."""
    here = at.astimezone()
    locale = QLocale()
    day = QDate(here.year, here.month, here.day)
    if day == QDate.currentDate():
        return f"{here.hour:02}:{here.minute:02}"
    return locale.toString(day, QLocale.FormatType.ShortFormat)
