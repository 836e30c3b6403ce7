"""What goes on with models: downloads, copies, test batteries. It outlives the page that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.errors import AppError
from app.services.model_store import ModelStore
from app.services.passport import Passport, PassportService
from app.services.stored_models import ModelKind, Offer, StoredModel, TransferProgress, TransferState
from app.ui.tasks import Tasks
from app.ui.widgets.notices import Message

Post = Callable[..., object]


class ModelWork(QObject):
    """Asks the store and the passports for things, and keeps how far each is.

    `transfers` goes by the name of a model of the catalogue, or what was typed or dropped; `batteries` by
    the path of a model.
    """

    listed = Signal()
    """The models on this computer or the catalogue were read anew."""
    moved = Signal(str)
    """How far a download or a battery is, by name or path; also when it began or ended."""
    used = Signal()
    """Another model was chosen."""

    def __init__(
        self,
        store: ModelStore,
        passports: PassportService,
        tasks: Tasks,
        post: Post,
        show_models: Callable[[], object],
    ) -> None:
        super().__init__()
        self._store, self._passports = store, passports
        self._tasks, self._post, self._show_models = tasks, post, show_models
        self.stored: tuple[StoredModel, ...] = ()
        self.offers: tuple[Offer, ...] = ()
        self.passports: dict[Path, Passport] = {}
        self.known = False
        """Whether the lists were read at least once."""
        self.transfers: dict[str, TransferProgress] = {}
        self.batteries: dict[Path, tuple[float, str]] = {}
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._closed = False

    # -- lists ----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the models on this computer and the catalogue."""
        if not self._closed:
            self._tasks.start(self.read(), "models list")

    def chats(self) -> tuple[StoredModel, ...]:
        """Return the models on this computer that can answer."""
        return tuple(m for m in self.stored if m.kind is ModelKind.CHAT and not m.problem)

    def status(self) -> str:
        """Return what goes on, in a few words; "" while nothing does."""
        names = {offer.model.name: offer.model.label for offer in self.offers}
        labels = {model.path: model.label for model in self.stored}
        getting, testing = self.tr("Getting %1"), self.tr("Testing %1")
        parts = [self._step(getting, names.get(name, name), p.share) for name, p in self.transfers.items()]
        for path, (share, _what) in self.batteries.items():
            parts.append(self._step(testing, labels.get(path, path.stem), share))
        return " · ".join(parts)

    @staticmethod
    def _step(words: str, name: str, share: float | None) -> str:
        said = words.replace("%1", name)
        return said if share is None else f"{said} {100 * share:.0f} %"

    def close(self) -> None:
        """Begin nothing any more; what runs is ended with the tasks of the window."""
        self._closed = True

    async def read(self) -> None:
        """Read them, and wait for that."""
        stored, offers = await self._store.models(), await self._store.offers()
        paths = [model.path for model in stored if model.kind is ModelKind.CHAT and not model.problem]
        kept = await asyncio.to_thread(lambda: {path: self._passports.kept(path) for path in paths})
        self.stored, self.offers, self.known = stored, offers, True
        self.passports = {path: passport for path, passport in kept.items() if passport is not None}
        self.listed.emit()

    # -- downloads and copies -------------------------------------------------------------------

    def pull(self, name: str) -> None:
        """Download a model; goes on where an earlier download ended."""
        name = name.strip()
        if name and name not in self.transfers:
            self._begin(name, self._pull(name), TransferState.CONNECTING)

    def add(self, paths: Sequence[Path]) -> None:
        """Take GGUF files into the store; the person's files stay where they are."""
        for path in paths:
            if path.stem not in self.transfers:
                self._begin(path.stem, self._add(path), TransferState.RUNNING)

    def cancel(self, name: str) -> None:
        """Stop a download or a copy; what came of a download stays for the next time."""
        if (task := self._running.get(name)) is not None:
            task.cancel()

    def _begin(self, name: str, work: Coroutine[Any, Any, None], state: TransferState) -> None:
        self.transfers[name] = TransferProgress(name, state)
        self._run(name, work, self.refresh)
        self.moved.emit(name)

    def _run(self, name: str, work: Coroutine[Any, Any, None], after: Callable[[], object]) -> None:
        """Run it; what is known of it ends with it, even where it was stopped before its first step."""

        def ended(_task: object) -> None:
            self._running.pop(name, None)
            self.transfers.pop(name, None)
            self.batteries.pop(Path(name), None)
            if not self._closed:
                self.moved.emit(name)
                after()

        task = self._running[name] = self._tasks.start(work)
        task.add_done_callback(ended)

    async def _pull(self, name: str) -> None:
        try:
            model = await self._store.pull(name, lambda progress: self._transfer_moved(name, progress))
        except AppError as error:
            again = Message("error", error.message, error.hint, action=self.tr("Try again"))
            self._post(again, lambda: self.pull(name))
        else:
            self._offer_to_use(model, self.tr("%1 is downloaded."))

    async def _add(self, path: Path) -> None:
        try:
            model = await self._store.add(path, lambda progress: self._transfer_moved(path.stem, progress))
        except AppError as error:
            self._post(Message("error", error.message, error.hint))
        else:
            self._offer_to_use(model, self.tr("%1 is added to your models."))

    def _offer_to_use(self, model: StoredModel, words: str) -> None:
        words = words.replace("%1", model.label)
        if model.kind is not ModelKind.CHAT or model.active:
            self._post(Message("info", words))
        elif model.fit is not None and not model.fit.fits:
            self._post(Message("warning", words, model.fit.message))
        else:
            self._post(Message("info", words, action=self.tr("Use it")), lambda: self.use(model.name))

    def _transfer_moved(self, name: str, progress: TransferProgress) -> None:
        if name in self._running:
            self.transfers[name] = progress
            self.moved.emit(name)

    # -- choosing and deleting ------------------------------------------------------------------

    def use(self, name: str) -> None:
        """Answer or search with this model from now on."""
        self._tasks.start(self._use(name), "models use")

    def delete(self, name: str) -> None:
        """Delete a model of the store, or what came of a download."""
        self._tasks.start(self._delete(name))

    async def _use(self, name: str) -> None:
        try:
            model = await self._store.use(name)
        except AppError as error:
            self._post(Message("error", error.message, error.hint))
            return
        finally:
            self.used.emit()
            self.refresh()
        if model.kind is not ModelKind.CHAT:
            return
        if await asyncio.to_thread(self._passports.kept, model.path) is None:
            words = self.tr("%1 is tested for about a minute: what it can do decides how it is used.")
            shown = Message("info", words.replace("%1", model.label), action=self.tr("Show"))
            self._post(shown, self._show_models)
            self.examine(model.path)

    async def _delete(self, name: str) -> None:
        try:
            removed = await self._store.delete(name)
        except AppError as error:
            self._post(Message("error", error.message, error.hint))
            return
        finally:
            self.used.emit()
            self.refresh()
        if removed.now_active:
            words = self.tr("%1 is deleted; %2 takes its place.")
            words = words.replace("%1", removed.name).replace("%2", removed.now_active)
            self._post(Message("info", words))

    # -- passports ------------------------------------------------------------------------------

    def examine(self, path: Path) -> None:
        """Let a model go through the battery and keep its passport."""
        if path not in self.batteries:
            self.batteries[path] = (0.0, "")
            self._run(str(path), self._examine(path), self.listed.emit)
            self.moved.emit(str(path))

    def stop_examining(self, path: Path) -> None:
        """Leave the battery; an older passport stays."""
        self.cancel(str(path))

    async def _examine(self, path: Path) -> None:
        def report(share: float, what: str) -> None:
            if path in self.batteries:
                self.batteries[path] = (share, what)
                self.moved.emit(str(path))

        try:
            self.passports[path] = await self._passports.make(path, report)
        except AppError as error:
            self._post(Message("error", error.message, error.hint))
        else:
            self.used.emit()
