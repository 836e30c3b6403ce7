"""What the agent remembers from one conversation to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import NotFoundError
from app.library import cjk, sql, words
from app.library.clock import moment, now
from app.library.storable import storable
from app.library.store import Store
from app.records.ids import SessionId

_COLUMNS = "m.id, m.kind, m.content, m.trusted, m.session_id, m.created_at, m.updated_at"


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One thing remembered; `session_id` is where it was learned, if that is still there.

    It is `trusted` unless text of papers, pages or programs had been read by who saved it.
    """

    id: int
    kind: str
    content: str
    trusted: bool
    session_id: SessionId | None
    created_at: datetime
    updated_at: datetime


class Memories:
    """The agent_memories table; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self,
        content: str,
        kind: str = "fact",
        session_id: SessionId | None = None,
        *,
        trusted: bool = True,
    ) -> int:
        """Remember something, on the disk when this returns; returns its number."""
        content, at = storable(content), now()
        with self._store.write(durable=True) as connection:
            connection.execute(
                "INSERT INTO agent_memories(kind, content, grams, trusted, session_id, created_at, "
                "updated_at) VALUES "
                "(?, ?, ?, ?, (SELECT session_id FROM sessions WHERE session_id = ?), ?, ?)",
                (kind, content, cjk.grams(content), trusted, session_id, at, at),
            )
            return connection.last_insert_rowid()

    def update(self, memory_id: int, content: str, kind: str | None = None, *, trusted: bool = True) -> None:
        """Say it in other words; what was not trusted stays so. Raises `NotFoundError`."""
        content = storable(content)
        with self._store.write(durable=True) as connection:
            connection.execute(
                "UPDATE agent_memories SET content = ?, grams = ?, kind = coalesce(?, kind), "
                "trusted = min(trusted, ?), updated_at = ? WHERE id = ?",
                (content, cjk.grams(content), kind, trusted, now(), memory_id),
            )
            if not connection.changes():
                raise _missing(memory_id)

    def delete(self, memory_id: int) -> None:
        """Forget it. Raises `NotFoundError`."""
        with self._store.write(durable=True) as connection:
            connection.execute("DELETE FROM agent_memories WHERE id = ?", (memory_id,))
            if not connection.changes():
                raise _missing(memory_id)

    def list(self, kind: str | None = None, limit: int = 1000) -> Sequence[MemoryRow]:
        """Return what is remembered, the newest first."""
        return self._rows(
            "FROM agent_memories m WHERE coalesce(?1, m.kind) = m.kind ORDER BY m.updated_at DESC LIMIT ?2",
            (kind, limit),
        )

    def search(self, text: str, limit: int = 10) -> Sequence[MemoryRow]:
        """Return what has words of the text in it, the closest first; any string is a query."""
        asked = words.parse(text).loose()
        parts = [f"content : ({asked.match()})"] if asked.match() else []
        parts += [f"grams : ({asked.match_runs()})"] if asked.match_runs() else []
        if not parts:
            return []
        return self._rows(
            "FROM agent_memories_fts JOIN agent_memories m ON m.id = agent_memories_fts.rowid "
            "WHERE agent_memories_fts MATCH ? ORDER BY bm25(agent_memories_fts), m.id DESC LIMIT ?",
            (" OR ".join(parts), limit),
        )

    def _rows(self, rest: str, values: tuple[Any, ...]) -> Sequence[MemoryRow]:
        with self._store.read() as connection:
            found = sql.rows(connection, f"SELECT {_COLUMNS} {rest}", values)
        return [
            MemoryRow(number, kind, content, bool(trusted), session, moment(begun), moment(changed))
            for number, kind, content, trusted, session, begun, changed in found
        ]


def _missing(memory_id: int) -> NotFoundError:
    return NotFoundError(f"No memory {memory_id}.", hint="It was deleted.")
