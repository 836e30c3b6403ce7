"""Settings: a window beside the work; every change applies at once and is written to the file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.ui.models.reindexing import ReindexLine
from app.ui.models.work import ModelWork
from app.ui.settings.general_page import GeneralPage
from app.ui.settings.models_page import ModelsPage
from app.ui.settings.service_page import ServicePage
from app.ui.tasks import Tasks
from app.ui.theme import XXS, L, M
from app.ui.widgets.basics import button, label, rule

if TYPE_CHECKING:
    from app.application import Application

SIZE = (860, 640)
NAMES_WIDTH = 148


class SettingsDialog(QDialog):
    """Emits `changed` with nested values as `app.settings.save` takes them."""

    changed = Signal(object)

    def __init__(
        self,
        application: Application,
        work: ModelWork,
        tasks: Tasks,
        post: Callable[..., object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setModal(False)
        self.resize(*SIZE)
        self._work = work
        self.general = GeneralPage(application)
        self.reindexing = ReindexLine(application, tasks)
        self.models = ModelsPage(work, self.reindexing)
        self.service = ServicePage(application, tasks, post)
        self._stack = QStackedWidget()
        self._names: dict[str, QPushButton] = {}
        names = QVBoxLayout()
        names.setSpacing(XXS)
        self._pages: dict[str, QWidget] = {}
        for key, words, page in (
            ("general", self.tr("General"), self.general),
            ("models", self.tr("Models"), self.models),
            ("service", self.tr("Service"), self.service),
        ):
            self._pages[key] = page
            self._stack.addWidget(page)
            page.changed.connect(self.changed)
            made = button(words, partial(self.show_page, key), kind="row")
            made.setCheckable(True)
            self._names[key] = made
            names.addWidget(made)
        names.addStretch(1)
        side = QWidget()
        side.setFixedWidth(NAMES_WIDTH)
        side.setLayout(names)
        names.setContentsMargins(0, 0, 0, 0)
        middle = QHBoxLayout()
        middle.setSpacing(L)
        middle.addWidget(side)
        middle.addWidget(rule("v"))
        middle.addWidget(self._stack, 1)
        foot = QHBoxLayout()
        foot.addWidget(
            label(self.tr("Changes apply at once; they are kept in settings.toml."), "small-hint", wrap=True),
            1,
        )
        foot.addWidget(button(self.tr("Close"), self.close, kind="primary"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(L, L, L, M)
        layout.setSpacing(M)
        layout.addLayout(middle, 1)
        layout.addWidget(rule())
        layout.addLayout(foot)
        self.show_page("general")
        self.show_settings(application)

    def show_page(self, name: str) -> None:
        """Turn to a page: "general", "models" or "service"."""
        for key, made in self._names.items():
            made.setChecked(key == name)
        self._names[name].setFocus()
        self._stack.setCurrentWidget(self._pages[name])
        if name == "models":
            self._work.refresh()

    def page(self) -> str:
        """Return the name of the page that is shown."""
        return next(key for key, page in self._pages.items() if page is self._stack.currentWidget())

    def show_settings(self, application: Application) -> None:
        """Show the values in use, also when they were changed elsewhere."""
        self.general.show_settings(application.settings)
        self.models.show_settings(application.settings)
        self.service.show_settings(application.settings)
