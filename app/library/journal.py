"""The journal: conversations as the events they consist of, append only."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import apsw

from app.errors import NotFoundError
from app.library import forking, sql
from app.library.clock import moment, now
from app.library.journal_text import index_of, matching, snippet
from app.library.storable import storable
from app.library.store import Store
from app.records.ids import SessionId

PIECES = frozenset(("text_delta", "thinking_delta", "tool_progress"))
"""Small events that come in crowds; they reach the disk with the next event that is none."""

SessionKind = Literal["conversation", "subagent", "teammate", "call"]

_COLUMNS = "session_id, title, created_at, updated_at, kind, parent, forked_from, project"
_HITS_A_SESSION = 3


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One conversation. `parent` began it to have a task done; a fork stands on its own."""

    session_id: SessionId
    title: str
    created_at: datetime
    updated_at: datetime
    kind: SessionKind = "conversation"
    parent: SessionId | None = None
    forked_from: SessionId | None = None
    project: str = ""


@dataclass(frozen=True, slots=True)
class JournalHit:
    """A place in a conversation where words were found; `text` is cut around them."""

    session_id: SessionId
    title: str
    row_id: int
    type: str
    text: str
    at: datetime


class Journal:
    """Sessions and their events; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def new_session(
        self,
        title: str = "",
        session_id: SessionId | None = None,
        *,
        kind: SessionKind = "conversation",
        parent: SessionId | None = None,
        project: str = "",
    ) -> SessionId:
        """Begin a conversation; one of the given name is gone on with if there is one."""
        session_id = SessionId(storable(session_id or secrets.token_hex(8)))
        at = now()
        with self._store.write() as connection:
            if parent is not None:
                self._get(connection, parent)
            connection.execute(
                f"INSERT INTO sessions({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, NULL, ?) ON CONFLICT DO NOTHING",
                (session_id, storable(title), at, at, kind, parent, storable(project)),
            )
        return session_id

    def session(self, session_id: SessionId) -> SessionRow:
        """Return one conversation. Raises `NotFoundError`."""
        with self._store.read() as connection:
            return self._get(connection, session_id)

    def sessions(
        self, limit: int = 100, query: str = "", kind: SessionKind = "conversation"
    ) -> list[SessionRow]:
        """Return the conversations, the last used first; with a query, those with its words in them."""
        condition = "kind = :kind"
        values: dict[str, str | int] = {"kind": kind, "limit": limit}
        if query.strip():
            condition += " AND (title LIKE :title ESCAPE '\\'"
            values["title"] = f"%{_like(query.strip())}%"
            if match := matching(query):
                condition += (
                    " OR session_id IN (SELECT session_id FROM agent_messages WHERE id IN "
                    "(SELECT rowid FROM agent_messages_fts WHERE agent_messages_fts MATCH :match))"
                )
                values["match"] = match
            condition += ")"
        with self._store.read() as connection:
            rows = sql.rows(
                connection,
                f"SELECT {_COLUMNS} FROM sessions WHERE {condition} "
                "ORDER BY updated_at DESC, rowid DESC LIMIT :limit",
                values,
            )
        return [_session(row) for row in rows]

    def children(self, session_id: SessionId) -> list[SessionRow]:
        """Return the sessions of the sub-agents and teammates of a session, the oldest first."""
        with self._store.read() as connection:
            rows = sql.rows(
                connection,
                f"SELECT {_COLUMNS} FROM sessions WHERE parent = ? ORDER BY created_at, rowid",
                (session_id,),
            )
        return [_session(row) for row in rows]

    def rename(self, session_id: SessionId, title: str) -> None:
        """Give a conversation another title. Raises `NotFoundError`."""
        with self._store.write() as connection:
            self._change(connection, session_id, "title = ?", storable(title))

    def set_project(self, session_id: SessionId, project: str) -> None:
        """Set the folder the conversation may work in; empty for none. Raises `NotFoundError`."""
        with self._store.write(durable=True) as connection:
            self._change(connection, session_id, "project = ?", storable(project))

    def delete(self, session_id: SessionId) -> None:
        """Delete a conversation with its events, tasks and sub-agents. Raises `NotFoundError`.

        Forks of it stay, and so do the audit log and what was remembered.
        """
        with self._store.write(durable=True) as connection:
            self._get(connection, session_id)
            connection.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))

    # -- events -----------------------------------------------------------------------------------

    def append(self, session_id: SessionId, event: Mapping[str, Any], *, durable: bool | None = None) -> int:
        """Add one event (`Event.as_json()`) and return the number of its row. Raises `NotFoundError`.

        It survives the death of the program when this returns. It survives a power cut, too, if
        it is `durable`: by default every event but the small pieces.
        """
        kind = str(event.get("type", ""))
        durable = kind not in PIECES if durable is None else durable
        text = _json(event)
        with self._store.write(durable=durable) as connection:
            self._change(connection, session_id, "title = title")
            connection.execute(
                "INSERT INTO agent_messages(session_id, event, created_at) VALUES (?, ?, ?)",
                (session_id, text, now()),
            )
            row_id = connection.last_insert_rowid()
            _index(connection, row_id, event)
        return row_id

    def rows(self, session_id: SessionId, after: int = 0) -> list[tuple[int, dict[str, Any]]]:
        """Return the events of a conversation with the numbers of their rows, in order, from `after` on."""
        with self._store.read() as connection:
            found = sql.rows(
                connection,
                "SELECT id, event FROM agent_messages WHERE session_id = ? AND id > ? ORDER BY id",
                (session_id, after),
            )
        return [(row_id, json.loads(event)) for row_id, event in found]

    def tail(self, session_id: SessionId, count: int) -> int:
        """Return the row after which the last `count` events of a conversation come; 0 if it has no more."""
        with self._store.read() as connection:
            row = sql.first(
                connection,
                "SELECT id FROM agent_messages WHERE session_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
                (session_id, count),
            )
        return int(row[0]) if row is not None else 0

    def events(self, session_id: SessionId) -> list[dict[str, Any]]:
        """Return the events of a conversation, in order."""
        return [event for _, event in self.rows(session_id)]

    def search(self, words: str, limit: int = 50) -> list[JournalHit]:
        """Return where all of the words stand in conversations, the newest first, a few of each."""
        match = matching(words)
        if not match:
            return []
        with self._store.read() as connection:
            found = sql.rows(
                connection,
                """
                SELECT session_id, title, id, event, created_at FROM (
                    SELECT m.session_id, s.title, m.id, m.event, m.created_at, row_number()
                        OVER (PARTITION BY m.session_id ORDER BY m.id DESC) AS place
                    FROM agent_messages_fts f JOIN agent_messages m ON m.id = f.rowid
                    JOIN sessions s USING (session_id)
                    WHERE agent_messages_fts MATCH ? AND s.kind = 'conversation'
                ) WHERE place <= ? ORDER BY id DESC LIMIT ?
                """,
                (match, _HITS_A_SESSION, limit),
            )
        return [
            JournalHit(SessionId(session), title, row_id, event["type"], snippet(event, words), moment(at))
            for session, title, row_id, text, at in found
            for event in (json.loads(text),)
        ]

    def fork(self, session_id: SessionId, upto_row: int, title: str | None = None) -> SessionId:
        """Begin a conversation with a copy of the events up to a row, and return it.

        A step of the agent is taken whole: a call is never parted from its result. See
        `forking`. Raises `NotFoundError` for an unknown session, or a row that is not its.
        """
        with self._store.read() as connection:
            original = self._get(connection, session_id)
            kept = {
                row_id: (text, at)
                for row_id, text, at in sql.rows(
                    connection,
                    "SELECT id, event, created_at FROM agent_messages WHERE session_id = ? ORDER BY id",
                    (session_id,),
                )
            }
        copied = forking.copied([(row_id, json.loads(text)) for row_id, (text, _) in kept.items()], upto_row)
        if copied is None:
            raise NotFoundError(
                f"No row {upto_row} in conversation {session_id}.", hint="Choose one of its messages."
            )
        indexed = [index_of(event) for _, event in copied]
        with self._store.write(durable=True) as connection:
            new = self.new_session(
                original.title if title is None else title, kind=original.kind, project=original.project
            )
            connection.execute("UPDATE sessions SET forked_from = ? WHERE session_id = ?", (session_id, new))
            first = 1 + int(
                sql.value(connection, "SELECT max(seq) FROM sqlite_sequence WHERE name = 'agent_messages'")
            )
            before: list[int] = []
            rows: list[tuple[int, SessionId, str, str]] = []
            for number, (row_id, event) in enumerate(copied, first):
                own = forking.renumbered(event, before, first)
                text, at = kept.get(row_id, ("", now()))
                rows.append((number, new, text if own is event and text else _json(own), at))
                before.append(row_id)
            connection.executemany(
                "INSERT INTO agent_messages(id, session_id, event, created_at) VALUES (?, ?, ?, ?)", rows
            )
            connection.executemany(
                "INSERT INTO agent_messages_fts(rowid, words, grams) VALUES (?, ?, ?)",
                [(row[0], *index) for row, index in zip(rows, indexed, strict=True) if index is not None],
            )
            if (todo := forking.last_todo(copied)) is not None:
                connection.execute(
                    "INSERT INTO agent_tasks(session_id, kind, state, payload, created_at, updated_at) "
                    "VALUES (:new, 'todo', 'open', :todo, :at, :at)",
                    {"new": new, "todo": _json(todo), "at": now()},
                )
        return new

    def _get(self, connection: apsw.Connection, session_id: SessionId) -> SessionRow:
        row = sql.first(
            connection, f"SELECT {_COLUMNS} FROM sessions WHERE session_id = ?", (storable(session_id),)
        )
        if row is None:
            raise _missing(session_id)
        return _session(row)

    def _change(
        self, connection: apsw.Connection, session_id: SessionId, change: str, *values: object
    ) -> None:
        connection.execute(
            f"UPDATE sessions SET {change}, updated_at = ? WHERE session_id = ?",
            (*values, now(), storable(session_id)),
        )
        if not connection.changes():
            raise _missing(session_id)


def _index(connection: apsw.Connection, row_id: int, event: Mapping[str, Any]) -> None:
    if (index := index_of(event)) is not None:
        connection.execute(
            "INSERT INTO agent_messages_fts(rowid, words, grams) VALUES (?, ?, ?)", (row_id, *index)
        )


def _json(value: Mapping[str, Any]) -> str:
    return storable(json.dumps(value, ensure_ascii=False, default=str))


def _session(row: tuple[Any, ...]) -> SessionRow:
    session_id, title, created_at, updated_at, kind, parent, forked_from, project = row
    return SessionRow(
        session_id, title, moment(created_at), moment(updated_at), kind, parent, forked_from, project
    )


def _missing(session_id: SessionId) -> NotFoundError:
    return NotFoundError(f"No conversation {session_id}.", hint="It may have been deleted.")


def _like(text: str) -> str:
    """Return the text such that LIKE takes it literally."""
    return storable(text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
