"""The timeline's widgets for what was asked, for tool calls and for notices."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QProgressBar, QVBoxLayout, QWidget

from app.ui.chat.items import Asked, Noticed, ToolState, ToolUse
from app.ui.icons import icon_pixmap
from app.ui.theme import RADIUS_MESSAGE, XS, M, S, mono_font, theme, tokens
from app.ui.widgets.basics import ElidedLabel, label, rule
from app.ui.widgets.flow import FlowLayout


class UserBubble(QWidget):
    """What the person wrote, at the right, on the soft accent."""

    def __init__(self, item: Asked) -> None:
        super().__init__()
        self._box = _Bubble()
        self._words = label(item.text, wrap=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inner = QVBoxLayout(self._box)
        inner.setContentsMargins(M, 9, M, 9)
        inner.setSpacing(XS)
        inner.addWidget(self._words)
        if item.about:
            about = ElidedLabel(" · ".join(item.about), "small-hint")
            inner.addWidget(about)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(self._box)
        self.setAccessibleName(item.text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        widest = round(self.width() * 0.84)
        margins = 2 * M
        natural = self._words.fontMetrics().boundingRect(
            0, 0, widest - margins, 100000, int(Qt.TextFlag.TextWordWrap), self._words.text()
        )
        width = min(widest, natural.width() + margins + 4)
        self._box.setFixedWidth(width)
        self._words.setFixedHeight(self._words.heightForWidth(width - margins))


class _Bubble(QWidget):
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        rect = self.rect()
        path.addRoundedRect(rect, RADIUS_MESSAGE, RADIUS_MESSAGE)
        corner = rect.adjusted(rect.width() - 24, rect.height() - 24, 0, 0)
        path.addRoundedRect(corner, 4, 4)
        painter.fillPath(path.simplified(), tokens().colour("accent_soft"))


class ToolCard(QFrame):
    """One line until it is opened: sign, name, argument, time; below it arguments and output."""

    def __init__(self, item: ToolUse) -> None:
        super().__init__()
        self.setProperty("frame", "card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._item = item
        self._sign = QLabel()
        self._name = label("", "mono")
        self._argument = ElidedLabel("", "secondary")
        self._right = label("", "small-hint")
        head = QHBoxLayout()
        head.setContentsMargins(10, 7, 10, 7)
        head.setSpacing(S)
        for widget, stretch in ((self._sign, 0), (self._name, 0), (self._argument, 1), (self._right, 0)):
            head.addWidget(widget, stretch)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar_box = QWidget()
        bar_layout = QVBoxLayout(self._bar_box)
        bar_layout.setContentsMargins(10, S, 10, S)
        bar_layout.addWidget(self._bar)
        self._rule = rule()
        self._body = _Output()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._rule)
        layout.addWidget(self._bar_box)
        layout.addWidget(self._body)
        self._open = False
        theme().changed.connect(self._show)
        self.show_item(item)

    def show_item(self, item: ToolUse) -> None:
        """Show the newest state of the call."""
        self._item = item
        self._show()

    def is_open(self) -> bool:
        """Whether arguments and output are shown."""
        return self._open

    def toggle(self) -> None:
        """Open or close the card."""
        self._open = not self._open
        self._show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle()
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        item = self._item
        name, token = {
            ToolState.RUNNING: ("spinner", "accent"),
            ToolState.DONE: ("check", "ok"),
            ToolState.FAILED: ("alert", "bad"),
            ToolState.STOPPED: ("stop", "text_3"),
        }[item.state]
        self._sign.setPixmap(icon_pixmap(name, token, 14))
        self._name.setText(item.name)
        self._argument.setText(item.argument)
        self._right.setText(self._right_words())
        running = item.state is ToolState.RUNNING and item.progress is not None
        self._bar_box.setVisible(running)
        if item.progress is not None:
            self._bar.setValue(round(item.progress * 1000))
        self._body.setVisible(self._open)
        if self._open:
            self._body.show_text("\n\n".join(filter(None, (item.arguments, item.output))))
        self._rule.setVisible(running or self._open)
        state = {
            ToolState.RUNNING: self.tr("running"),
            ToolState.DONE: self.tr("done"),
            ToolState.FAILED: self.tr("failed"),
            ToolState.STOPPED: self.tr("stopped"),
        }[item.state]
        self.setAccessibleName(f"{item.name} {item.argument} {state}")

    def _right_words(self) -> str:
        item = self._item
        if item.state is ToolState.RUNNING:
            return item.message
        if item.state is ToolState.STOPPED:
            return self.tr("stopped")
        if item.state is ToolState.FAILED:
            return self.tr("failed")
        return self.tr("%1 s").replace("%1", f"{item.seconds:.1f}") if item.seconds is not None else ""


class _Output(QPlainTextEdit):
    """Arguments and output of a call: fixed width, at most twelve lines high."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFont(mono_font(11.5))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setContentsMargins(0, 0, 0, 0)
        self.document().setDocumentMargin(10)

    def show_text(self, text: str) -> None:
        if text == self.toPlainText():
            return
        self.setPlainText(text)
        QTimer.singleShot(0, self, self._fit)
        self._fit()

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        lines = int(self.document().size().height())
        self.setFixedHeight(min(12, max(1, lines)) * line + 22)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())


class NoticeCard(QFrame):
    """A notice of the turn: what happened, and in the same words what to do."""

    def __init__(self, item: Noticed) -> None:
        super().__init__()
        self.setProperty("frame", "card")
        self._level = item.level
        self._sign = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(10, S, 10, S)
        row.setSpacing(S)
        row.addWidget(self._sign, alignment=Qt.AlignmentFlag.AlignTop)
        words = label(item.message, "meta", wrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(words, 1)
        theme().changed.connect(self._tint)
        self._tint()
        self.setAccessibleName(item.message)

    def _tint(self) -> None:
        name, token = {"warning": ("alert", "warn"), "error": ("alert", "bad")}.get(
            self._level, ("info", "text_3")
        )
        self._sign.setPixmap(icon_pixmap(name, token, 14))


class Chips(QWidget):
    """A wrapping line of chips; hidden while it has none."""

    def __init__(self) -> None:
        super().__init__()
        self._flow = FlowLayout(self)
        self.hide()

    def set_chips(self, chips: list[QWidget]) -> None:
        """Show these in place of the old ones."""
        self._flow.clear()
        for made in chips:
            self._flow.addWidget(made)
        self.setVisible(bool(chips))
        self.updateGeometry()
