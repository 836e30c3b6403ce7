"""What a tab shows instead of pages: nothing yet, a wait, a password, an error; and pages that fail."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.errors import AppError, WorkerCrashedError, WorkerTimeoutError
from app.ui.icons import icon_pixmap
from app.ui.theme import XL, L, M, S, tokens
from app.ui.widgets.basics import button, label

LOADING_AFTER_MS = 150
PROBLEM_WIDTH = 320
_SHEET = 0.78
"""Share of the pane that the placeholder sheet takes."""


class Loading(QWidget):
    """A sheet of grey bars, shown only when opening takes longer than a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Opening…"))
        self._late = QTimer(self, singleShot=True, interval=LOADING_AFTER_MS)
        self._late.timeout.connect(self.update)

    def begin(self) -> None:
        """Start to wait."""
        self._late.start()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        t = tokens()
        painter.fillRect(self.rect(), t.colour("sunken"))
        if self._late.isActive():
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = min(620.0, self.width() * _SHEET)
        sheet = QRectF((self.width() - width) / 2, 18, width, width * 1.3)
        painter.fillRect(sheet, t.colour("paper"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.colour("line"))
        painter.drawRoundedRect(QRectF(sheet.left() + width * 0.2, sheet.top() + 48, width * 0.6, 12), 3, 3)
        y = sheet.top() + 100
        while y < min(sheet.bottom() - 40, self.height()):
            for column in (0.09, 0.53):
                painter.drawRoundedRect(QRectF(sheet.left() + width * column, y, width * 0.38, 6), 3, 3)
            y += 17


class PasswordForm(QWidget):
    """Asks for the password in the pane; it is kept for as long as the tab is open, never written down."""

    entered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        picture = QLabel()
        picture.setPixmap(icon_pixmap("lock", "text_3", 32))
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title = label(self.tr("This paper is locked"), "heading")
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._says = label("", "secondary", wrap=True)
        self._says.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(self.tr("Password"))
        self.field.setAccessibleName(self.tr("Password"))
        self.field.setFixedWidth(240)
        self.field.returnPressed.connect(self._enter)
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addStretch(1)
        row.addWidget(self.field)
        row.addWidget(button(self.tr("Open"), self._enter, kind="primary"))
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(XL, XL, XL, XL)
        column.setSpacing(S)
        column.addStretch(2)
        for widget in (picture, title, self._says):
            column.addWidget(widget)
        column.addSpacing(S)
        column.addLayout(row)
        column.addStretch(3)

    def ask(self, *, again: bool) -> None:
        """Ask; `again` after a password that did not fit."""
        self._says.setText(
            self.tr("That password does not fit. Try another one.")
            if again
            else self.tr("Its author protected it. Enter the password to read it.")
        )
        self.field.clear()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _enter(self) -> None:
        if self.field.text():
            self.entered.emit(self.field.text())


class Problem(QWidget):
    """An error with its way out: what happened, what was kept, a button."""

    def __init__(self, on_retry: Callable[[], object]) -> None:
        super().__init__()
        picture = QLabel()
        picture.setPixmap(icon_pixmap("alert", "bad", 28))
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title = label("", "heading", wrap=True)
        self.text = label("", "secondary", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(XL, XL, XL, XL)
        column.setSpacing(S)
        column.addStretch(2)
        column.addWidget(picture)
        for words in (self.title, self.text):
            words.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(words)
        column.addSpacing(S)
        again = button(self.tr("Try again"), on_retry, icon_name="retry")
        column.addWidget(again, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    def show_error(self, error: AppError) -> None:
        """Say what happened."""
        self.title.setText(error.message)
        self.text.setText(error.hint or self.tr("Your notes on this paper are kept."))


class PageProblem(QFrame):
    """A message on a page that cannot be drawn; the other pages go on."""

    def __init__(self, error: AppError, on_retry: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("frame", "card")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        title, text = self._words(error)
        self.title = label(title, "heading", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, M, L, M)
        column.setSpacing(S)
        column.addWidget(self.title)
        column.addWidget(label(text, "secondary", wrap=True))
        again = button(self.tr("Try again"), on_retry, icon_name="retry")
        column.addWidget(again, alignment=Qt.AlignmentFlag.AlignLeft)
        self.setAccessibleName(title)
        self.setFixedSize(PROBLEM_WIDTH, column.totalHeightForWidth(PROBLEM_WIDTH))

    def _words(self, error: AppError) -> tuple[str, str]:
        if isinstance(error, WorkerTimeoutError):
            return self.tr("This page is too heavy to draw"), self.tr(
                "Drawing it was stopped so that the rest of the paper stays quick."
                " Its text can still be searched."
            )
        if isinstance(error, WorkerCrashedError):
            return self.tr("This page cannot be drawn"), self.tr(
                "It makes the drawing program fail, which was restarted. The other pages are not affected."
            )
        return self.tr("This page cannot be drawn"), error.message
