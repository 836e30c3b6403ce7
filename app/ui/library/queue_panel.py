"""The import queue as a popover: a state for every file, the reason, and the way out."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from app.services.changes import ImportProgress, ImportState
from app.ui.library.imports import FAILED, ImportList
from app.ui.theme import XS, M, S
from app.ui.widgets.basics import ElidedLabel, button, icon_button, label, restyle, rule, tip

SHOWN = 60
WIDTH, HIGHEST = 420, 420


class QueuePanel(QFrame):
    """Shows an `ImportList`; asks for what a person can do to a file by signals."""

    retry_wanted = Signal(object)
    password_given = Signal(object, str)
    paper_wanted = Signal(object)
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget, imports: ImportList) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setProperty("frame", "popover")
        self.setAccessibleName(self.tr("Import queue"))
        self._imports = imports
        self._rows: dict[int, _FileRow] = {}
        self._cancel = button(self.tr("Cancel the rest"), self.cancel_wanted.emit, kind="link")
        self._clear = button(self.tr("Clear finished"), self._clear_finished, kind="link")
        self._none = label(
            self.tr("Nothing is being imported. Drop PDFs or folders on the window."), "hint", wrap=True
        )
        self._more = label("", "hint")
        head = QHBoxLayout()
        head.setContentsMargins(M, S, S, S)
        head.addWidget(label(self.tr("Import queue"), "heading"))
        head.addStretch(1)
        head.addWidget(self._cancel)
        head.addWidget(self._clear)
        head.addWidget(icon_button("close", self.tr("Close"), self.hide))
        self._list = QVBoxLayout()
        self._list.setContentsMargins(M, S, M, S)
        self._list.setSpacing(S)
        self._list.addWidget(self._none)
        self._list.addWidget(self._more)
        self._list.addStretch(1)
        content = QWidget()
        content.setLayout(self._list)
        self._scroll = QScrollArea()
        self._scroll.setWidget(content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(rule())
        layout.addWidget(self._scroll, 1)
        self.hide()

    def refresh(self) -> None:
        """Show the newest states, if anybody looks."""
        if not self.isVisible():
            return
        shown = list(self._imports.in_order())
        first = shown[:SHOWN]
        for key in [key for key in self._rows if key not in {item.item_id for item in first}]:
            row = self._rows.pop(key)
            row.hide()
            row.deleteLater()
        for place, item in enumerate(first):
            row = self._rows.get(item.item_id) or self._added(item)
            row.show_item(item)
            if self._list.indexOf(row) != place:
                self._list.insertWidget(place, row)
        self._none.setVisible(not shown)
        self._more.setVisible(len(shown) > SHOWN)
        self._more.setText(self.tr("and %n more file(s)", None, len(shown) - SHOWN))
        self._cancel.setVisible(any(item.state is ImportState.WAITING for item in shown))
        self._clear.setVisible(any(item.finished for item in shown))
        self._place()

    def toggle(self) -> None:
        """Open or close the popover."""
        self.setVisible(not self.isVisible())
        if self.isVisible():
            self.raise_()
            self.refresh()
            self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _added(self, item: ImportProgress) -> _FileRow:
        row = _FileRow(self)
        self._rows[item.item_id] = row
        return row

    def _clear_finished(self) -> None:
        self._imports.clear_finished()
        self.refresh()

    def _place(self) -> None:
        parent = self._parent
        wanted = self._list.sizeHint().height() + 52
        height = min(HIGHEST, max(96, wanted), parent.height() - 90)
        self.resize(min(WIDTH, parent.width() - 24), height)
        self.move(QPoint(M, parent.height() - height - 34))


class _FileRow(QWidget):
    def __init__(self, panel: QueuePanel) -> None:
        super().__init__()
        self._panel = panel
        self._item: ImportProgress | None = None
        self._name = ElidedLabel("", "", Qt.TextElideMode.ElideMiddle)
        self._state = label()
        self._state.setProperty("chip", "plain")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._message = label("", "meta", wrap=True)
        self._open = button(self.tr("Open"), self._open_paper, kind="link")
        self._retry = button(self.tr("Try again"), self._try_again, kind="link")
        self._password = QLineEdit()
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._password.setPlaceholderText(self.tr("Enter password"))
        self._password.setAccessibleName(self.tr("Enter password"))
        self._password.returnPressed.connect(self._give_password)
        self._unlock = button(self.tr("Unlock"), self._give_password)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._name, 1)
        top.addWidget(self._open)
        top.addWidget(self._retry)
        top.addWidget(self._state)
        lock = QHBoxLayout()
        lock.setSpacing(S)
        lock.addWidget(self._password, 1)
        lock.addWidget(self._unlock)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(XS)
        layout.addLayout(top)
        layout.addWidget(self._bar)
        layout.addWidget(self._message)
        layout.addLayout(lock)

    def show_item(self, item: ImportProgress) -> None:
        if item == self._item:
            return
        self._item = item
        self._name.setText(Path(item.path).name)
        self._name.setToolTip(tip(str(item.path)))
        text, kind = self._state_words(item)
        self._state.setText(text)
        restyle(self._state, "chip", kind)
        self._bar.setVisible(item.state is ImportState.INDEXING and item.total > 0)
        self._bar.setRange(0, max(1, item.total))
        self._bar.setValue(item.done)
        self._message.setText(item.message)
        self._message.setVisible(bool(item.message))
        locked = item.finished and item.status == "needs_password"
        for widget in (self._password, self._unlock):
            widget.setVisible(locked)
        self._retry.setVisible(item.finished and item.status in FAILED)
        self._open.setVisible(item.finished and item.paper_id is not None)

    def _state_words(self, item: ImportProgress) -> tuple[str, str]:
        match item.state:
            case ImportState.WAITING:
                return self.tr("waiting"), "plain"
            case ImportState.READING:
                return self.tr("reading…"), "accent"
            case ImportState.INDEXING:
                return self.tr("indexing…"), "accent"
            case ImportState.FINISHED:
                pass
        return {
            "added": (self.tr("added"), "ok"),
            "duplicate": (self.tr("already there"), "plain"),
            "needs_password": (self.tr("locked"), "warn"),
            "no_text": (self.tr("needs OCR"), "warn"),
            "not_pdf": (self.tr("not a PDF"), "bad"),
            "damaged": (self.tr("damaged"), "bad"),
        }.get(item.status, (self.tr("failed"), "bad"))

    def _try_again(self) -> None:
        if self._item is not None:
            self._panel.retry_wanted.emit(self._item)

    def _open_paper(self) -> None:
        if self._item is not None:
            self._panel.paper_wanted.emit(self._item.paper_id)

    def _give_password(self) -> None:
        if self._item is not None and self._password.text():
            self._panel.password_given.emit(self._item, self._password.text())
            self._password.clear()
