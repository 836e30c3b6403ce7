"""The import queue: several files at once, one result each, resumed after any end of the program.

The queue lives in the database and is worked off by one process at a time, the holder of
`import.lock` in the library folder. Another process that adds files puts them into the
same queue and reads their results from it; when the holder ends, it takes over.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from app.documents.client import PdfClient
from app.errors import AppError, WorkerCrashedError, WorkerTimeoutError
from app.library import Library
from app.library.imports import ImportItem
from app.llm.embeddings import EmbedderSource
from app.services.changes import Change
from app.services.home_lock import HomeLock
from app.services.importing.deliveries import Deliveries, Results
from app.services.importing.file_store import FileStore
from app.services.importing.indexing import Indexer
from app.services.importing.one_file import Finish, OneFile, Outcome, system_words
from app.services.importing.results import ImportResult, ImportStatus
from app.services.importing.scan import scan
from app.services.threads import off_loop

CONCURRENCY = 2
"""Files under way at once: one is read while another is embedded."""

MAX_CRASHES = 2
"""A file on which the PDF worker dies or hangs this often in a row is set aside."""

SUSPECT_STARTS = 2
"""A file that was under way when the program died this often waits for the others and runs alone."""

MAX_STARTS = 40
"""A file that was under way whenever the program died this often is set aside.

Many, because what a file can kill is its worker: the program dies of other causes, and
an innocent file may be under way at twenty of them (seen with kill -9 at random moments).
"""

CANCELLED = "Cancelled before it was read; add it again to import it."
STOPPED_READER = (
    "It stopped the PDF reader twice and was set aside; repair it with another program and add it again."
)
STOPPED_PROGRAM = (
    "The program ended each time this file was being read; it was set aside. Add it again to retry."
)
OUR_MISTAKE = "It met a mistake in AstroResearch and was set aside; please report it with the log."

_OUR_MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What a mistake of ours raises: it costs the one file that met it, never the queue."""

_POLL_S = 0.5
_log = logging.getLogger(__name__)


class Importer:
    """Imports files in the background of the loop it is used on.

    `on_change` hears of every step. Use from one loop; `close` before the library is closed.
    """

    def __init__(
        self,
        library: Library,
        pdf: PdfClient,
        embedder: EmbedderSource,
        *,
        home: Path,
        on_change: Callable[[Change], None] = lambda change: None,
    ) -> None:
        self._library = library
        self._deliveries = Deliveries(on_change)
        self._store = FileStore(home)
        self._one_file = OneFile(
            library, self._store, pdf, Indexer(library, embedder, self._deliveries.notice)
        )
        self._lock = HomeLock(home / "import.lock")
        self._waiting: deque[ImportItem] = deque()
        self._active: dict[int, ImportItem] = {}
        self._moved = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None
        self._passwords: dict[int, tuple[str, ...]] = {}
        self._dropped: set[int] = set()
        self._wanted = False
        self._foreign = False

    # what is offered

    async def add(
        self, paths: Iterable[Path], *, passwords: Sequence[str] = ()
    ) -> AsyncGenerator[ImportResult, None]:
        """Import files and folders; yield the one result of each file, in order of completion.

        A result is yielded after it is committed. Leftovers of an earlier run are finished
        as well, without being yielded. When the caller stops early, files that were not
        begun are dropped from the queue.
        """
        results: Results = asyncio.Queue()
        ids = await self._register(list(paths), passwords, results)
        try:
            for _ in ids:
                match await results.get():
                    case ImportResult() as result:
                        yield result
                    case BaseException() as error:
                        raise error
        finally:
            if left := self._deliveries.give_up(ids):
                await self._drop(left)

    async def enqueue(self, paths: Iterable[Path], *, passwords: Sequence[str] = ()) -> int:
        """Put files and folders into the queue; return how many files that is. `on_change` hears the rest."""
        return len(await self._register(list(paths), passwords, None))

    def resume(self) -> None:
        """Go on with what an earlier run left in the queue; returns at once."""
        if self._runner is None or self._runner.done():
            self._runner = asyncio.ensure_future(self._run())
            self._runner.add_done_callback(self._ended)
        self._wanted = True
        self._moved.set()

    async def unfinished(self) -> int:
        """Return how many files wait or are under way."""
        return len(await off_loop(self._library.imports.pending))

    async def cancel(self) -> int:
        """Drop every file that was not begun, each with a result that says so; return how many."""
        pending = await off_loop(self._library.imports.pending)
        return await self._drop([item.id for item in pending])

    async def idle(self) -> None:
        """Wait until this process has nothing under way (another one may)."""
        while self._runner is not None and not self._runner.done() and not self._foreign:
            await asyncio.wait([self._runner], timeout=_POLL_S)

    async def close(self) -> None:
        """Stop at once; files under way go on from where they are at the next start."""
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.wait([self._runner])
        self._lock.release()

    # the queue

    async def _register(
        self, paths: Sequence[Path], passwords: Sequence[str], results: Results | None
    ) -> list[int]:
        files = await off_loop(scan, paths)
        if not files:
            return []
        items = await off_loop(self._enqueue, files)
        for item in items:
            if passwords:
                self._passwords[item.id] = tuple(passwords)
            if results is not None:
                self._deliveries.expect(item.id, results)
            self._deliveries.waiting(item)
        self.resume()
        return [item.id for item in items]

    def _enqueue(self, files: Sequence[Path]) -> list[ImportItem]:
        """Register files in one transaction; a file that waits already keeps its place."""
        imports = self._library.imports
        with self._library.transaction(durable=True):
            known = {item.path for item in imports.pending()}
            imports.enqueue([path for path in files if path not in known], batch=secrets.token_hex(8))
            waiting = {item.path: item for item in imports.pending()}
        return [waiting[path] for path in files]

    async def _drop(self, ids: Iterable[int]) -> int:
        """Finish files that were not begun, as cancelled, in one transaction."""
        wanted = set(ids) - self._active.keys()
        self._dropped |= wanted
        self._waiting = deque(item for item in self._waiting if item.id not in wanted)

        def drop() -> list[ImportItem]:
            imports = self._library.imports
            with self._library.transaction(durable=True):
                dropped = [i for i in imports.pending() if i.id in wanted and i.state == "queued"]
                for item in dropped:
                    imports.finish(item.id, ImportStatus.FAILED.value, None, CANCELLED)
            return dropped

        dropped = await off_loop(drop)
        self._dropped -= wanted
        for item in dropped:
            self._deliveries.finished(
                item.id, ImportResult(item.path, ImportStatus.FAILED, message=CANCELLED)
            )
        return len(dropped)

    async def _run(self) -> None:
        """Work the queue off, or wait for the process that does."""
        told = False
        while self._wanted or await self.unfinished():
            self._wanted = False
            self._foreign = not self._lock.acquire()
            if not self._foreign:
                try:
                    await off_loop(self._store.clear_incoming)
                    await self._drain()
                finally:
                    self._lock.release()
            else:
                if not told:
                    self._deliveries.notice("Another AstroResearch is importing; it takes these files too.")
                    told = True
                await asyncio.sleep(_POLL_S)
            await self._deliver_foreign()

    async def _drain(self) -> None:
        """Start one file after the other until nothing waits and nothing is under way."""
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    self._moved.clear()
                    await self._refill()
                    if self._waiting and self._may_start(self._waiting[0]):
                        item = self._waiting.popleft()
                        self._active[item.id] = item
                        group.create_task(self._import(item))
                    elif self._waiting or self._active:
                        await self._moved.wait()
                    else:
                        return
        finally:
            self._waiting.clear()

    async def _refill(self) -> None:
        if not self._waiting:
            pending = await off_loop(self._library.imports.pending)
            fresh = [item for item in pending if item.id not in self._active.keys() | self._dropped]
            self._waiting.extend(sorted(fresh, key=lambda item: (_suspect(item), item.id)))

    def _may_start(self, item: ImportItem) -> bool:
        if _suspect(item):
            return not self._active
        return len(self._active) < CONCURRENCY and not any(map(_suspect, self._active.values()))

    async def _import(self, item: ImportItem) -> None:
        try:
            await self._work_on(item)
        except asyncio.CancelledError:
            # Stopped on purpose: that is not the file's fault and does not count against it.
            await off_loop(self._library.imports.release, item.id)
            raise
        finally:
            self._active.pop(item.id, None)
            self._moved.set()

    async def _work_on(self, item: ImportItem) -> None:
        """Take the file in, or set it aside; either way it ends with its one result committed."""

        async def finish(outcome: Outcome) -> None:
            await self._finish(item, outcome)

        why = await self._tried(item, finish)
        if why:
            await finish(await self._one_file.set_aside(item.path, why))

    async def _tried(self, item: ImportItem, finish: Finish) -> str:
        """Take the file in; return why it has to be set aside, if so."""
        if item.attempts >= MAX_STARTS:
            return STOPPED_PROGRAM
        passwords = self._passwords.get(item.id, ())
        report = self._deliveries.reporter(item)
        for _ in range(MAX_CRASHES):
            await off_loop(self._library.imports.start, item.id)
            try:
                await self._one_file.take(item.path, passwords, report, finish)
            except (WorkerCrashedError, WorkerTimeoutError) as error:
                _log.warning("%s on %s", error.message, item.path.name)
            except AppError as error:
                return " ".join(part for part in (error.message, error.hint) if part)
            except OSError as error:
                return system_words(error)
            except _OUR_MISTAKES:
                _log.exception("import of %s", item.path.name)
                return OUR_MISTAKE
            else:
                return ""
        return STOPPED_READER

    async def _finish(self, item: ImportItem, outcome: Outcome) -> None:
        """Commit the result together with the file's status, and only then tell of it."""
        result = replace(outcome.result, message=_as_text(outcome.result.message))

        def commit() -> None:
            with self._library.transaction(durable=True):
                if outcome.file_id is not None:
                    self._library.files.set_status(outcome.file_id, result.status.value, result.message)
                self._library.imports.finish(item.id, result.status.value, result.paper_id, result.message)

        await off_loop(commit)
        self._passwords.pop(item.id, None)
        self._deliveries.finished(item.id, result)

    async def _deliver_foreign(self) -> None:
        """Deliver the results of files that another process has finished."""
        for item_id in self._deliveries.expected():
            item = await off_loop(self._library.imports.get, item_id)
            if item.state == "done" and item_id in self._deliveries.expected():
                self._deliveries.finished(item_id, await off_loop(self._stored_result, item))

    def _stored_result(self, item: ImportItem) -> ImportResult:
        result = ImportResult(item.path, ImportStatus(item.status), item.paper_id, message=item.message)
        if item.paper_id is None:
            return result
        detail = self._library.papers.get(item.paper_id)
        pages = max((file.pages for file in detail.files), default=0)
        return replace(result, record=detail.record, pages=pages, passages=detail.passage_count)

    def _ended(self, runner: asyncio.Task[None]) -> None:
        """Tell whoever waits for a result when the queue itself ended with an error."""
        if runner.cancelled() or (failure := runner.exception()) is None:
            return
        self._deliveries.failed(_first(failure))


def _suspect(item: ImportItem) -> bool:
    return item.attempts >= SUSPECT_STARTS


def _first(error: BaseException) -> BaseException:
    """Return the error itself from the group that tasks put it in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _as_text(message: str) -> str:
    """Return text that the database takes, also when a file name in it is not Unicode."""
    return message.encode(errors="replace").decode()
