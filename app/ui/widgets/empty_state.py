"""What a pane shows when it has nothing: what to do, and the button to do it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.icons import icon_pixmap
from app.ui.theme import XL, S, theme
from app.ui.widgets.basics import label


class EmptyState(QWidget):
    """An icon, a title, a sentence, and buttons under one another."""

    def __init__(self, icon_name: str, title: str, text: str, buttons: list[QPushButton]) -> None:
        super().__init__()
        self._icon_name = icon_name
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title = label(title, "heading", wrap=True)
        self.text = label(text, "secondary", wrap=True)
        for words in (self.title, self.text):
            words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(XL, XL, XL, XL)
        layout.setSpacing(S)
        layout.addStretch(2)
        layout.addWidget(self._picture)
        layout.addWidget(self.title)
        layout.addWidget(self.text)
        layout.addSpacing(S)
        for made in buttons:
            layout.addWidget(made, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        theme().changed.connect(self._tint)
        self._tint()

    def _tint(self) -> None:
        self._picture.setPixmap(icon_pixmap(self._icon_name, "text_3", 32))
