"""The errors of this run, to read and to copy."""

from __future__ import annotations

import platform
import sys

import PySide6
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.ui.theme import L, S, mono_font
from app.ui.widgets.basics import button, label
from app.ui.widgets.notices import Notices


class ErrorLog(QDialog):
    """Opens beside the work; opening it counts as having read the errors."""

    def __init__(self, parent: QWidget, notices: Notices) -> None:
        super().__init__(parent)
        self._notices = notices
        self.setWindowTitle(self.tr("Errors"))
        self.setModal(False)
        self.resize(620, 380)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setFont(mono_font(12))
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(button(self.tr("Copy report"), self._copy))
        foot.addWidget(button(self.tr("Close"), self.close, kind="primary"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(L, L, L, L)
        layout.setSpacing(S)
        layout.addWidget(
            label(self.tr("What went wrong since the program was started. Nothing is sent anywhere."), "meta")
        )
        layout.addWidget(self._text, 1)
        layout.addLayout(foot)

    def open_log(self) -> None:
        """Show the errors and count them as read."""
        entries = ["\n".join(filter(None, (m.text, m.hint, m.details))) for m in self._notices.log]
        self._text.setPlainText("\n\n".join([*entries, _versions()]))
        self._notices.mark_read()
        self.show()
        self.raise_()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())


def _versions() -> str:
    return f"Python {sys.version.split()[0]} · Qt {PySide6.__version__} · {platform.platform()}"
