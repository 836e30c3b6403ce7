"""Undo: what an operation did to the rows, kept as SQLite changesets, and taken back exactly.

The log is append only: undoing marks an entry, it deletes nothing. An entry can be
taken back as long as the values it wrote are still there.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import apsw

from app.errors import LibraryError
from app.library import sql
from app.library.clock import moment, now
from app.library.store import Store

_TABLES = (
    "works", "paper_aliases", "identifiers", "names", "manifestations", "files", "notes", "tags", "work_tags",
    "collections", "collection_works",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """One operation that can be taken back."""

    id: int
    label: str
    at: datetime


@contextmanager
def recorded(store: Store, label: str) -> Iterator[apsw.Connection]:
    """A transaction whose changes can be undone; `label` names it to the person ("Merge papers")."""
    with store.write(durable=True) as connection:
        session = apsw.Session(connection, "main")
        try:
            for table in _TABLES:
                session.attach(table)
            yield connection
            changeset = b"" if session.is_empty else session.changeset()
        finally:
            session.close()
        if changeset:
            connection.execute(
                "INSERT INTO undo_log(label, changeset, created_at) VALUES (?, ?, ?)",
                (label, changeset, now()),
            )


def last(store: Store) -> UndoEntry | None:
    """Return what `undo` would take back, or None."""
    with store.read() as connection:
        row = sql.first(
            connection,
            "SELECT id, label, created_at FROM undo_log WHERE undone_at IS NULL ORDER BY id DESC LIMIT 1",
        )
    return UndoEntry(row[0], row[1], moment(row[2])) if row else None


def undo(store: Store) -> UndoEntry | None:
    """Take back the last operation that was not yet, and return it; None when there is none.

    Raises `LibraryError` ("undo_conflict"), changing nothing, if what it wrote was changed since.
    """
    with store.write(durable=True) as connection:
        entry = last(store)
        if entry is None:
            return None
        changeset = sql.value(connection, "SELECT changeset FROM undo_log WHERE id = ?", (entry.id,))
        try:
            # the changeset holds what foreign keys did, too: they must not act a second time
            apsw.Changeset.apply(
                changeset,
                connection,
                conflict=functools.partial(_on_conflict, _place_of_time_stamp(connection)),
                flags=apsw.SQLITE_CHANGESETAPPLY_INVERT | apsw.SQLITE_CHANGESETAPPLY_FKNOACTION,
            )
        except apsw.AbortError as error:
            raise LibraryError(
                f'"{entry.label}" cannot be undone: the papers were changed since.',
                hint="Nothing was changed. Correct the papers by hand.",
                code="undo_conflict",
            ) from error
        connection.execute("UPDATE undo_log SET undone_at = ? WHERE id = ?", (now(), entry.id))
    return entry


def _on_conflict(stamp: int, reason: int, change: apsw.TableChange) -> int:
    """Only the time stamp of a work, column `stamp`, may have moved on; the rest is for the person."""
    if reason == apsw.SQLITE_CHANGESET_DATA and change.name == "works" and change.op == "UPDATE":
        differing = [
            i
            for i, (expected, found) in enumerate(zip(change.old or (), change.conflict or (), strict=True))
            if expected is not apsw.no_change and expected != found
        ]
        if differing == [stamp]:
            return apsw.SQLITE_CHANGESET_REPLACE
    return apsw.SQLITE_CHANGESET_ABORT


def _place_of_time_stamp(connection: apsw.Connection) -> int:
    return int(sql.value(connection, "SELECT cid FROM pragma_table_info('works') WHERE name = 'updated_at'"))
