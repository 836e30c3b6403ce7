"""What the window does with settings and models: the dialog, the menu of the model, writing changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.services.changes import ReindexProgress
from app.ui.models.menu import MenuDeeds, model_menu, model_words
from app.ui.models.reindexing import reindex_short
from app.ui.models.work import ModelWork
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.models_page import choose_models
from app.ui.tasks import Tasks
from app.ui.theme import Scheme, theme
from app.ui.top_bar import TopBar

if TYPE_CHECKING:
    from app.application import Application

GGUF = ".gguf"


class SettingsDesk(QObject):
    """Belongs to the window; `top` shows the switch and the model in use."""

    language_changed = Signal()
    status_changed = Signal()
    model_changed = Signal()
    """The model in use may be another one, or read more."""

    def __init__(
        self,
        window: QWidget,
        application: Application,
        tasks: Tasks,
        post: Callable[..., object],
        top: TopBar,
    ) -> None:
        super().__init__(window)
        self._window, self._application, self._tasks, self._top = window, application, tasks, top
        self._post = post
        self.dialog: SettingsDialog | None = None
        show_models = partial(self.open, "models")
        self.work = ModelWork(application.models, application.passports, tasks, post, show_models)
        self.work.used.connect(self.show)
        self.work.moved.connect(lambda _: self.status_changed.emit())
        top.offline_toggled.connect(lambda on: self.change({"offline": bool(on)}))
        top.model_menu_wanted.connect(self._open_menu)
        top.settings_wanted.connect(self.open)

    def open(self, page: str = "") -> None:
        """Open the settings beside the work, at a page or where they were."""
        if self.dialog is None:
            self.dialog = SettingsDialog(self._application, self.work, self._tasks, self._post, self._window)
            self.dialog.changed.connect(self.change)
        self.dialog.show_settings(self._application)
        if page:
            self.dialog.show_page(page)
        self.dialog.show()
        self.dialog.raise_()

    def change(self, changes: Mapping[str, Any]) -> None:
        """Write settings and work by them at once."""
        self._tasks.start(self._change(changes))

    def show(self) -> None:
        """Show the settings in use wherever they show."""
        settings = self._application.settings
        app = QApplication.instance()
        if isinstance(app, QApplication) and theme().scheme is not Scheme(settings.ui.theme):
            theme().apply(app, Scheme(settings.ui.theme))
        self._top.set_offline(settings.offline)
        chat = self._application.chat
        self._top.set_model(*model_words(chat.info if chat is not None else None))
        if self.dialog is not None:
            self.dialog.show_settings(self._application)
        self.model_changed.emit()

    def reindexed(self, progress: ReindexProgress) -> None:
        """Show how far the index of another embedding model is."""
        if self.dialog is not None:
            self.dialog.reindexing.show_progress(progress)
        self.status_changed.emit()

    def status(self) -> str:
        """Return what goes on with models and their index, in a few words."""
        parts = (self.work.status(), reindex_short(self._application.reindexer.progress))
        return " · ".join(filter(None, parts))

    def menu(self) -> QMenu:
        """Return the menu of the model in use."""
        chat = self._application.chat
        deeds = MenuDeeds(self.work.use, self._use_service, self.open, self._add_file)
        return model_menu(
            self._window,
            chat.info if chat is not None else None,
            self._application.settings,
            self.work.chats(),
            deeds,
        )

    async def _change(self, changes: Mapping[str, Any]) -> None:
        before = self._application.settings
        try:
            await self._application.change_settings(changes)
        finally:
            self.show()
        after = self._application.settings
        if after.llm != before.llm or after.embedding != before.embedding:
            self.work.refresh()
        if after.ui.language != before.ui.language:
            self.language_changed.emit()

    def _open_menu(self) -> None:
        """The lists are read first: what fits into memory is different every time."""
        self._tasks.start(self._opened_menu(), "model menu")

    async def _opened_menu(self) -> None:
        await self.work.read()
        button = self._top.model
        self.menu().popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _use_service(self) -> None:
        anthropic = self._application.settings.llm.service == "anthropic"
        self.change({"llm": {"provider": "anthropic" if anthropic else "openai"}})

    def _add_file(self) -> None:
        choose_models(self._window, self.work.add)


def parted(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the models among some paths, and the rest."""
    models = [path for path in paths if path.suffix.lower() == GGUF]
    return models, [path for path in paths if path not in models]
