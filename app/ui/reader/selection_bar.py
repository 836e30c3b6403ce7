"""The small bar that appears under selected words: colours, note, copy, ask."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.ui.reader.swatch import Swatch
from app.ui.theme import NOTE_COLOURS, XS, S
from app.ui.widgets.basics import icon_button, rule


class SelectionBar(QFrame):
    """Never takes the keyboard: everything in it has a shortcut as well."""

    colour_asked = Signal(str)
    note_asked = Signal()
    copy_asked = Signal()
    question_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setProperty("frame", "popover")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(XS, XS, XS, XS)
        row.setSpacing(2)
        for colour in NOTE_COLOURS[:4]:
            swatch = Swatch(colour)
            swatch.setCheckable(False)
            swatch.clicked.connect(lambda _=False, c=colour: self.colour_asked.emit(c))
            row.addWidget(swatch)
        row.addWidget(rule("v"))
        row.addWidget(icon_button("pen", self.tr("Highlight and write a note (N)"), self.note_asked.emit))
        row.addWidget(icon_button("copy", self.tr("Copy (Ctrl+C)"), self.copy_asked.emit))
        row.addWidget(icon_button("chat", self.tr("Ask about this (A)"), self.question_asked.emit))
        for child in self.findChildren(QWidget):
            child.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_under(self, words: QRectF) -> None:
        """Appear under the words, or over them at the foot of the view."""
        self.adjustSize()
        area = self._over.rect()
        left = round(min(max(S, words.center().x() - self.width() / 2), area.width() - self.width() - S))
        below = round(words.bottom()) + S
        top = below if below + self.height() < area.height() else round(words.top()) - self.height() - S
        self.move(QPoint(left, max(S, top)))
        self.show()
        self.raise_()
