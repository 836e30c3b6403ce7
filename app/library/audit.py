"""The audit log: every tool call, what it was given, and how it ended. It outlives its conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.library import sql
from app.library.clock import moment, now
from app.library.storable import storable
from app.library.store import Store
from app.records.ids import SessionId

RUNNING = "running"
"""The outcome of a call that has begun and not ended."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One call. `arguments` is the JSON it ran with; `finished_at` is None while it runs."""

    id: int
    session_id: SessionId | None
    call_id: str
    tool: str
    arguments: str
    outcome: str
    detail: str
    started_at: datetime
    finished_at: datetime | None


class Audit:
    """The agent_audit_log table; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def record(
        self,
        session_id: SessionId | None,
        call_id: str,
        tool: str,
        arguments_json: str,
        outcome: str,
        detail: str = "",
        *,
        durable: bool = False,
    ) -> None:
        """Write how a call stands.

        Called with the outcome "running" when the call begins and with its own outcome when it has
        ended, which completes the same row; a call that never began has one row from its end alone.
        A session that is gone is left out.
        """
        values = (storable(arguments_json), outcome, storable(detail))
        at = now()
        ended = None if outcome == RUNNING else at
        with self._store.write(durable=durable) as connection:
            begun = sql.first(
                connection,
                "SELECT max(id) FROM agent_audit_log WHERE tool_call_id = ? AND session_id IS ? "
                "AND finished_at IS NULL AND outcome = ?",
                (call_id, session_id, RUNNING),
            )
            if begun is not None and begun[0] is not None:
                connection.execute(
                    "UPDATE agent_audit_log SET arguments = ?, outcome = ?, detail = ?, finished_at = ? "
                    "WHERE id = ?",
                    (*values, ended, begun[0]),
                )
                return
            connection.execute(
                "INSERT INTO agent_audit_log(session_id, tool_call_id, tool, arguments, outcome, detail, "
                "created_at, finished_at) "
                "VALUES ((SELECT session_id FROM sessions WHERE session_id = ?), ?, ?, ?, ?, ?, ?, ?)",
                (session_id, call_id, storable(tool), *values, at, ended),
            )

    def of_session(self, session_id: SessionId) -> list[AuditRow]:
        """Return the calls of a conversation, in the order in which they were recorded."""
        return self._rows("session_id = ?", (session_id,))

    def running(self, session_id: SessionId) -> list[AuditRow]:
        """Return the calls of a conversation that have begun and not ended."""
        return self._rows("session_id = ? AND finished_at IS NULL", (session_id,))

    def _rows(self, condition: str, values: tuple[Any, ...]) -> list[AuditRow]:
        with self._store.read() as connection:
            found = sql.rows(
                connection,
                "SELECT id, session_id, tool_call_id, tool, arguments, outcome, detail, created_at, "
                f"finished_at FROM agent_audit_log WHERE {condition} ORDER BY id",
                values,
            )
        return [
            AuditRow(
                row_id,
                session,
                call,
                tool,
                arguments,
                outcome,
                detail,
                moment(begun),
                ended and moment(ended),
            )
            for row_id, session, call, tool, arguments, outcome, detail, begun, ended in found
        ]
