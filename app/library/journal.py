"""The journal: conversations as the events they consist of, and what the agent's tools did."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import NotFoundError
from app.library.clock import moment, now
from app.library.storable import storable
from app.library.store import Store
from app.library.tables import AgentMessages, Sessions
from app.records.ids import SessionId

_PIECES = ("text_delta", "thinking_delta", "tool_progress")


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One conversation."""

    session_id: SessionId
    title: str
    created_at: datetime
    updated_at: datetime


class Journal:
    """Sessions and their events, append only; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def new_session(self, title: str = "", session_id: SessionId | None = None) -> SessionId:
        """Begin a conversation; one of the given name is gone on with if there is one."""
        session_id = SessionId(storable(session_id or secrets.token_hex(8)))
        at = now()
        with self._store.write():
            Sessions.insert(
                session_id=session_id, title=storable(title), created_at=at, updated_at=at
            ).on_conflict_ignore().execute(self._store.db)
        return session_id

    def rename(self, session_id: SessionId, title: str) -> None:
        """Give a conversation another title. Raises `NotFoundError`."""
        with self._store.write():
            self._touch(session_id, title=title)

    def append(self, session_id: SessionId, event: dict[str, Any]) -> None:
        """Add one event (`Event.as_json()`). Raises `NotFoundError`.

        It survives the death of the program when this returns, and a power cut too, unless it
        is one of many small pieces: those are on the disk with the next event that is none.
        """
        with self._store.write(durable=event.get("type") not in _PIECES):
            self._touch(session_id)
            AgentMessages.insert(
                session_id=session_id, event=json.dumps(event, ensure_ascii=False), created_at=now()
            ).execute(self._store.db)

    def events(self, session_id: SessionId) -> list[dict[str, Any]]:
        """Return the events of a conversation, in order."""
        with self._store.read():
            rows = (
                AgentMessages.select(AgentMessages.event)
                .where(AgentMessages.session_id == session_id)
                .order_by(AgentMessages.id)
                .execute(self._store.db)
            )
            return [json.loads(row.event) for row in rows]

    def sessions(self, limit: int = 100) -> list[SessionRow]:
        """Return the conversations, the last used first."""
        with self._store.read():
            rows = Sessions.select().order_by(Sessions.updated_at.desc()).limit(limit).execute(self._store.db)
            return [
                SessionRow(
                    SessionId(row.session_id), row.title, moment(row.created_at), moment(row.updated_at)
                )
                for row in rows
            ]

    def _touch(self, session_id: SessionId, **changed: object) -> None:
        changed["updated_at"] = now()
        rows = Sessions.update(changed).where(Sessions.session_id == session_id).execute(self._store.db)
        if not rows:
            raise NotFoundError(f"No conversation {session_id}.", hint="It may have been deleted.")
