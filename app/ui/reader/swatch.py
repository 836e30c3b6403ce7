"""A small square of note colour that can be pressed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton

from app.ui.reader.note_words import colour_name
from app.ui.theme import tokens


class Swatch(QToolButton):
    """Sixteen pixels of colour; the one in use has a ring."""

    def __init__(self, colour: str, size: int = 16, hint: str = "") -> None:
        super().__init__()
        self.colour = colour
        self._size = size
        self.setCheckable(True)
        self.setFixedSize(size + 6, size + 6)
        self.setStyleSheet("QToolButton { min-width: 0; min-height: 0; }")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(colour_name(colour))
        self.setToolTip(hint or colour_name(colour))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = (self.width() - self._size) / 2
        box = QRectF(inset, inset, self._size, self._size)
        painter.setBrush(tokens().highlight(self.colour))
        painter.setPen(
            QPen(QColor(128, 128, 128, 90) if not self.underMouse() else tokens().colour("text_3"), 1)
        )
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if self.isChecked() or self.hasFocus():
            ring = tokens().colour("accent" if self.hasFocus() else "text_3")
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ring, 1.2))
            painter.drawRoundedRect(box.adjusted(-1.75, -1.75, 1.75, 1.75), 5.5, 5.5)
