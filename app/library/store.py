"""The one SQLite file: connections, transactions, and errors a person can act on.

Threads: every thread has its own connection, opened on first use, so reads never
wait for anything (WAL). Writes of this process pass one lock and take SQLite's own
write lock at once (`BEGIN IMMEDIATE`), so that a second process makes them wait, up
to `BUSY_TIMEOUT_S`, instead of failing half-way. Everything here is synchronous;
asyncio code calls it through `asyncio.to_thread`.

What survives: a committed transaction survives the death of the process. With
`durable=True` it is also on the disk (fsync of the write-ahead log, which holds all
earlier commits too) and survives a power cut; without, a power cut may take back the
last moments but never leaves the file damaged.
"""

from __future__ import annotations

import importlib.util
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import peewee
from playhouse.apsw_ext import APSWDatabase

from app.errors import AppError, HomeError, LibraryBusyError, LibraryError

BUSY_TIMEOUT_S = 30.0

_PRAGMAS = (
    ("journal_mode", "wal"),
    ("synchronous", "normal"),
    ("foreign_keys", 1),
    ("cache_size", -8000),
    ("temp_store", "memory"),
)


def vector_extension() -> str:
    """Return the path of sqlite-vec without its file ending, as SQLite wants it.

    The package is not imported for that: it would bring numpy into every start of the window.
    """
    found = importlib.util.find_spec("sqlite_vec")
    if found is None or found.origin is None:
        raise LibraryError(
            "The search extension sqlite-vec is missing.", hint="Install again: python3 packaging/dev.py run."
        )
    return str(Path(found.origin).parent / "vec0")


class _Database(APSWDatabase):  # type: ignore[misc]
    """APSWDatabase that knows its open connections, so that all can be closed from one thread."""

    def __init__(self, path: Path) -> None:
        self.opened: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        super().__init__(str(path), timeout=BUSY_TIMEOUT_S, pragmas=_PRAGMAS)
        self.load_extension(vector_extension())

    def _connect(self) -> apsw.Connection:
        connection: apsw.Connection = super()._connect()
        self.opened.add(connection)
        return connection


class Store:
    """The database file at `path`; see the module for the rules of threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db = _Database(path)
        self._write_lock = threading.RLock()
        self._closed = False

    def connection(self) -> apsw.Connection:
        """Return this thread's connection."""
        if self._closed:
            raise _closed_error()
        connection: apsw.Connection = self.db.connection()
        return connection

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A snapshot: everything read inside belongs to one moment."""
        with translated(self.path):
            connection = self.connection()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[apsw.Connection]:
        """One transaction, all or nothing; inside another one it becomes part of that."""
        with translated(self.path), self._write_lock:
            connection = self.connection()
            if connection.in_transaction:
                yield connection
                return
            if durable:
                connection.execute("PRAGMA synchronous=FULL")
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    # SQLite has already rolled back by itself when the disk is full
                    if not connection.get_autocommit():
                        connection.execute("ROLLBACK")
                    raise
            finally:
                if durable:
                    connection.execute("PRAGMA synchronous=NORMAL")

    def close(self) -> None:
        """Close the connections of all threads; a write is waited for, a read is interrupted."""
        with self._write_lock:
            self._closed = True
            self.db.close()
            for connection in list(self.db.opened):
                _close(connection)


def _close(connection: apsw.Connection) -> None:
    """Close a connection that another thread may be reading from; give up after a while."""
    for _ in range(500):
        try:
            connection.close()
        except apsw.ThreadingViolationError:
            connection.interrupt()
            time.sleep(0.01)
        else:
            return


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite says about the file into errors with a way out."""
    try:
        yield
    except (peewee.DatabaseError, apsw.Error) as error:
        # peewee wraps the driver's error
        told = error_for(getattr(error, "orig", error), path)
        if told is None:
            raise
        raise told from error


def error_for(error: BaseException, path: Path) -> AppError | None:
    """Return the person's view of a SQLite error, or None when it is a mistake of ours."""
    # SQLite reports no space for the shared memory of the log as a failure of the disk
    no_space = getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE
    match error:
        case apsw.Error() if no_space or isinstance(error, apsw.FullError):
            return LibraryError(
                "The disk is full: the last change was not saved, everything before it is safe.",
                hint=f"Free some space on the disk of {path.parent} and try again.",
                code="disk_full",
            )
        case apsw.BusyError() | apsw.LockedError():
            return LibraryBusyError(
                "Another program is writing to the library and did not finish in time.",
                hint="Close the other AstroResearch window or command and try again.",
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return damaged(path, "is damaged")
        case apsw.SQLError() if str(error).startswith(("no such table", "no such column")):
            return damaged(path, "lacks parts that belong to it")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return HomeError(
                f"The library folder {path.parent} cannot be written.",
                hint="Give your account write permission for it, or pick another folder with --home.",
            )
        case apsw.IOError():
            return LibraryError(
                f"The disk failed while reading or writing {path.name}.",
                hint="Check that the disk or network share is still connected; a local disk is safest.",
                code="library_io",
            )
        case apsw.InterruptError() | apsw.ConnectionClosedError():
            return _closed_error()
        case _:
            return None


def damaged(path: Path, how: str) -> LibraryError:
    """Return the error of a database that cannot be trusted, with the way back."""
    return LibraryError(
        f"The library file {path.name} {how}.",
        hint=f"Verified copies are in {path.parent / 'backups'}: close the program, put the newest "
        f"in the place of {path.name} and delete {path.name}-wal and {path.name}-shm.",
        code="library_damaged",
    )


def _closed_error() -> LibraryError:
    return LibraryError("The library is closed.", hint="Open it again.", code="library_closed")
