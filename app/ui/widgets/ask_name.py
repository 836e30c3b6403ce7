"""A small dialog that asks for one name, without blocking anything."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.ui.theme import L, S
from app.ui.widgets.basics import button


def ask_name(
    parent: QWidget,
    title: str,
    confirm: str,
    text: str,
    done: Callable[[str], object],
    *,
    secret: bool = False,
) -> QDialog:
    """Open a dialog with one field; call `done` with what was typed, unless it is empty or cancelled."""
    dialog = QDialog(parent.window())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setMinimumWidth(340)
    edit = QLineEdit(text)
    edit.setAccessibleName(title)
    if secret:
        edit.setEchoMode(QLineEdit.EchoMode.Password)

    def accept() -> None:
        name = edit.text() if secret else edit.text().strip()
        dialog.accept()
        if name:
            done(name)

    edit.returnPressed.connect(accept)
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(button(QCoreApplication.translate("AskName", "Cancel"), dialog.reject))
    row.addWidget(button(confirm, accept, kind="primary"))
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(L, L, L, L)
    layout.setSpacing(S)
    layout.addWidget(edit)
    layout.addLayout(row)
    dialog.open()
    edit.selectAll()
    edit.setFocus()
    return dialog
