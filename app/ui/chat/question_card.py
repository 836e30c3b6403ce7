"""A question of the agent: options to press, and always a field for other words."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.ui.chat.deeds import Deeds
from app.ui.chat.foldable import SIGN
from app.ui.chat.items import Asking
from app.ui.icons import icon_pixmap
from app.ui.theme import XS, S, theme
from app.ui.widgets.basics import button, label


class QuestionCard(QFrame):
    """Waits for an answer; takes a late one too, which is then sent as a message."""

    def __init__(self, item: Asking, deeds: Deeds) -> None:
        super().__init__()
        self._item, self._deeds = item, deeds
        self.setProperty("frame", "card")
        self._sign = QLabel()
        self._text = label(item.text, "heading", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._state = label("", "meta", wrap=True)
        self._answer = label("", wrap=True)
        self._answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._answer.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.options = [
            _Option(place + 1, words, partial(self._reply, words)) for place, words in enumerate(item.options)
        ]
        self.field = QLineEdit()
        self.field.setPlaceholderText(
            self.tr("Or in your own words…") if item.options else self.tr("Your answer…")
        )
        self.field.setAccessibleName(self.tr("Answer to the agent’s question"))
        self.field.returnPressed.connect(self._send)
        self.send = button(self.tr("Answer"), self._send, kind="primary")
        self.field.textChanged.connect(lambda text: self.send.setEnabled(bool(text.strip())))
        self.send.setEnabled(False)
        self._asks = QWidget()
        asks = QVBoxLayout(self._asks)
        asks.setContentsMargins(0, 0, 0, 0)
        asks.setSpacing(XS)
        for option in self.options:
            asks.addWidget(option)
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(self.field, 1)
        row.addWidget(self.send)
        asks.addLayout(row)
        head = QHBoxLayout()
        head.setSpacing(S)
        head.addWidget(self._sign, alignment=Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._text, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(11, 10, 11, 11)
        column.setSpacing(S)
        column.addLayout(head)
        for part in (self._state, self._answer, self._asks):
            column.addWidget(part)
        theme().changed.connect(self._show)
        self._show()

    def show_item(self, item: Asking) -> None:
        """Show the newest state."""
        was, self._item = self._item, item
        if was.open and not item.open and self.isAncestorOf(QApplication.focusWidget() or self):
            self._deeds.leave()
        self._show()

    def set_count(self, number: int, of: int) -> None:
        """Say nothing: questions are few."""

    def take_focus(self) -> None:
        """Give the keyboard to the first option, or to the field."""
        first: QWidget = self.options[0] if self.options else self.field
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.key() - Qt.Key.Key_1.value
        pressed = next((option for option in self.options if option.hasFocus()), None)
        if pressed and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            pressed.click()
        elif pressed and not event.isAutoRepeat() and 0 <= number < len(self.options):
            self.options[number].click()
        elif event.key() == Qt.Key.Key_Escape:
            self._deeds.leave()
        else:
            super().keyPressEvent(event)

    def _send(self) -> None:
        if words := self.field.text().strip():
            self._reply(words)

    def _reply(self, words: str) -> None:
        if self._item.open:
            self._deeds.reply(self._item.id, words)

    def _show(self) -> None:
        item = self._item
        self._sign.setPixmap(icon_pixmap("chat", "accent" if item.waits else "text_3", SIGN))
        by = self.tr("Asked by %1").replace("%1", item.agent) if item.agent else ""
        self._state.setText(
            {
                "": by,
                "no_answer": self.tr(
                    "There was no answer in time, and the agent went on without one. "
                    "You can still answer: it is sent as a message."
                ),
                "cancelled": self.tr("Withdrawn: the turn was stopped."),
                "late": self.tr("Answered late, as a message."),
            }.get(item.status, "")
        )
        self._state.setVisible(bool(self._state.text()))
        self._answer.setText(f"→ {item.answer}")
        self._answer.setVisible(bool(item.answer))
        self._asks.setVisible(item.open)
        self.setAccessibleName(f"{item.text} {self._state.text()} {item.answer}".strip())


class _Option(QPushButton):
    """A choice whose words may take several lines, with the key that presses it."""

    def __init__(self, number: int, words: str, on_click: partial[None]) -> None:
        super().__init__()
        self.setProperty("kind", "option")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        row = QHBoxLayout(self)
        row.setContentsMargins(9, 5, 9, 5)
        row.setSpacing(S)
        self._words = label(words, wrap=True)
        key = label(str(number), "key")
        row.addWidget(self._words, 1)
        row.addWidget(key, alignment=Qt.AlignmentFlag.AlignTop)
        for part in (self._words, key):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clicked.connect(lambda *_: on_click())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        made = self.layout()
        return made.totalHeightForWidth(width) if made is not None else 28

    def sizeHint(self) -> QSize:
        made = self.layout()
        return made.totalSizeHint() if made is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())
