"""A card whose head opens and closes what is below it, by mouse and by keyboard."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.ui.chat.visible import shortened, visible
from app.ui.icons import icon_pixmap
from app.ui.theme import S, interface_font, mono_font, theme
from app.ui.widgets.basics import ElidedLabel, label, rule

translate = QCoreApplication.translate

SIGN = 14
LONGEST = 10_000
"""Characters of a text that are set at once; more would be felt."""


class Foldable(QFrame):
    """Head and body; the body is made when it is first opened (`fill`) and refreshed by `refresh_body`."""

    def __init__(self, *, framed: bool) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("frame", "card" if framed else "line")
        across, down = (10, 7) if framed else (4, 2)
        self.head = QWidget()
        self.head.setCursor(Qt.CursorShape.PointingHandCursor)
        self.head_row = QHBoxLayout(self.head)
        self.head_row.setContentsMargins(across, down, across, down)
        self.head_row.setSpacing(S)
        self.rule = rule()
        self.body = QWidget()
        self.body_column = QVBoxLayout(self.body)
        self.body_column.setContentsMargins(0, 0, 0, 0)
        self.body_column.setSpacing(0)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(1, 1, 1, 1)
        self.column.setSpacing(0)
        for part in (self.head, self.rule, self.body):
            self.column.addWidget(part)
        self._framed = framed
        self._open = self._filled = False
        self.body.hide()
        self.rule.hide()

    def is_open(self) -> bool:
        """Whether the body shows."""
        return self._open

    def toggle(self) -> None:
        """Open or close the body."""
        self.set_open(not self._open)

    def set_open(self, opened: bool) -> None:
        """Show or hide the body."""
        self._open = opened
        if opened and not self._filled:
            self._filled = True
            self.fill()
        if opened:
            self.refresh_body()
        self.body.setVisible(opened)
        self.rule.setVisible(opened and self._framed)
        self.folded()

    def fill(self) -> None:
        """Make what the body holds."""

    def refresh_body(self) -> None:
        """Show the newest state in the body; called while it is open alone."""

    def folded(self) -> None:
        """The body was opened or closed."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if event.button() is Qt.MouseButton.LeftButton and self.head.geometry().contains(at):
            self.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.hasFocus() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle()
        else:
            super().keyPressEvent(event)


class FoldLine(Foldable):
    """A quiet line: arrow, sign, words, a figure at the right; below it a text."""

    def __init__(self, icon_name: str) -> None:
        super().__init__(framed=False)
        self._icon = icon_name
        self._tint = "text_3"
        self._text = ""
        self._arrow, self._sign = QLabel(), QLabel()
        self._arrow.setFixedWidth(10)
        self._words = ElidedLabel("", "small-hint")
        self._right = label("", "small-hint")
        for part, stretch in ((self._arrow, 0), (self._sign, 0), (self._words, 1), (self._right, 0)):
            self.head_row.addWidget(part, stretch)
        self._output: Output | None = None
        theme().changed.connect(self._paint)

    def say(self, words: str, right: str = "", text: str = "", tint: str = "text_3") -> None:
        """Set the line; without `text` it cannot be opened."""
        self._text, self._tint = text, tint
        self._words.setText(words)
        self._right.setText(right)
        self.setAccessibleName(f"{words} {right}".strip())
        openable = bool(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if openable else Qt.FocusPolicy.NoFocus)
        self.head.setCursor(Qt.CursorShape.PointingHandCursor if openable else Qt.CursorShape.ArrowCursor)
        self._paint()
        if self.is_open():
            self.refresh_body()

    def toggle(self) -> None:
        if self._text or self.is_open():
            super().toggle()

    def fill(self) -> None:
        self._output = Output(interface_font(12))
        self.body_column.setContentsMargins(22, 2, 0, 4)
        self.body_column.addWidget(self._output)

    def refresh_body(self) -> None:
        if self._output is not None:
            self._output.show_text(self._text)

    def folded(self) -> None:
        self._paint()

    def _paint(self) -> None:
        self._sign.setPixmap(icon_pixmap(self._icon, self._tint, SIGN))
        arrow = "chevron-down" if self.is_open() else "chevron-right"
        self._arrow.setPixmap(icon_pixmap(arrow, "text_3", 10) if self._text else QPixmap())


class Output(QPlainTextEdit):
    """Text that can be selected, at most `lines` high; what cannot be seen in it is written out."""

    def __init__(self, font: QFont | None = None, lines: int = 12, longest: int = LONGEST) -> None:
        super().__init__()
        self._lines, self._longest = lines, longest
        self._shown = ""
        self.setReadOnly(True)
        self.setFont(font or mono_font(11.5))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("surface", "sunken")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(8)

    def show_text(self, text: str) -> None:
        """Show `text`; the middle of a very long one is left out, and that is said."""
        if text == self._shown:
            return
        self._shown = text
        words, missing, end = shortened(text, self._longest)
        words, end = visible(words), visible(end)
        if missing:
            words += "\n" + translate("Output", "… %n character(s) left out …", "", missing) + "\n" + end
        self.setPlainText(words)
        QTimer.singleShot(0, self, self._fit)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        bar, down = self.verticalScrollBar(), event.angleDelta().y() < 0
        if bar.value() == (bar.maximum() if down else bar.minimum()):
            event.ignore()  # the timeline scrolls on
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        lines = int(self.document().size().height())
        height = min(self._lines, max(1, lines)) * line + 18
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())
