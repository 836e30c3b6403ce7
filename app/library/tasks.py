"""What an agent keeps beside its conversation: background tasks, teammates, the to-do list."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from app.errors import LibraryError, NotFoundError
from app.library import sql
from app.library.clock import moment, now
from app.library.journal import Journal
from app.library.storable import storable
from app.library.store import Store
from app.records.ids import SessionId

TaskKind = Literal["background", "teammate", "todo"]

BACKGROUND: TaskKind = "background"
TEAMMATE: TaskKind = "teammate"
TODO: TaskKind = "todo"

RUNNING = "running"
LOST = "lost"
"""The process that worked on it died; what it had done by then is not known."""

_COLUMNS = "id, session_id, kind, state, payload, created_at, updated_at, owner, delivered_row"


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One piece of work. `payload` is what its kind keeps.

    `owner` names the process that works on it, empty where none does; `delivered_row` is the
    journal row that told the agent of its end.
    """

    id: int
    session_id: SessionId | None
    kind: TaskKind
    state: str
    payload: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    owner: str
    delivered_row: int | None


class Tasks:
    """The agent_tasks table; thread rules as in `store`."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal

    def create(
        self,
        session_id: SessionId,
        kind: TaskKind,
        state: str,
        payload: Mapping[str, Any],
        *,
        owner: str = "",
    ) -> int:
        """Begin a piece of work, on the disk when this returns; returns its number.

        Raises `NotFoundError` for an unknown session.
        """
        at = now()
        with self._store.write(durable=True) as connection:
            self._journal.session(session_id)
            connection.execute(
                "INSERT INTO agent_tasks(session_id, kind, state, payload, created_at, updated_at, owner) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (session_id, kind, state, _json(payload), at, at, owner),
            )
            return connection.last_insert_rowid()

    def set_state(
        self,
        task_id: int,
        state: str,
        payload: Mapping[str, Any] | None = None,
        *,
        owner: str | None = None,
        durable: bool = True,
    ) -> None:
        """Change how it stands; a payload or owner that is None stays. Raises `NotFoundError`."""
        with self._store.write(durable=durable) as connection:
            connection.execute(
                "UPDATE agent_tasks SET state = ?, payload = coalesce(?, payload), "
                "owner = coalesce(?, owner), updated_at = ? WHERE id = ?",
                (state, None if payload is None else _json(payload), owner, now(), task_id),
            )
            if not connection.changes():
                raise NotFoundError(f"No task {task_id}.", hint="Its conversation was deleted.")

    def put(self, session_id: SessionId, kind: TaskKind, payload: Mapping[str, Any]) -> int:
        """Write the one row of a kind that a session has one of (the to-do list); returns its number."""
        with self._store.write(durable=True):
            found = self.of_session(session_id, kind)
            if not found:
                return self.create(session_id, kind, "open", payload)
            self.set_state(found[-1].id, "open", payload)
            return found[-1].id

    def get(self, task_id: int) -> TaskRow:
        """Return one piece of work. Raises `NotFoundError`."""
        found = self._rows("id = ?", (task_id,))
        if not found:
            raise NotFoundError(f"No task {task_id}.", hint="Its conversation was deleted.")
        return found[0]

    def of_session(self, session_id: SessionId, kind: TaskKind | None = None) -> list[TaskRow]:
        """Return the work of a session, all of it or of one kind, in order."""
        if kind is None:
            return self._rows("session_id = ?", (session_id,))
        return self._rows("session_id = ? AND kind = ?", (session_id, kind))

    def undelivered(self, session_id: SessionId) -> list[TaskRow]:
        """Return the background tasks that have ended and of which the agent was not told, in order."""
        return self._rows(
            "session_id = ? AND kind = 'background' AND state <> 'running' AND delivered_row IS NULL",
            (session_id,),
        )

    def waiting_sessions(self) -> list[SessionId]:
        """Return the sessions that have background tasks to be told of."""
        with self._store.read() as connection:
            found = sql.rows(
                connection,
                "SELECT DISTINCT session_id FROM agent_tasks WHERE kind = 'background' "
                "AND state <> 'running' AND delivered_row IS NULL AND session_id IS NOT NULL",
            )
        return [SessionId(session) for (session,) in found]

    def deliver(self, session_id: SessionId, task_ids: Sequence[int], event: Mapping[str, Any]) -> int:
        """Tell the agent of ended tasks: the event and the marks of them all, or nothing of it.

        Returns the number of the journal row. Raises `LibraryError` ("already_delivered") if one
        of them was told before.
        """
        with self._store.write(durable=True) as connection:
            row_id = self._journal.append(session_id, event, durable=True)
            for task_id in task_ids:
                connection.execute(
                    "UPDATE agent_tasks SET delivered_row = ?, updated_at = ? "
                    "WHERE id = ? AND session_id = ? AND delivered_row IS NULL",
                    (row_id, now(), task_id, session_id),
                )
                if not connection.changes():
                    raise LibraryError(
                        f"Task {task_id} was already told of.",
                        hint="Another window works on this conversation.",
                        code="already_delivered",
                    )
        return row_id

    def lost_at_start(self, alive: Callable[[str], bool], kind: TaskKind = BACKGROUND) -> list[TaskRow]:
        """Mark what dead processes were working on as lost, and return it.

        `alive` says whether a process still works; it is asked once for each.
        """
        with self._store.write(durable=True) as connection:
            running = self._rows("kind = ? AND state = ? AND owner <> ''", (kind, RUNNING))
            dead = {owner for owner in sorted({row.owner for row in running}) if not alive(owner)}
            lost = [row for row in running if row.owner in dead]
            connection.executemany(
                "UPDATE agent_tasks SET state = ?, updated_at = ? WHERE id = ?",
                [(LOST, now(), row.id) for row in lost],
            )
        return [self.get(row.id) for row in lost]

    def _rows(self, condition: str, values: tuple[object, ...]) -> list[TaskRow]:
        with self._store.read() as connection:
            found = sql.rows(
                connection, f"SELECT {_COLUMNS} FROM agent_tasks WHERE {condition} ORDER BY id", values
            )
        return [
            TaskRow(number, session, kind, state, json.loads(payload), moment(begun), moment(changed), *rest)
            for number, session, kind, state, payload, begun, changed, *rest in found
        ]


def _json(payload: Mapping[str, Any]) -> str:
    return storable(json.dumps(payload, ensure_ascii=False, default=str))
