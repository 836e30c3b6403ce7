"""Adding papers from the window: files, folders, the welcome paper, passwords, retries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.errors import AppError
from app.services import welcome
from app.services.changes import ImportProgress
from app.ui.library.imports import ImportList
from app.ui.tasks import Tasks
from app.ui.widgets.notices import Message

if TYPE_CHECKING:
    from app.application import Application


class Adding(QObject):
    """Puts files into the application's import queue and keeps the list of what came of them."""

    moved = Signal()
    """The list changed."""

    def __init__(
        self,
        application: Application,
        tasks: Tasks,
        post: Callable[..., object],
        show_queue: Callable[[], object],
    ) -> None:
        super().__init__()
        self._importer = application.importer
        self._tasks = tasks
        self._post = post
        self._show_queue = show_queue
        self.list = ImportList()

    def add(self, paths: Sequence[Path], passwords: Sequence[str] = ()) -> None:
        """Add files and folders; what is done already stays as it is."""
        if paths:
            self._tasks.start(self._enqueue(list(paths), passwords))

    def add_welcome(self) -> None:
        """Add the welcome paper."""
        try:
            self.add([welcome.paper()])
        except AppError as error:
            self._post(Message("error", error.message, error.hint))

    def choose_files(self, parent: QWidget) -> None:
        """Open a file picker; the window works on behind it."""
        dialog = QFileDialog(parent, self.tr("Add papers"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([self.tr("Papers (*.pdf *.md *.markdown)"), self.tr("All files (*)")])
        self._open(dialog)

    def choose_folder(self, parent: QWidget) -> None:
        """Open a folder picker."""
        dialog = QFileDialog(parent, self.tr("Add a folder of papers"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        self._open(dialog)

    def retry(self, item: ImportProgress) -> None:
        """Try a file again."""
        self.list.items.pop(item.item_id, None)
        self.add([item.path])

    def unlock(self, item: ImportProgress, password: str) -> None:
        """Try a locked file with a password."""
        self.list.items.pop(item.item_id, None)
        self.add([item.path], [password])

    def cancel(self) -> None:
        """Drop what was not begun."""
        self._tasks.start(self._cancel())

    def take(self, step: ImportProgress) -> None:
        """Take one step of the import."""
        self.list.apply(step)
        self.moved.emit()
        if step.finished and not self.list.running():
            self._tell_of_failures()

    def _tell_of_failures(self) -> None:
        failed = self.list.failures()
        locked = [i for i in self.list.items.values() if i.finished and i.status == "needs_password"]
        if len(failed) == 1:
            words = self.tr("“%1” was not imported.").replace("%1", failed[0].path.name)
            self._post(Message("warning", words, failed[0].message, action=self.tr("Show")), self._show_queue)
        elif failed:
            words = self.tr("%n file(s) were not imported.", None, len(failed))
            hint = self.tr("The import queue gives the reason for each.")
            self._post(Message("warning", words, hint, action=self.tr("Show")), self._show_queue)
        elif locked:
            words = self.tr("%n file(s) need a password.", None, len(locked))
            self._post(Message("info", words, action=self.tr("Enter password")), self._show_queue)

    async def _enqueue(self, paths: Sequence[Path], passwords: Sequence[str]) -> None:
        try:
            count = await self._importer.enqueue(paths, passwords=passwords)
        except AppError as error:
            self._post(Message("error", error.message, error.hint))
            return
        if not count:
            words = self.tr("Nothing to add there.")
            self._post(Message("warning", words, self.tr("PDF and Markdown files can be added.")))

    async def _cancel(self) -> None:
        dropped = await self._importer.cancel()
        if dropped:
            self._post(Message("info", self.tr("%n file(s) taken out of the queue.", None, dropped)))

    def _open(self, dialog: QFileDialog) -> None:
        dialog.fileSelected.connect(dialog.deleteLater)
        dialog.rejected.connect(dialog.deleteLater)
        dialog.filesSelected.connect(lambda names: self.add([Path(name) for name in names]))
        dialog.open()
