"""Choices and check boxes whose arrow and tick are drawn from our icons, in the token's colour."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QStyle, QStyleOptionButton

from app.ui.icons import paint_icon
from app.ui.theme import tokens


class Choice(QComboBox):
    """A drop-down of values with their words."""

    def __init__(self, values: Mapping[str, str], chosen: str, says: str) -> None:
        super().__init__()
        for value, words in values.items():
            self.addItem(words, value)
        self.setCurrentIndex(max(0, self.findData(chosen)))
        self.setAccessibleName(says)
        self.setMinimumWidth(160)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        place = QRectF(self.width() - 21, (self.height() - 12) / 2, 12, 12)
        paint_icon(painter, place, "chevron-down", tokens().colour("text_3"))


class Check(QCheckBox):
    """A check box with a tick that can be seen."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        paint_icon(QPainter(self), QRectF(box).adjusted(2, 2, -2, -2), "check", tokens().colour("on_accent"))
