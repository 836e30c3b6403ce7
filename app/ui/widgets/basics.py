"""Labels, buttons, rules and chips, made in one line each."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.ui.icons import icon
from app.ui.theme import ICON_SIZE, ICON_TARGET


def label(text: str = "", tone: str = "", *, wrap: bool = False) -> QLabel:
    """Return a plain-text label in one of the tones of the style sheet."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if tone:
        made.setProperty("tone", tone)
    made.setWordWrap(wrap)
    return made


def tip(text: str) -> str:
    """Return text of a paper or a file as a tooltip: markup in it is shown and not obeyed."""
    return f"<p>{escape(text).replace(chr(10), '<br>')}</p>" if "<" in text else text


def button(
    text: str, on_click: Callable[[], object] | None = None, *, kind: str = "plain", icon_name: str = ""
) -> QPushButton:
    """Return a push button; `kind` is one of the style sheet's kinds."""
    made = QPushButton(text)
    made.setProperty("kind", kind)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    if icon_name:
        made.setIcon(icon(icon_name, "on_accent" if kind == "primary" else "text_2"))
        made.setIconSize(QSize(14, 14))
    if on_click is not None:
        made.clicked.connect(lambda *_: on_click())
    return made


def icon_button(
    name: str, says: str, on_click: Callable[[], object] | None = None, *, checkable: bool = False
) -> QToolButton:
    """Return a 24 px icon button; `says` is its tooltip and its accessible name."""
    made = QToolButton()
    made.setIcon(icon(name))
    made.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
    made.setFixedSize(ICON_TARGET, ICON_TARGET)
    made.setToolTip(says)
    made.setAccessibleName(says)
    made.setCheckable(checkable)
    if on_click is not None:
        made.clicked.connect(lambda *_: on_click())
    return made


def rule(direction: str = "h") -> QFrame:
    """Return a one-pixel line, "h" or "v"."""
    line = QFrame()
    line.setProperty("rule", direction)
    return line


def chip(text: str, kind: str = "plain") -> QLabel:
    """Return a small label with a soft background."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("chip", kind)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return made


def chip_button(text: str, on_click: Callable[[], object], kind: str = "plain") -> QPushButton:
    """Return a chip that can be pressed."""
    made = QPushButton(text)
    made.setProperty("chip", kind)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    made.clicked.connect(lambda *_: on_click())
    return made


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Set a dynamic property and let the style sheet see it."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


class ElidedLabel(QLabel):
    """One line that is cut with "…" where it does not fit; the whole text is the tooltip then."""

    def __init__(
        self,
        text: str = "",
        tone: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        if tone:
            self.setProperty("tone", tone)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(24)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setToolTip(tip(self.text()) if self._cut() != self.text() else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.contentsRect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, self._cut())

    def _cut(self) -> str:
        metrics = QFontMetrics(self.font())
        return metrics.elidedText(self.text().replace("\n", " "), self._mode, self.contentsRect().width())
