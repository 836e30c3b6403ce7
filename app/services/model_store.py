"""The models on this computer: list, download, add, choose, delete. `application.models`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.errors import ModelError, NotFoundError, SettingsError, UsageError
from app.llm.remote.address import is_near
from app.services.home_lock import HomeLock
from app.services.model_catalogue import Catalogue, Order, builtin_catalogue, ordered, stored_name, unknown
from app.services.stored_files import (
    StoredFiles,
    check_room,
    copy_steps,
    fit_of_entry,
    hash_steps,
    link,
    unlinked,
)
from app.services.stored_models import ModelKind, Offer, Origin, Removed, StoredModel
from app.services.threads import off_loop
from app.settings import Settings
from app.sources.client import new_client
from app.sources.downloads import Wanted, download
from app.sources.part_file import PART, PartFile
from app.sources.transfer import (
    DownloadDamagedError,
    OnTransfer,
    Pace,
    TransferProgress,
    TransferState,
    ignore,
)

SaveSettings = Callable[[Mapping[str, Any]], Awaitable[None]]


class ModelStore:
    """Models in `<home>/models`, the built-in ones, and what the catalogue offers."""

    def __init__(
        self,
        home: Path,
        settings: Callable[[], Settings],
        save_settings: SaveSettings,
        catalogue: Catalogue | None = None,
    ) -> None:
        self._settings = settings
        self._save = save_settings
        self._catalogue = catalogue
        self._files = StoredFiles(home, lambda: self.catalogue)
        self._running: dict[str, float | None] = {}

    @property
    def catalogue(self) -> Catalogue:
        """What can be downloaded; read when it is first asked for."""
        return self._catalogue or builtin_catalogue()

    async def models(self) -> tuple[StoredModel, ...]:
        """Return the models on this computer, the active ones first; damaged ones with their problem."""
        found = await off_loop(self._files.all, self._settings())
        return tuple(
            sorted(found, key=lambda model: (not model.active, model.kind.value, model.name.lower()))
        )

    async def offers(self) -> tuple[Offer, ...]:
        """Return the catalogue, small models first, with whether each fits into this machine."""
        stored = {model.entry.name: model for model in await self.models() if model.entry}
        return tuple(await off_loop(lambda: list(self._offers(stored))))

    async def find(self, name: str) -> StoredModel:
        """Return a model on this computer by its name, file name or path; NotFoundError if there is none."""
        wanted = name.strip().lower()
        models = await self.models()
        for model in models:
            if wanted in (model.name.lower(), model.path.name.lower(), str(model.path).lower()):
                return model
        if entry := self.catalogue.find(wanted):
            raise NotFoundError(
                f"{entry.label} is not on this computer.", hint=f"`astroresearch models pull {entry.name}`."
            )
        raise unknown(name, self.catalogue)

    async def pull(self, name: str, on_progress: OnTransfer = ignore) -> StoredModel:
        """Download a model of the catalogue, or any GGUF by `owner/repo/file.gguf` or its address.

        Goes on where an earlier download ended. Cancel the task to stop; what came stays for the next time.
        Raises NotFoundError, ModelError and the kinds of `app.sources.transfer.DownloadError`.
        """
        order = ordered(name.strip(), self.catalogue, self._settings().llm.model_hosts)
        path = self._files.folder / order.file
        if (here := await self._here(order, path)) is not None:
            return here
        if self._settings().offline and not all(is_near(url) for url in order.urls):
            raise ModelError(
                "The program is offline: nothing is downloaded.",
                hint="Go online, or add a GGUF file that you have already.",
                code="offline",
            )
        entry = order.entry
        wanted = Wanted(
            name=order.name,
            urls=order.urls,
            path=path,
            sha256=entry.sha256 if entry else "",
            size=entry.size if entry else None,
        )
        llm = self._settings().llm
        async with self._alone(order.name, path):
            client = await off_loop(
                lambda: new_client(
                    proxy="" if llm.proxy == "none" else llm.proxy,
                    ca_file=llm.ca_file,
                    direct=llm.proxy == "none",
                    user_agent=self._settings().sources.user_agent,
                )
            )
            async with client:
                await download(wanted, self._noted(order.name, on_progress), client=client)
            model = await off_loop(self._files.one, path, self._settings())
            if model.problem:
                await off_loop(path.unlink)
                raise DownloadDamagedError(f"{path.name} cannot be used: {model.problem}")
        return model

    async def add(self, path: Path, on_progress: OnTransfer = ignore) -> StoredModel:
        """Take a GGUF file into the store: linked where the disk is the same, copied otherwise.

        The person's file stays where it is. Raises ModelError for what is no usable GGUF.
        """
        given = path.expanduser().resolve()
        if not await off_loop(given.is_file):
            raise ModelError(
                f"There is no file at {given}.", hint="Give the path of a .gguf file.", code="not_found"
            )
        model = await off_loop(self._files.one, given, self._settings(), Origin.OUTSIDE)
        if model.problem:
            raise ModelError(f"{path.name} was not added: {model.problem}", code="model_damaged")
        known = await off_loop(self._files.twin, given)
        if known is None:
            known = await off_loop(self._files.destination, stored_name(given.name, model.label))
            async with self._alone(given.stem, known):
                if not await off_loop(link, given, known):
                    await self._copy(given, known, self._noted(given.stem, on_progress))
        return await off_loop(self._files.one, known, self._settings())

    async def use(self, name: str) -> StoredModel:
        """Make it the chat or the embedding model from now on. ModelError when it cannot be used."""
        model = await self.find(name)
        if model.problem:
            raise ModelError(f"{model.label} cannot be used: {model.problem}", code="model_damaged")
        if model.fit and not model.fit.fits:
            raise ModelError(model.fit.message, code="model_memory")
        own = None if model.origin is Origin.BUILT_IN else model.path
        if model.kind is ModelKind.CHAT:
            await self._save({"llm": {"provider": "local", "model_path": own}})
        else:
            await self._save({"embedding": {"provider": "local", "model": str(own) if own else None}})
        used = await self.find(str(model.path))
        if not used.active:
            key = "LLM__MODEL_PATH" if model.kind is ModelKind.CHAT else "EMBEDDING__MODEL"
            raise SettingsError(
                f"{model.label} was written to the settings, but the environment says otherwise.",
                hint=f"Unset ASTRORESEARCH_{key} (and …__PROVIDER).",
            )
        return used

    async def delete(self, name: str) -> Removed:
        """Delete a model of the store, or the part of a download.

        If it was the active one, the built-in one takes over. Raises UsageError for one that is not ours.
        """
        if name in self._running:
            raise UsageError(f"{name} is being downloaded.", hint="Stop the download first.")
        if (entry := self.catalogue.find(name)) and (size := await off_loop(self._files.partial, entry)):
            await off_loop(PartFile(self._files.folder / entry.file).discard)
            return Removed(entry.name, size)
        model = await self.find(name)
        if model.origin is not Origin.STORE:
            where = "comes with the program" if model.origin is Origin.BUILT_IN else "is a file of yours"
            raise UsageError(
                f"{model.label} {where}: it is not deleted here.", hint="Choose another model instead."
            )
        now = await self._left(model) if model.active else ""
        await off_loop(unlinked, model.path)
        return Removed(model.name, model.size, now)

    async def check(self, model: StoredModel) -> str:
        """Read the whole file and compare it with the checksum of the catalogue; returns what is wrong."""
        if model.problem or not (model.entry and model.entry.sha256):
            return model.problem
        steps = hash_steps(model.path)
        digest = ""
        while (found := await off_loop(next, steps, None)) is not None:
            digest = found
        if digest == model.entry.sha256:
            return ""
        return f"{model.path.name} is not the file of the catalogue: its checksum differs. Download it again."

    def pulling(self) -> dict[str, float | None]:
        """Return the names that are being downloaded now, with their shares."""
        return dict(self._running)

    async def _left(self, model: StoredModel) -> str:
        """Let the built-in model take over; a file that is in use cannot be deleted everywhere."""
        if model.kind is ModelKind.CHAT:
            await self._save({"llm": {"model_path": None}})
        else:
            await self._save({"embedding": {"model": None}})
        active = (other for other in await self.models() if other.active and other.kind is model.kind)
        return next((other.name for other in active), "")

    def _offers(self, stored: Mapping[str, StoredModel]) -> Iterator[Offer]:
        for entry in sorted(self.catalogue.models, key=lambda entry: (entry.kind.value, entry.size)):
            fit = fit_of_entry(entry, self._settings())
            partial = 0 if entry.name in stored else self._files.partial(entry)
            yield Offer(model=entry, fit=fit, stored=stored.get(entry.name), partial=partial)

    async def _here(self, order: Order, path: Path) -> StoredModel | None:
        """Return what was ordered if it is here already; a damaged file gives way to a new download."""
        if not path.exists():
            return None
        model = await off_loop(self._files.one, path, self._settings())
        if model.problem:
            await off_loop(unlinked, path)
            return None
        if order.entry is not None and model.entry != order.entry:
            raise UsageError(
                f"There is another file named {path.name} already.",
                hint=f"Delete it first: `astroresearch models delete {model.name}`.",
            )
        return model

    @asynccontextmanager
    async def _alone(self, name: str, path: Path) -> AsyncIterator[None]:
        """Hold a name while its file is made, against this and other processes."""
        busy = UsageError(f"{name} is being downloaded already.", hint="Wait for it to end.", code="busy")
        if name in self._running:
            raise busy
        await off_loop(lambda: path.parent.mkdir(parents=True, exist_ok=True))
        lock = HomeLock(path.with_name(f".{path.name}.lock"))
        if not await off_loop(lock.acquire):
            raise busy
        self._running[name] = None
        try:
            yield
        finally:
            del self._running[name]
            lock.release()

    def _noted(self, name: str, on_progress: OnTransfer) -> OnTransfer:
        def report(progress: TransferProgress) -> None:
            if name in self._running:
                self._running[name] = progress.share
            on_progress(replace(progress, name=name))

        return report

    async def _copy(self, given: Path, known: Path, on_progress: OnTransfer) -> None:
        size = given.stat().st_size
        await off_loop(check_room, known.parent, size)
        pace = Pace(given.stem, on_progress, time.monotonic)
        part = known.with_name(known.name + PART)
        steps = copy_steps(given, part)
        try:
            while (done := await off_loop(next, steps, None)) is not None:
                pace.moved(TransferState.RUNNING, done, size)
            await off_loop(part.replace, known)
        finally:
            await off_loop(steps.close)
            await off_loop(lambda: part.unlink(missing_ok=True))
        pace.became(TransferState.DONE, size, size)
