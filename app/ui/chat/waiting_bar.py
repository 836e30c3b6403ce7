"""Says above the composer that the agent waits for the person, where its card is out of sight."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.icons import icon_pixmap
from app.ui.theme import XS, M, S, theme
from app.ui.widgets.basics import ElidedLabel, button, rule


class WaitingBar(QWidget):
    """Hidden unless something waits out of sight."""

    def __init__(self, on_show: Callable[[], object]) -> None:
        super().__init__()
        self._sign = QLabel()
        row = QHBoxLayout()
        row.setContentsMargins(14, XS, M, XS)
        row.setSpacing(S)
        row.addWidget(self._sign)
        row.addWidget(ElidedLabel(self.tr("The agent waits for your answer"), "warn"), 1)
        self.show_button = button(self.tr("Show"), on_show, kind="link")
        self.show_button.setToolTip(self.tr("Go to the question (Ctrl+Shift+A)"))
        row.addWidget(self.show_button, alignment=Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(rule())
        layout.addLayout(row)
        theme().changed.connect(self._tint)
        self._tint()
        self.hide()

    def _tint(self) -> None:
        self._sign.setPixmap(icon_pixmap("alert", "warn", 14))
