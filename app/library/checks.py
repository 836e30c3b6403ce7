"""Whether the database is whole: pages, references, and indexes that agree with their tables."""

from __future__ import annotations

import apsw

from app.errors import LibraryError
from app.library import sql, vectors
from app.library.store import Store


def problems(store: Store) -> list[str]:
    """Return what is wrong, one sentence each; empty when all is well. Reads the whole file."""
    try:
        return [*_wrong_in_tables(store), *_wrong_in_full_text(store)]
    except LibraryError as error:
        # the damage is such that SQLite cannot even look
        return [error.message]


def _wrong_in_tables(store: Store) -> list[str]:
    with store.read() as connection:
        found = [
            f"SQLite: {text}" for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"
        ]
        found += [
            f"Row {row} of {table} refers to a missing row of {parent}."
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
        ]
        for index in vectors.all_indexes(connection):
            found += _differing(connection, index.vectors, index.codes, f"vectors and codes of {index.model}")
        stale = sql.value(
            connection, "SELECT count(*) FROM passages_cjk_docsize WHERE id NOT IN (SELECT id FROM passages)"
        )
        unsaid = sql.value(
            connection,
            "SELECT count(*) FROM agent_messages_fts_docsize WHERE id NOT IN (SELECT id FROM agent_messages)",
        )
    if stale:
        found.append(f"{stale} entries of the CJK index have no passage.")
    if unsaid:
        found.append(f"{unsaid} entries of the index of conversations have no message.")
    return found


def _wrong_in_full_text(store: Store) -> list[str]:
    """The check of an external-content index is an INSERT by syntax, so it needs the write lock."""
    found = []
    with store.write() as connection:
        for table in ("passages_fts", "works_fts", "agent_memories_fts"):
            try:
                connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
            except apsw.CorruptError:
                found.append(f"The full-text index {table} does not agree with its table.")
    return found


def _differing(connection: apsw.Connection, one: str, other: str, what: str) -> list[str]:
    counts = [int(sql.value(connection, f"SELECT count(*) FROM {table}")) for table in (one, other)]
    return [] if counts[0] == counts[1] else [f"The {what} differ in number: {counts[0]} and {counts[1]}."]
