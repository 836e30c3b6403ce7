"""Settings: a small window beside the work; every change applies at once and is written to the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QVBoxLayout,
    QWidget,
)

from app.ui.settings.rules import RuleList
from app.ui.theme import L, M, S
from app.ui.widgets.basics import ElidedLabel, button, label, rule
from app.ui.widgets.fields import Check, Choice

if TYPE_CHECKING:
    from app.application import Application


translate = QCoreApplication.translate
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class SettingsDialog(QDialog):
    """Emits `changed` with nested values as `app.settings.save` takes them."""

    changed = Signal(object)

    def __init__(self, application: Application, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setModal(False)
        self.setMinimumWidth(500)
        self._home = application.home
        settings = application.settings
        self.theme = Choice(
            {"system": self.tr("As the system"), "light": self.tr("Light"), "dark": self.tr("Dark")},
            settings.ui.theme,
            self.tr("Appearance"),
        )
        self.theme.activated.connect(lambda _: self._emit({"ui": {"theme": self.theme.currentData()}}))
        self.language = Choice(
            {"system": self.tr("As the system"), "en": "English", "zh": "中文"},
            settings.ui.language,
            self.tr("Language"),
        )
        self.language.activated.connect(
            lambda _: self._emit({"ui": {"language": self.language.currentData()}})
        )
        self.offline = Check(self.tr("Work offline: nothing leaves this computer"))
        self.offline.setChecked(settings.offline)
        self.offline.clicked.connect(lambda on: self._emit({"offline": bool(on)}))
        self._model = ElidedLabel("", "secondary", Qt.TextElideMode.ElideMiddle)
        self._default = button(self.tr("Use the built-in"), lambda: self._emit({"llm": {"model_path": None}}))
        self.rules = RuleList()
        self.rules.kept.connect(lambda rules: self._emit({"agent": {"permissions": rules}}))
        home = ElidedLabel(str(self._home), "secondary", Qt.TextElideMode.ElideMiddle)
        grid = QGridLayout()
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(M)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, QWidget | QLayout]] = [
            (self.tr("Appearance"), _left(self.theme)),
            (self.tr("Language"), _left(self.language)),
            (self.tr("Network"), self.offline),
            (
                self.tr("Chat model"),
                _line(self._model, button(self.tr("Choose…"), self._choose_model), self._default),
            ),
            (self.tr("Agent’s permissions"), self.rules),
            (self.tr("Library folder"), _line(home, button(self.tr("Open"), self._open_home))),
        ]
        for row, (name, field) in enumerate(rows):
            grid.addWidget(label(name), row, 0, Qt.AlignmentFlag.AlignTop if field is self.rules else _MIDDLE)
            if isinstance(field, QWidget):
                grid.addWidget(field, row, 1)
            else:
                grid.addLayout(field, row, 1)
        note = label(
            self.tr("A chat model is a GGUF file. Changes apply at once; they are kept in settings.toml."),
            "small-hint",
            wrap=True,
        )
        foot = QHBoxLayout()
        foot.addWidget(note, 1)
        foot.addWidget(button(self.tr("Close"), self.close, kind="primary"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(L, L, L, M)
        layout.setSpacing(M)
        layout.addLayout(grid)
        layout.addStretch(1)
        layout.addWidget(rule())
        layout.addLayout(foot)
        self.show_settings(application)

    def show_settings(self, application: Application) -> None:
        """Show the values in use, also when they were changed elsewhere."""
        settings = application.settings
        self.offline.setChecked(settings.offline)
        self.rules.show_rules(settings.agent.permissions)
        path = settings.llm.model_path
        self._model.setText(str(path) if path else self.tr("Built-in (SmolLM2 135M)"))
        self._default.setVisible(path is not None)

    def _emit(self, changes: Mapping[str, Any]) -> None:
        self.changed.emit(changes)

    def _choose_model(self) -> None:
        choose_model(self, lambda path: self._emit({"llm": {"model_path": str(path)}}))

    def _open_home(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._home)))


def choose_model(parent: QWidget, done: Any) -> None:
    """Open a picker for a GGUF file and call `done` with its path."""
    dialog = QFileDialog(parent, translate("SettingsDialog", "Choose a chat model"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters(
        [translate("SettingsDialog", "Models (*.gguf)"), translate("SettingsDialog", "All files (*)")]
    )
    dialog.fileSelected.connect(lambda name: done(Path(name)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _left(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(widget)
    row.addStretch(1)
    return row


def _line(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(S)
    for place, widget in enumerate(widgets):
        row.addWidget(widget, int(place == 0))
    return row
