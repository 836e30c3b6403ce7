"""A small dialog that asks before something that cannot be undone, without blocking anything."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.theme import L, M, S
from app.ui.widgets.basics import button, label


def confirm(parent: QWidget, title: str, words: str, verb: str, done: Callable[[], object]) -> QDialog:
    """Open a dialog that says what will be lost; call `done` if the button `verb` is pressed."""
    dialog = QDialog(parent.window())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setMinimumWidth(340)

    def accept() -> None:
        dialog.accept()
        done()

    keep = button(QCoreApplication.translate("Confirm", "Keep"), dialog.reject)
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(keep)
    row.addWidget(button(verb, accept, kind="danger"))
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(L, L, L, L)
    layout.setSpacing(M)
    layout.addWidget(label(title, "heading", wrap=True))
    layout.addWidget(label(words, "secondary", wrap=True))
    layout.addSpacing(S)
    layout.addLayout(row)
    dialog.open()
    keep.setFocus()
    return dialog
