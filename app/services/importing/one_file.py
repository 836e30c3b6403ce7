"""One file, from its path to searchable pages: read, recognise, place, index."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

from app.documents.client import PdfClient
from app.errors import DocumentError
from app.library import Library
from app.library.files import FileRow
from app.records.ids import FileId, PaperId
from app.records.paper import PaperRecord
from app.services.changes import ImportState
from app.services.importing.file_store import FileStore, Fingerprint, fingerprint
from app.services.importing.formats import Format, MarkdownFormat, PdfFormat, is_markdown
from app.services.importing.indexing import Indexer
from app.services.importing.placing import Place, Placer
from app.services.importing.results import ImportResult, ImportStatus
from app.services.threads import off_loop

ALREADY = "The library has this file already."
JOINED = "Another file of a paper that is in the library; it was added to that paper."
FROM_TRASH = "It was in the trash and is back in the library."
PUT_BACK = "The library's copy was missing and has been put back."
LOCKED = "It is locked: give its password to read and search it."
WRONG_PASSWORD = "It is locked and the password is wrong."  # noqa: S105
NO_TEXT = "It has no text layer that can be read (a scan?): it opens, but is not searchable without OCR."

_STATUS_OF_CODE = {
    "not_pdf": ImportStatus.NOT_PDF,
    "empty": ImportStatus.NOT_PDF,
    "damaged": ImportStatus.DAMAGED,
    "no_pages": ImportStatus.DAMAGED,
}
_UNFINISHED = ("", ImportStatus.FAILED.value)

Report = Callable[[ImportState, PaperId | None, int, int], None]
"""Called with the state, the paper once it is known, and the pages done of all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result that is not written down yet, with the file whose status it decides."""

    result: ImportResult
    file_id: FileId | None = None


Finish = Callable[[Outcome], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Work:
    """A file that has its place in the library."""

    path: Path
    row: FileRow
    record: PaperRecord
    kind: Format
    message: str = ""

    def result(self, status: ImportStatus, message: str) -> ImportResult:
        row = self.row
        return ImportResult(self.path, status, row.paper_id, self.record, row.pages, row.passages, message)

    def locked(self, passwords: Sequence[str]) -> Outcome:
        message = WRONG_PASSWORD if passwords else LOCKED
        return Outcome(self.result(ImportStatus.NEEDS_PASSWORD, message), self.row.file_id)


class OneFile:
    """Takes files in; several may be under way at once."""

    def __init__(self, library: Library, store: FileStore, pdf: PdfClient, indexer: Indexer) -> None:
        self._library = library
        self._store = store
        self._placer = Placer(library, store)
        self._indexer = indexer
        self._pdf = PdfFormat(pdf)
        self._markdown = MarkdownFormat()
        self._placing = asyncio.Lock()
        self._by_hash: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take(self, path: Path, passwords: Sequence[str], report: Report, finish: Finish) -> None:
        """Bring a file in, or go on with one that was cut short; `finish` commits what came of it.

        Raises WorkerError when a worker died or hung on it; what was indexed stays, and
        taking the file again goes on from there. OSError and AppError are for the caller
        to tell; nothing half-written remains.
        """
        report(ImportState.READING, None, 0, 0)
        seen = await off_loop(fingerprint, path)
        turn = self._by_hash.setdefault(seen.sha256, asyncio.Lock())
        async with turn:
            row = await off_loop(self._placer.known, seen.sha256)
            if row is None:
                outcome = await self._new(path, seen, passwords, report)
            else:
                outcome = await self._known(path, seen, row, passwords, report)
            # Before the next file with the same content looks it up.
            await finish(outcome)

    async def set_aside(self, path: Path, message: str) -> Outcome:
        """Give up on a file that cannot be taken; if part of it came in, that part stays."""
        try:
            seen = await off_loop(fingerprint, path)
        except OSError:
            return Outcome(ImportResult(path, ImportStatus.FAILED, message=message))
        row = await off_loop(self._library.files.by_hash, seen.sha256)
        if row is None:
            return Outcome(ImportResult(path, ImportStatus.FAILED, message=message))
        work = _Work(path, row, await self._record(row), self._pdf)
        unfinished = row.status in _UNFINISHED  # a file that came in well before stays as it is
        return Outcome(work.result(ImportStatus.FAILED, message), row.file_id if unfinished else None)

    async def _new(self, path: Path, seen: Fingerprint, passwords: Sequence[str], report: Report) -> Outcome:
        kind = self._format(seen.head, path.suffix)
        staged = await off_loop(self._store.stage, path, seen.sha256, kind.suffix)
        try:
            try:
                found = await kind.recognise(staged.path, passwords)
            except DocumentError as error:
                return Outcome(_refused(path, error))
            async with self._placing:
                placed = await off_loop(self._placer.place, found.record, staged, seen, _shown(path.name))
        finally:
            await off_loop(self._store.drop, staged)
        row = await off_loop(self._library.files.get, placed.file_id)
        message = JOINED if placed.place is Place.JOINED else ""
        work = _Work(path, row, placed.record, kind, message)
        if found.locked:
            return work.locked(passwords)
        return await self._index(work, found.password, report)

    async def _known(
        self, path: Path, seen: Fingerprint, row: FileRow, passwords: Sequence[str], report: Report
    ) -> Outcome:
        kind = self._format(seen.head, path.suffix)
        message = FROM_TRASH if row.trashed else ""
        if not await off_loop(self._store.path(row.path).is_file):
            staged = await off_loop(self._store.stage, path, seen.sha256, kind.suffix)
            await off_loop(self._store.put_back, staged, row.path)
            message = message or PUT_BACK
        work = _Work(path, row, await self._record(row), kind, message)
        locked = row.status == ImportStatus.NEEDS_PASSWORD.value
        if locked and not passwords:
            return work.locked(passwords)
        if locked or row.status in _UNFINISHED:
            return await self._go_on(work, locked, passwords, report)
        status = ImportStatus.ADDED if row.trashed else ImportStatus.DUPLICATE
        return Outcome(work.result(status, message or ALREADY))

    async def _go_on(self, work: _Work, locked: bool, passwords: Sequence[str], report: Report) -> Outcome:
        """Finish a file that is in the library: cut short, or locked until its password came."""
        try:
            found = await work.kind.recognise(self._store.path(work.row.path), passwords)
        except DocumentError as error:
            refused = _refused(work.path, error)
            return Outcome(work.result(refused.status, refused.message), work.row.file_id)
        if found.locked:
            return work.locked(passwords)
        if locked:
            record = await off_loop(self._placer.recognised_later, work.row, found.record)
            work = replace(work, record=record)
        return await self._index(work, found.password, report)

    async def _index(self, work: _Work, password: str | None, report: Report) -> Outcome:
        library, file_id, paper_id = self._library, work.row.file_id, work.row.paper_id
        start = await off_loop(library.passages.progress, file_id)
        report(ImportState.INDEXING, paper_id, start, work.row.pages)

        def told(done: int, total: int) -> None:
            report(ImportState.INDEXING, paper_id, done, total)

        batches = work.kind.batches(self._store.path(work.row.path), start_page=start, password=password)
        status, message = ImportStatus.ADDED, work.message
        try:
            indexed = await self._indexer.index(file_id, work.record.title, batches, told)
        except DocumentError as error:
            refused = _refused(work.path, error)
            status, message = refused.status, refused.message
        else:
            if indexed.pages:
                await off_loop(library.files.set_pages, file_id, indexed.pages)
            if indexed.unread:
                message = f"{indexed.unread} of {indexed.pages} pages cannot be read and are not searchable."
        work = replace(work, row=await off_loop(library.files.get, file_id))
        if status is ImportStatus.ADDED and not work.row.passages:
            status, message = ImportStatus.NO_TEXT, NO_TEXT
        return Outcome(work.result(status, message), file_id)

    def _format(self, head: bytes, suffix: str) -> Format:
        return self._markdown if is_markdown(head, suffix) else self._pdf

    async def _record(self, row: FileRow) -> PaperRecord:
        return (await off_loop(self._library.papers.get, row.paper_id)).record


def _refused(path: Path, error: DocumentError) -> ImportResult:
    status = _STATUS_OF_CODE.get(error.code, ImportStatus.FAILED)
    return ImportResult(path, status, message=" ".join(part for part in (error.message, error.hint) if part))


def _shown(name: str) -> str:
    """Return a file name as text that the database takes, whatever its bytes are."""
    return name.encode(errors="replace").decode()


def system_words(error: OSError) -> str:
    """Say what the system refused, and what to do."""
    match error:
        case FileNotFoundError():
            return "There is no such file or folder."
        case PermissionError():
            return "It may not be read or copied with your permissions; change them and add it again."
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return "The disk is full; free some space and add it again."
        case _:
            return f"The system refused it: {error.strerror or error}."
