"""Mail between the agents of a team. It is kept; what was shown to whom is a mark beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import LibraryError
from app.library import sql
from app.library.clock import moment, now
from app.library.journal import Journal
from app.library.storable import storable
from app.library.store import Store
from app.records.ids import SessionId


@dataclass(frozen=True, slots=True)
class Letter:
    """One message from one agent to another."""

    id: int
    sender: str
    recipient: str
    body: str
    sent_at: datetime


class Mail:
    """The tables of mail; a team is the session of its lead. Thread rules as in `store`."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal

    def send(self, team: SessionId, sender: str, recipient: str, body: str) -> int:
        """Put a letter into a mailbox, on the disk when this returns; returns its number."""
        return self.send_all(team, sender, (recipient,), body)[0]

    def send_all(self, team: SessionId, sender: str, recipients: Iterable[str], body: str) -> list[int]:
        """Put the same letter into several mailboxes, all or none. Raises `NotFoundError` for no team."""
        with self._store.write(durable=True) as connection:
            self._journal.session(team)
            numbers = []
            for recipient in recipients:
                connection.execute(
                    "INSERT INTO agent_mail(team, sender, recipient, body, created_at) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (team, storable(sender), storable(recipient), storable(body), now()),
                )
                numbers.append(connection.last_insert_rowid())
            return numbers

    def unread(self, team: SessionId, recipient: str, limit: int = 50) -> list[Letter]:
        """Return what the recipient was not shown yet, the oldest first. Reading marks nothing."""
        return self._letters(
            "team = :team AND recipient = :who AND id > "
            "coalesce((SELECT upto FROM agent_mail_read WHERE team = :team AND recipient = :who), 0) "
            "ORDER BY id LIMIT :limit",
            {"team": team, "who": storable(recipient), "limit": limit},
        )

    def between(self, team: SessionId, member: str, limit: int = 20) -> list[Letter]:
        """Return the last letters that a member sent or was shown, the oldest first."""
        found = self._letters(
            "team = :team AND (sender = :who OR recipient = :who AND id <= "
            "coalesce((SELECT upto FROM agent_mail_read WHERE team = :team AND recipient = :who), 0)) "
            "ORDER BY id DESC LIMIT :limit",
            {"team": team, "who": storable(member), "limit": limit},
        )
        return found[::-1]

    def deliver(
        self,
        team: SessionId,
        recipient: str,
        upto: int,
        session_id: SessionId,
        event: Mapping[str, Any],
    ) -> int:
        """Show the recipient its letters through number `upto`: journal row and mark together, or neither.

        Returns the number of the row in the journal of `session_id`. Raises `LibraryError`
        ("already_delivered") if it was shown this far before.
        """
        with self._store.write(durable=True):
            row_id = self._journal.append(session_id, event, durable=True)
            self.mark(team, recipient, upto)
        return row_id

    def mark(self, team: SessionId, recipient: str, upto: int) -> None:
        """Note that the recipient was shown its letters through number `upto`.

        Raises `LibraryError` ("already_delivered") if it was before.
        """
        with self._store.write(durable=True) as connection:
            connection.execute(
                "INSERT INTO agent_mail_read(team, recipient, upto) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET upto = excluded.upto WHERE upto < excluded.upto",
                (team, storable(recipient), upto),
            )
            if not connection.changes():
                raise LibraryError(
                    f"The mail of {recipient} was already shown.",
                    hint="Another window works on this conversation.",
                    code="already_delivered",
                )

    def _letters(self, condition: str, values: dict[str, Any]) -> list[Letter]:
        with self._store.read() as connection:
            found = sql.rows(
                connection,
                f"SELECT id, sender, recipient, body, created_at FROM agent_mail WHERE {condition}",
                values,
            )
        return [Letter(number, sender, who, body, moment(sent)) for number, sender, who, body, sent in found]
