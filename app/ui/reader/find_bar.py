"""The find bar over the upper right corner of the pages."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from app.ui.theme import XS, M, S
from app.ui.widgets.basics import icon_button, label

TYPING_PAUSE_MS = 180


class FindBar(QFrame):
    """Asks for words, says how many hits there are, steps through them."""

    words_changed = Signal(str)
    stepped = Signal(bool)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setProperty("frame", "popover")
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find in this paper"))
        self.field.setAccessibleName(self.tr("Find in this paper"))
        self.field.setMinimumWidth(180)
        self.count = label("", "small-hint")
        self.count.setMinimumWidth(64)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        before = icon_button(
            "chevron-up", self.tr("Previous hit (Shift+F3)"), lambda: self.stepped.emit(False)
        )
        after = icon_button("chevron-down", self.tr("Next hit (F3)"), lambda: self.stepped.emit(True))
        close = icon_button("close", self.tr("Close (Esc)"), self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(S, XS, XS, XS)
        row.setSpacing(XS)
        for widget in (self.field, self.count, before, after, close):
            row.addWidget(widget)
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(lambda: self.words_changed.emit(self.field.text()))
        self.field.textEdited.connect(lambda _: self._pause.start())
        self.field.returnPressed.connect(self._enter)
        parent.installEventFilter(self)
        self.hide()

    def open_with(self, words: str = "") -> None:
        """Show the bar, ready to type."""
        if words:
            self.field.setText(words)
            self._pause.start()
        self.show()
        self.raise_()
        self._settle()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def dismiss(self) -> None:
        """Close the bar and forget the hits."""
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def say(self, number: int, total: int, searching: bool) -> None:
        """Say which hit of how many is shown."""
        if total:
            more = "…" if searching else ""
            text = self.tr("{number} of {total}").format(number=number, total=total) + more
        elif searching:
            text = self.tr("Searching…")
        else:
            text = self.tr("No hits") if self.field.text().strip() else ""
        self.count.setText(text)
        self._settle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._settle()
        return super().eventFilter(watched, event)

    def _enter(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self.words_changed.emit(self.field.text())
        else:
            self.stepped.emit(True)

    def _settle(self) -> None:
        self.adjustSize()
        self.move(max(0, self._over.width() - self.width() - M - S), S)
