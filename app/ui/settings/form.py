"""A form of names and fields, and a field with suggestions."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QHBoxLayout, QLineEdit, QWidget

from app.ui.theme import L, S
from app.ui.widgets.basics import label
from app.ui.widgets.fields import Choice


class Form(QGridLayout):
    """Names at the left, fields at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalSpacing(L)
        self.setVerticalSpacing(S)
        self.setColumnMinimumWidth(0, 92)
        self.setColumnStretch(1, 1)

    def add(self, name: str, field: QWidget, *after: QWidget, stretch: bool = True) -> None:
        """Add a line; what comes after the field stands at its right."""
        row = self.rowCount()
        words = label(name)
        words.setBuddy(field)
        self.addWidget(words, row, 0)
        if name and not field.accessibleName():
            field.setAccessibleName(name)
        line = QHBoxLayout()
        line.setSpacing(S)
        line.addWidget(field, int(stretch))
        for widget in after:
            line.addWidget(widget, int(not stretch))
        if not stretch and not after:
            line.addStretch(1)
        self.addLayout(line, row, 1)


class Suggestions(Choice):
    """A field to type into that also offers values; what is typed counts, suggested or not."""

    def __init__(self, placeholder: str) -> None:
        super().__init__({}, "", placeholder)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._edit = QLineEdit()
        self._edit.setPlaceholderText(placeholder)
        self.setLineEdit(self._edit)
        self._edit.setProperty("inside", "true")
        self.activated.connect(lambda place: self._edit.setText(str(self.itemData(place) or "")))

    def text(self) -> str:
        """Return what is typed or chosen."""
        return self._edit.text()

    def setText(self, text: str) -> None:
        """Put a value in."""
        self._edit.setText(text)

    def set_values(self, values: Mapping[str, str]) -> None:
        """Offer these values with their words; what is typed stays."""
        typed = self.text()
        self.clear()
        for value, words in values.items():
            self.addItem(words if words.startswith(value) else f"{value} · {words}", value)
        completer = QCompleter(list(values), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._edit.setCompleter(completer)
        self.setCurrentIndex(-1)
        self._edit.setText(typed)
