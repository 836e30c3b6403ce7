"""The general page: how the window looks, the network, the agent's rules, where the library is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.settings import Settings
from app.ui.settings.rules import RuleList
from app.ui.theme import L, M, S
from app.ui.widgets.basics import ElidedLabel, button, label
from app.ui.widgets.fields import Check, Choice

if TYPE_CHECKING:
    from app.application import Application

_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class GeneralPage(QWidget):
    """Emits `changed` with nested values as `app.settings.save` takes them."""

    changed = Signal(object)

    def __init__(self, application: Application) -> None:
        super().__init__()
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
        self.offline.clicked.connect(lambda on: self._emit({"offline": bool(on)}))
        self.rules = RuleList()
        self.rules.kept.connect(lambda rules: self._emit({"agent": {"permissions": rules}}))
        home = ElidedLabel(str(self._home), "secondary", Qt.TextElideMode.ElideMiddle)
        grid = QGridLayout()
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(M)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, QWidget | QLayout]] = [
            (self.tr("Appearance"), _line(self.theme, stretch=False)),
            (self.tr("Language"), _line(self.language, stretch=False)),
            (self.tr("Network"), self.offline),
            (self.tr("Agent’s permissions"), self.rules),
            (self.tr("Library folder"), _line(home, button(self.tr("Open"), self._open_home))),
        ]
        for row, (name, field) in enumerate(rows):
            grid.addWidget(label(name), row, 0, Qt.AlignmentFlag.AlignTop if field is self.rules else _MIDDLE)
            if isinstance(field, QWidget):
                grid.addWidget(field, row, 1)
            else:
                grid.addLayout(field, row, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(grid)
        layout.addStretch(1)
        self.show_settings(settings)

    def show_settings(self, settings: Settings) -> None:
        """Show the values in use, also when they were changed elsewhere."""
        self.offline.setChecked(settings.offline)
        self.rules.show_rules(settings.agent.permissions)

    def _emit(self, changes: Mapping[str, Any]) -> None:
        self.changed.emit(changes)

    def _open_home(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._home)))


def _line(*widgets: QWidget, stretch: bool = True) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(S)
    for place, widget in enumerate(widgets):
        row.addWidget(widget, int(stretch and place == 0))
    if not stretch:
        row.addStretch(1)
    return row
