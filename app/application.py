"""The composition root: builds the parts once, wires them, and takes them down again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any

from app import settings as settings_file
from app.agent.asking import Asker, NobodyAsker
from app.agent.assembly import Foundation, assemble
from app.documents.client import PdfClient
from app.errors import AppError
from app.events import Event, Notice, ToolResult
from app.library import Library
from app.llm.embeddings import Embedder
from app.llm.local.client import LocalChatModel
from app.records.ids import PaperId, SessionId
from app.services import models
from app.services.answering import Answerer
from app.services.changes import Change, LibraryChanged, LibraryChangeKind
from app.services.consent import Consent
from app.services.conversations import Conversations
from app.services.embedding_models import EmbeddingModels
from app.services.home import prepared_home, usable_settings
from app.services.importing import Importer
from app.services.model_services import ModelServices
from app.services.model_store import ModelStore
from app.services.notes import NotesService
from app.services.passport import Passport, PassportService
from app.services.reindexing import Reindexer
from app.services.searching import Searcher
from app.services.secrets import Secrets
from app.services.threads import off_loop
from app.settings import Settings
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
        self.notices = list(notices)
        self.secrets = Secrets(settings)
        self._watchers: list[Callable[[Change], None]] = []
        self._overrides = dict(overrides or {})
        self._readers = WorkerPool("pdf", _PDF_WORKERS, idle_exit_s=_IDLE_EXIT_S)
        self._painter = Worker("render", idle_exit_s=_IDLE_EXIT_S)
        self.pdf = PdfClient(self._readers, self._painter)
        self.consent = Consent(library.state, lambda: self.settings)
        embedding = EmbeddingModels(lambda: self.settings, self.secrets, self.consent.agreed)
        self.reindexer = Reindexer(library, home, embedding, self._changed)
        self.notices += self.reindexer.notices
        self.models = ModelStore(home, lambda: self.settings, self.change_settings)
        self.passports = PassportService(home, lambda: self.settings, self._passport_made)
        self._passport = self.passports.of_settings()
        self.chat, told = models.chat_model(settings, self.secrets, home=home, passport=self._passport)
        self.notices += told
        embedder = self.reindexer.current
        self.importer = Importer(library, self.pdf, embedder, home=home, on_change=self._changed)
        self.searcher = Searcher(library, embedder)
        self.answerer = Answerer(self.searcher, lambda: self.chat)
        self.notes = NotesService(library, self.pdf, self._changed)
        self.conversations = Conversations(library)
        self.services_check = ModelServices(lambda: self.settings, self.secrets)
        self._wakers: list[Callable[[SessionId], None]] = []
        self.agent = assemble(
            Foundation(
                home=home,
                settings=lambda: self.settings,
                save_settings=self.change_settings,
                library=library,
                searcher=self.searcher,
                answerer=self.answerer,
                importer=self.importer,
                notes=self.notes,
                chat=lambda: self.chat,
                papers_changed=self._papers_changed,
                wake=self._wake,
                consent=self.consent,
                tool_limit=lambda: models.tool_limit(self.chat, self._passport),
            )
        )
        self.registry = self.agent.registry
        self.executor = self.agent.executor
        self.desk = self.agent.desk

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model that searches now."""
        return self.reindexer.current()

    @classmethod
    def open(cls, home: Path, **overrides: Any) -> Application:
        """Open the library in `home`, which is made if it is new; `overrides` are settings, nested.

        Settings that cannot be read are left aside with a notice. Raises HomeError or
        LibraryError when the folder or the database cannot be used.
        """
        home = prepared_home(home)
        notices: list[Notice] = []
        settings = usable_settings(home, overrides, notices)
        return cls(home, settings, Library.open(home), notices=notices, overrides=overrides)

    async def __aenter__(self) -> Application:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop the agent and the import, end the workers, close the database.

        What hangs is left after a deadline.
        """
        await _within_deadline("agent", self.agent.close())
        await _within_deadline("importer", self.importer.close())
        parts: list[tuple[str, Awaitable[None]]] = [
            ("pdf workers", self._readers.close()),
            ("render worker", self._painter.close()),
            ("embedder", self.reindexer.close()),
        ]
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
        self.agent.settings_changed(self.settings)
        remote = self.settings.llm.provider != "local"
        if self.settings.llm != before.llm or (remote and self.settings.offline != before.offline):
            await self._renew_chat()
        await self.reindexer.settings_changed()

    async def run_turn(
        self,
        text: str,
        papers: Sequence[PaperId] = (),
        session: SessionId | None = None,
        *,
        stop: asyncio.Event | None = None,
        asker: Asker | None = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Answer one message; each event is in the journal before it is yielded (pieces are not kept).

        Without `session` the turn begins a new conversation. Setting `stop` ends it early with what
        there is by then. `asker` answers questions and permissions (the window passes `desk`); without
        one, what would ask is denied. `project` opens a folder to the file tools. Raises UsageError for
        an empty message, NotFoundError for an unknown session.
        """
        await self.agent.start()
        for notice in await self.agent.news():
            self.notices.append(notice)
            yield notice
        events = self.agent.runtime.run_turn(
            text,
            papers=papers,
            session=session,
            asker=asker or NobodyAsker(),
            stop=stop,
            project=project,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def continue_turn(
        self,
        session: SessionId,
        *,
        stop: asyncio.Event | None = None,
        asker: Asker | None = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Tell an idle conversation what waits for it: background results, mail. Often that is nothing."""
        await self.agent.start()
        events = self.agent.runtime.continue_turn(
            session, asker=asker or NobodyAsker(), stop=stop, project=project
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def settled(self, session: SessionId) -> bool:
        """Wait for background tasks and teammates of a conversation; whether there was any at work."""
        background, team = self.agent.services.background, self.agent.services.team
        at_work = bool(background.running(session) or team.running(session))
        await background.settled(session)
        await team.settled(session)
        return at_work

    async def steer(self, session: SessionId, text: str) -> bool:
        """Put a message before the agent that works; False when it does not: then start a turn."""
        return await self.agent.runtime.steer(session, text)

    async def run_tool(
        self,
        name: str,
        arguments: str,
        *,
        asker: Asker | None = None,
        session: SessionId | None = None,
        project: Path | None = None,
    ) -> ToolResult:
        """Run one call through the whole executor; `arguments` is JSON as a model would write it.

        Without `session` the call gets a conversation of its own that is not listed. Calls in one
        conversation know of each other: which files were read, and whether untrusted text was.
        """
        await self.agent.start()
        session = session or await self.agent.begin_calls(f"tool {name}")
        return await self.agent.run_tool(name, arguments, session, asker or NobodyAsker(), project)

    async def delete_conversation(self, session: SessionId) -> None:
        """Delete a conversation, and what a local model keeps of it. Raises NotFoundError."""
        await off_loop(self.library.journal.delete, session)
        if isinstance(self.chat, LocalChatModel):
            await self.chat.forget(session)

    async def connect_outside(self) -> list[Notice]:
        """Offer the tools of the outside MCP servers of the settings; returns what went wrong."""
        return await self.agent.connect_outside()

    def on_wake(self, waker: Callable[[SessionId], None]) -> Callable[[], None]:
        """Call `waker` on the loop when something waits for an idle conversation; returns what ends that."""
        self._wakers.append(waker)
        return lambda: self._wakers.remove(waker)

    async def _renew_chat(self) -> None:
        """Work with the chat model that settings and passport say from now on."""
        self._passport = await off_loop(self.passports.of_settings)
        old = self.chat
        self.chat, told = models.chat_model(
            self.settings, self.secrets, home=self.home, passport=self._passport
        )
        self.notices += told
        if old is not None:
            await _within_deadline("chat", old.close())

    async def _passport_made(self, passport: Passport) -> None:
        found = await off_loop(self.passports.of_settings)
        if self.settings.llm.provider == "local" and found is not None and found.key == passport.key:
            await self._renew_chat()

    def _wake(self, session: SessionId) -> None:
        for waker in tuple(self._wakers):
            waker(session)

    def _papers_changed(self, paper_ids: Sequence[str]) -> None:
        self.changed(LibraryChangeKind.PAPERS_CHANGED, [PaperId(paper_id) for paper_id in paper_ids])

    def _changed(self, change: Change) -> None:
        for watcher in tuple(self._watchers):
            watcher(change)


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
