"""Verified copies of the database: made before anything that could lose something."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import apsw

from app.errors import LibraryError
from app.library import sql

KEPT = 5

_COUNTED = ("works", "files", "passages", "notes", "agent_messages", "agent_memories")


def back_up(source: apsw.Connection, folder: Path, *, label: str) -> Path:
    """Copy the open database into `folder`, verify the copy, and rotate old ones.

    The copy has its final name only once it was opened again, passed SQLite's
    integrity check and held at least as many rows as the source. Raises
    `LibraryError` (code "backup_failed") and leaves older copies alone otherwise.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    final = folder / f"library-{stamp}-{label}.sqlite3"
    partial = final.with_suffix(".partial")
    try:
        expected = _row_counts(source)
        _copy(source, partial)
        verify(partial, at_least=expected)
        _sync(partial)
        partial.replace(final)
        _sync(folder)
    finally:
        partial.unlink(missing_ok=True)
    _rotate(folder)
    return final


def backups(folder: Path) -> list[Path]:
    """Return the verified copies, newest first."""
    return sorted(folder.glob("library-*.sqlite3"), reverse=True)


def verify(copy: Path, *, at_least: dict[str, int]) -> None:
    """Raise `LibraryError` unless the copy is sound and no table in it has fewer rows."""
    connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = str(sql.value(connection, "PRAGMA integrity_check(1)"))
        if found != "ok":
            raise _failed(f"the copy is not sound ({found})")
        counts = _row_counts(connection)
    except apsw.Error as error:
        raise _failed(f"the copy cannot be read ({error})") from error
    finally:
        connection.close()
    for table, rows in at_least.items():
        if counts.get(table, 0) < rows:
            raise _failed(f"the copy has {counts.get(table, 0)} of {rows} rows in {table}")


def _copy(source: apsw.Connection, target: Path) -> None:
    connection = apsw.Connection(str(target))
    try:
        with connection.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(4096)
        # a copy of a WAL database would want to create -wal beside it on first read
        connection.execute("PRAGMA journal_mode=DELETE")
    finally:
        connection.close()


def _row_counts(connection: apsw.Connection) -> dict[str, int]:
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type='table'")}
    return {
        table: int(sql.value(connection, f"SELECT count(*) FROM {table}"))
        for table in _COUNTED
        if table in present
    }


def _sync(path: Path) -> None:
    """Have the disk keep it. Windows has no such call for folders and does not need it."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rotate(folder: Path) -> None:
    for old in backups(folder)[KEPT:]:
        old.unlink(missing_ok=True)


def _failed(why: str) -> LibraryError:
    return LibraryError(
        f"The library could not be backed up: {why}. Nothing was changed.",
        hint="Check the space and health of the disk, then start again.",
        code="backup_failed",
    )
