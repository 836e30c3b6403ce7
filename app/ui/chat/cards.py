"""The timeline's widgets for what was asked, for notices and for the end of a turn."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from app.ui.chat.deeds import Deeds
from app.ui.chat.items import Asked, Ended, Noticed
from app.ui.chat.words import end_words
from app.ui.icons import icon_pixmap
from app.ui.theme import RADIUS_MESSAGE, XS, M, S, theme, tokens
from app.ui.widgets.basics import ElidedLabel, label
from app.ui.widgets.flow import FlowLayout


class UserBubble(QWidget):
    """What the person wrote, at the right, on the soft accent; an outline while the agent has not read it."""

    def __init__(self, item: Asked, deeds: Deeds, *, forks: bool = False) -> None:
        super().__init__()
        self._item, self._deeds, self._forks = item, deeds, forks
        self._box = _Bubble()
        self._words = label(item.text, wrap=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._hint = ElidedLabel("", "small-hint")
        inner = QVBoxLayout(self._box)
        inner.setContentsMargins(M, 9, M, 9)
        inner.setSpacing(XS)
        inner.addWidget(self._words)
        inner.addWidget(self._hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(self._box)
        self.show_item(item)

    def show_item(self, item: Asked) -> None:
        """Show the newest state."""
        self._item = item
        hint = " · ".join(item.about)
        match item.steering:
            case "waits":
                hint = self.tr("read at the next step")
            case "read":
                hint = self.tr("while it worked")
            case "unread":
                hint = self.tr("not read any more")
            case _:
                pass
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._box.outlined = item.steering in ("waits", "unread")
        self._box.update()
        self.setAccessibleName(f"{item.text} {hint}".strip())
        self._fit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = self._words.selectedText() or self._item.text
        menu.addAction(self.tr("Copy"), lambda: QGuiApplication.clipboard().setText(chosen))
        if self._forks and self._item.steering in ("", "read"):
            menu.addSeparator()
            menu.addAction(self.tr("Ask differently in a new conversation"), lambda: self._deeds.fork(self))
        menu.popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        widest = round(self.width() * 0.84)
        margins = 2 * M
        bounds = self._words.fontMetrics().boundingRect(
            0, 0, max(40, widest - margins), 100000, int(Qt.TextFlag.TextWordWrap), self._words.text()
        )
        hint = 0
        if not self._hint.isHidden():
            hint = self._hint.fontMetrics().horizontalAdvance(self._hint.text()) + 4
        width = min(widest, max(bounds.width(), hint) + margins + 4)
        self._box.setFixedWidth(max(60, width))
        self._words.setFixedHeight(max(1, self._words.heightForWidth(width - margins)))


class _Bubble(QWidget):
    outlined = False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        path.addRoundedRect(rect, RADIUS_MESSAGE, RADIUS_MESSAGE)
        path.addRoundedRect(rect.adjusted(rect.width() - 24, rect.height() - 24, 0, 0), 4, 4)
        if self.outlined:
            painter.setPen(QPen(tokens().colour("accent"), 1, Qt.PenStyle.DashLine))
            painter.drawPath(path.simplified())
        else:
            painter.fillPath(path.simplified(), tokens().colour("accent_soft"))


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


class EndLine(QWidget):
    """How a turn ended that was not simply done."""

    def __init__(self, item: Ended) -> None:
        super().__init__()
        words, tone = end_words(item)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.addWidget(label(words, tone, wrap=True))
        self.setAccessibleName(words)


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
