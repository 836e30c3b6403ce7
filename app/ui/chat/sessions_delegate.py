"""How a conversation stands in the list: its title, below it when, and what it does now."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.icons import paint_icon
from app.ui.theme import ICON_SIZE, META_PX, RADIUS_CONTROL, M, S, interface_font, tokens

HEIGHT = 50
MENU_WIDTH = 40
"""At the right of a row: the place of the dots that open its menu."""


class SessionsDelegate(QStyledItemDelegate):
    """Paints two lines, and a dot while a turn runs."""

    META = Qt.ItemDataRole.UserRole + 1
    STANDING = Qt.ItemDataRole.UserRole + 2

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = tokens()
        standing = index.data(self.STANDING)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        box = QRectF(rect).adjusted(S, 1, -S, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        current = self._view.hasFocus() and index == self._view.currentIndex()
        ground = (
            "accent_soft" if standing.shown else "sunken" if state & QStyle.StateFlag.State_MouseOver else ""
        )
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(t.colour(ground))
            painter.drawRoundedRect(box, RADIUS_CONTROL, RADIUS_CONTROL)
        if current:
            painter.setPen(t.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_CONTROL, RADIUS_CONTROL)
        inner = box.adjusted(M - 2, 5, -M, -5)
        if state & QStyle.StateFlag.State_MouseOver or current:
            place = QRectF(
                inner.right() - ICON_SIZE + 2, box.center().y() - ICON_SIZE / 2, ICON_SIZE, ICON_SIZE
            )
            paint_icon(painter, place, "more", t.colour("text_2"))
            inner.setRight(inner.right() - ICON_SIZE - S)
        if standing.running or standing.waiting:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(t.colour("warn" if standing.waiting else "accent"))
            painter.drawEllipse(QRectF(inner.right() - 7, inner.top() + 6, 7, 7))
            inner.setRight(inner.right() - 16)
        title = interface_font(weight=600 if standing.shown else 400)
        painter.setFont(title)
        painter.setPen(t.colour("accent" if standing.shown else "text"))
        words = QFontMetrics(title).elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, int(inner.width())
        )
        half = inner.height() / 2
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), half), flags, words)
        painter.setFont(interface_font(META_PX, tabular=True))
        painter.setPen(t.colour("text_3"))
        below = QRectF(inner.left(), inner.top() + half, inner.width(), half)
        painter.drawText(below, flags, str(index.data(self.META)))
        painter.restore()
