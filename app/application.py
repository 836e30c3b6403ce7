"""The composition root: builds the parts once, wires them, and takes them down again."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from app import settings as settings_file
from app.documents.client import PdfClient
from app.errors import AppError, HomeError, ModelError, SettingsError
from app.events import Event, Notice, TurnFinished
from app.library import Library
from app.library.storable import storable
from app.llm import weights
from app.llm.chat import ChatModel
from app.llm.embeddings import Embedder, LocalEmbedder
from app.llm.local.client import LocalChatModel
from app.records.ids import PaperId, SessionId
from app.services.answering import Answerer
from app.services.changes import Change, LibraryChanged, LibraryChangeKind
from app.services.importing import Importer
from app.services.notes import NotesService
from app.services.searching import Searcher
from app.services.secrets import Secrets
from app.services.threads import off_loop
from app.settings import Settings, expanded
from app.workers.host import Worker
from app.workers.pool import WorkerPool

_PDF_WORKERS = 2
_IDLE_EXIT_S = 300.0
_CLOSE_S = 10.0
_log = logging.getLogger(__name__)


class Application:
    """An open library with everything that works on it.

        async with Application.open(home) as application:
            async for result in application.importer.add([path]): ...

    Opening is quick and starts no process: workers and models start when first needed.
    `chat` and `embedder` are None where there is no such model; `notices` says why.
    """

    def __init__(
        self,
        home: Path,
        settings: Settings,
        library: Library,
        *,
        notices: Sequence[Notice] = (),
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        self.home = home
        self.settings = settings
        self.library = library
        self.notices = [*notices, *_not_built(settings)]
        self.secrets = Secrets(settings)
        self._watchers: list[Callable[[Change], None]] = []
        self._overrides = dict(overrides or {})
        self._readers = WorkerPool("pdf", _PDF_WORKERS, idle_exit_s=_IDLE_EXIT_S)
        self._painter = Worker("render", idle_exit_s=_IDLE_EXIT_S)
        self.pdf = PdfClient(self._readers, self._painter)
        self.embedder = self._embedder()
        self.chat = self._chat_model()
        self.importer = Importer(library, self.pdf, self.embedder, home=home, on_change=self._changed)
        self.searcher = Searcher(library, self.embedder)
        self.answerer = Answerer(self.searcher, lambda: self.chat)
        self.notes = NotesService(library, self.pdf, self._changed)

    @classmethod
    def open(cls, home: Path, **overrides: Any) -> Application:
        """Open the library in `home`, which is made if it is new; `overrides` are settings, nested.

        Settings that cannot be read are left aside with a notice. Raises HomeError or
        LibraryError when the folder or the database cannot be used.
        """
        home = prepared_home(home)
        notices: list[Notice] = []
        settings = _settings(home, overrides, notices)
        return cls(home, settings, Library.open(home), notices=notices, overrides=overrides)

    async def __aenter__(self) -> Application:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop the import, end the workers, close the database; what hangs is left after a deadline."""
        await _within_deadline("importer", self.importer.close())
        parts: list[tuple[str, Awaitable[None]]] = [
            ("pdf workers", self._readers.close()),
            ("render worker", self._painter.close()),
        ]
        if self.embedder is not None:
            parts.append(("embedder", self.embedder.close()))
        if self.chat is not None:
            parts.append(("chat", self.chat.close()))
        await asyncio.gather(*(_within_deadline(name, closing) for name, closing in parts))
        await off_loop(self.library.close)

    def subscribe(self, watcher: Callable[[Change], None]) -> Callable[[], None]:
        """Call `watcher` on the loop with every change from now on; the returned function ends that."""
        self._watchers.append(watcher)

        def unsubscribe() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return unsubscribe

    def changed(self, kind: LibraryChangeKind, paper_ids: Sequence[PaperId]) -> None:
        """Tell the watchers of a change that was made to the library directly."""
        self._changed(LibraryChanged(kind, tuple(paper_ids)))

    async def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Write changes, nested like the file, to `settings.toml` and work by them from now on.

        Raises SettingsError for a value that is wrong and HomeError where the file cannot be written;
        the settings in use stay as they were then.
        """
        await off_loop(Settings.load, self.home, **_merged(self._overrides, changes))
        await off_loop(settings_file.save, self.home, changes)
        before, self.settings = self.settings, await off_loop(Settings.load, self.home, **self._overrides)
        if self.settings.llm != before.llm:
            old, self.chat = self.chat, self._chat_model()
            if old is not None:
                await _within_deadline("chat", old.close())

    async def run_turn(
        self,
        text: str,
        papers: Sequence[PaperId] = (),
        session: SessionId | None = None,
        *,
        stop: asyncio.Event | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Answer one message; each event is in the journal before it is yielded.

        Without `session` the turn begins a new conversation. Setting `stop` ends it early
        with what is proven by then. Raises UsageError for an empty message, NotFoundError
        for an unknown session.
        """
        journal = self.library.journal
        text = storable(text)
        events = cast("AsyncGenerator[Event, None]", self.answerer.answer(text, papers=papers, stop=stop))
        finished = False
        async with aclosing(events):
            try:
                async for event in events:
                    if session is None:
                        session = await off_loop(journal.new_session, " ".join(text.split())[:80])
                    await off_loop(journal.append, session, event.as_json())
                    finished = isinstance(event, TurnFinished)
                    yield event
            finally:
                if session is not None and not finished:
                    await off_loop(journal.append, session, TurnFinished("stopped").as_json())

    def _changed(self, change: Change) -> None:
        for watcher in tuple(self._watchers):
            watcher(change)

    def _embedder(self) -> Embedder | None:
        """Return the local embedding model; None when there is none, and search then finds words alone."""
        try:
            weights.checked(weights.embedding_onnx(), "embedding model")
        except ModelError as error:
            self.notices.append(Notice("warning", f"{error.message} Search finds words, not meanings."))
            return None
        return LocalEmbedder(Worker("embed", idle_exit_s=_IDLE_EXIT_S))

    def _chat_model(self) -> ChatModel | None:
        """Return the local chat model; None when there is none, and answers are then quotes."""
        llm = self.settings.llm
        model = LocalChatModel(Worker("llm", idle_exit_s=_IDLE_EXIT_S), llm.model_path, llm.context_tokens)
        try:
            model.info  # noqa: B018  reads the head of the file
        except ModelError as error:
            text = f"{error.message} Answers are the best passages, word for word. {error.hint}"
            self.notices.append(Notice("warning", text))
            return None
        return model


def prepared_home(home: Path) -> Path:
    """Return the absolute library folder, made if it is new. Raises HomeError if it cannot be written."""
    home = expanded(home).absolute()
    try:
        str(home).encode()  # SQLite takes names in Unicode alone
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except UnicodeEncodeError as error:
        raise HomeError(
            f"The library folder {home} cannot be used: its name is not Unicode text.",
            hint="Rename the folder, or pick another one with --home.",
        ) from error
    except OSError as error:
        raise HomeError(
            f"The library folder {home} cannot be used: {error.strerror or error}.",
            hint="Give your account write permission for it, or pick another folder with --home.",
        ) from error
    return home


def _settings(home: Path, overrides: dict[str, Any], notices: list[Notice]) -> Settings:
    """Load the settings; what cannot be read is left aside with a notice, never silently.

    Offline is then taken for granted: a broken file may have said so.
    """
    try:
        return Settings.load(home, **overrides)
    except SettingsError as error:
        notices.append(Notice("warning", f"{error.message} It is left aside. {error.hint}"))
    try:
        # environment and overrides still count
        return Settings.load(home / "no settings here", **{"offline": True, **overrides})
    except SettingsError:
        return Settings.defaults().model_copy(update={"offline": True})


def _not_built(settings: Settings) -> list[Notice]:
    """Say of every provider that is chosen and not there yet that the local model stands in for it."""
    chosen = {"llm.provider": settings.llm.provider, "embedding.provider": settings.embedding.provider}
    return [
        Notice(
            "warning",
            f'{key} is "{provider}", which is not built yet: the local model is used, nothing is sent. '
            f'Set {key} to "local" to be rid of this message.',
        )
        for key, provider in chosen.items()
        if provider != "local"
    ]


def _merged(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with the changes in them, section by section; None takes a key out."""
    merged = dict(values)
    for key, value in changes.items():
        if isinstance(value, Mapping):
            merged[key] = _merged(merged.get(key) or {}, value)
        elif value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged


async def _within_deadline(name: str, closing: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(_CLOSE_S):
            await closing
    except TimeoutError:
        _log.error("%s did not close in %s s", name, _CLOSE_S)
    except AppError as error:
        _log.error("%s did not close: %s", name, error.message)
