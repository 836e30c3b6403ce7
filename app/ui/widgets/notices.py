"""Notices: short messages at the foot of the window that never take the keyboard away.

An error stays until it is closed and keeps its details for copying; anything else leaves by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.icons import icon_pixmap
from app.ui.theme import XS, L, M, S
from app.ui.widgets.basics import button, icon_button, label

SHOWN_MS = 8000
AT_MOST = 3
_ICONS = {"info": ("info", "text_2"), "warning": ("alert", "warn"), "error": ("alert", "bad")}


@dataclass(frozen=True, slots=True)
class Message:
    """What a notice says; `action` is the text of its one button."""

    level: str
    text: str
    hint: str = ""
    details: str = ""
    action: str = ""


class Notices(QWidget):
    """The stack of notices over the lower middle of its parent."""

    errors_changed = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.log: list[Message] = []
        self.unread = 0
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(S)
        parent.installEventFilter(self)
        self.hide()

    def post(self, message: Message, on_action: Callable[[], object] | None = None) -> None:
        """Show a message; the oldest gives way where there are too many."""
        if message.level == "error":
            self.log = [*self.log, message][-100:]
            self.unread += 1
            self.errors_changed.emit(self.unread)
        shown = self._notices()
        for same in (n for n in shown if n.message == message):
            self._remove(same)
        while len(shown := self._notices()) >= AT_MOST:
            self._remove(shown[0])
        notice = _Notice(message, on_action, self._remove)
        self._layout.addWidget(notice)
        if message.level != "error":
            QTimer.singleShot(SHOWN_MS, notice, lambda: self._remove(notice))
        self._settle()

    def mark_read(self) -> None:
        """Set the count of unread errors back to none."""
        self.unread = 0
        self.errors_changed.emit(0)

    def texts(self) -> list[str]:
        """Return what is shown now, oldest first."""
        return [notice.message.text for notice in self._notices()]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._settle()
        return super().eventFilter(watched, event)

    def _notices(self) -> list[_Notice]:
        items = [self._layout.itemAt(place) for place in range(self._layout.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, _Notice)]

    def _remove(self, notice: _Notice) -> None:
        if self._layout.indexOf(notice) < 0:
            return
        self._layout.removeWidget(notice)
        notice.hide()
        notice.deleteLater()
        self._settle()

    def _settle(self) -> None:
        if not self._notices():
            self.hide()
            return
        parent = self._parent
        width = min(560, parent.width() - 2 * L)
        self.setFixedWidth(width)
        self._layout.activate()
        height = self._layout.totalHeightForWidth(width) if self._layout.hasHeightForWidth() else 0
        self.resize(width, max(height, self._layout.totalSizeHint().height()))
        self.move((parent.width() - width) // 2, parent.height() - self.height() - 42)
        self.show()
        self.raise_()


class _Notice(QFrame):
    def __init__(
        self,
        message: Message,
        on_action: Callable[[], object] | None,
        close: Callable[[_Notice], object],
    ) -> None:
        super().__init__()
        self.message = message
        self.setProperty("frame", "popover")
        row = QHBoxLayout(self)
        row.setContentsMargins(M, S, S, S)
        row.setSpacing(S)
        name, token = _ICONS.get(message.level, _ICONS["info"])
        sign = QLabel()
        sign.setPixmap(icon_pixmap(name, token))
        row.addWidget(sign, alignment=Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(message.text, wrap=True))
        if message.hint:
            words.addWidget(label(message.hint, "meta", wrap=True))
        row.addLayout(words, 1)
        row.addSpacing(XS)

        def act() -> None:
            close(self)
            if on_action is not None:
                on_action()

        if message.action:
            row.addWidget(button(message.action, act, kind="link"))
        if message.details:
            copy = button(self.tr("Copy details"), kind="link")
            copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(message.details))
            row.addWidget(copy)
        row.addWidget(icon_button("close", self.tr("Close"), lambda: close(self)))
        self.setAccessibleName(message.text)
