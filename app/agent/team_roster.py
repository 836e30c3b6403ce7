"""What is kept of a team in the database; each change is one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from app.agent.team_words import LEAD, Teammate, TeammateState, briefing
from app.errors import NotFoundError, UsageError
from app.library import Library
from app.library.tasks import TEAMMATE, TaskRow
from app.records.ids import SessionId
from app.services.owners import Owner
from app.services.threads import off_loop

MAX_RUNS = 12
"""How often a teammate goes to work; then it is finished. Two that write to each other come to an end."""

MAX_UNREAD = 1000
"""Letters that may wait in a mailbox; whoever writes more is told that they are not read."""

NO_TEXT = "(It ended without a text.)"


@dataclass(slots=True, eq=False)
class Member:
    """A teammate. `number` is its row; `job` its work in this process."""

    number: int
    team: SessionId
    name: str
    role: str
    call_id: str
    state: TeammateState
    runs: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while it is decided whether it goes idle or is woken."""
    job: asyncio.Task[None] | None = None

    @property
    def there(self) -> bool:
        """Whether it reads its mail."""
        return self.state in ("running", "idle")

    def payload(self) -> dict[str, Any]:
        """Return what is kept of it beside its state."""
        return {"name": self.name, "role": self.role, "call_id": self.call_id, "runs": self.runs}


class Roster:
    """The members of all teams, and their mail. Blocking; for any thread."""

    def __init__(self, library: Library, owner: Owner) -> None:
        self._library = library
        self._owner = owner

    def members(self, team: SessionId) -> list[Member]:
        """Return the members of a team; of those of one name the last."""
        rows = self._library.tasks.of_session(team, TEAMMATE)
        return list({member.name: member for member in map(_member, rows)}.values())

    def status(self, team: SessionId, members: Iterable[Member] | None = None) -> list[Teammate]:
        """Return the members, those given or those that are kept, with what waits for each."""
        return [
            Teammate(
                member.name,
                member.role,
                member.state,
                len(self._library.mail.unread(team, member.name)) if member.there else 0,
            )
            for member in (self.members(team) if members is None else members)
        ]

    def enrol(self, member: Member, task: str) -> None:
        """Keep a new member, which gets its number, with its task as its first letter."""
        with self._library.transaction(durable=True):
            number = self._library.tasks.create(member.team, TEAMMATE, member.state, member.payload())
            self._library.mail.send(member.team, LEAD, member.name, task)
        member.number = number

    def post(self, team: SessionId, sender: str, recipients: Sequence[str], body: str) -> None:
        """Put a letter into mailboxes, all or none. Raises UsageError where one is full."""
        with self._library.transaction(durable=True):
            for recipient in recipients:
                if len(self._library.mail.unread(team, recipient, MAX_UNREAD)) >= MAX_UNREAD:
                    raise UsageError(
                        f"{MAX_UNREAD} messages to {recipient} wait to be read.",
                        hint="Write no more until some were read; check_team_inbox shows how it stands.",
                    )
            self._library.mail.send_all(team, sender, recipients, body)

    def begin(self, member: Member) -> str | None:
        """Take the letters that wait and return what the member works with; None if there are none.

        It is at work then, or idle; to be called with its lock.
        """
        library, team, name = self._library, member.team, member.name
        owner = self._owner.claim()
        with library.transaction(durable=True):
            earlier, new = library.mail.between(team, name), library.mail.unread(team, name)
            state: TeammateState = "running" if new else "idle"
            runs = member.runs + bool(new)
            library.tasks.set_state(
                member.number, state, {**member.payload(), "runs": runs}, owner=owner if new else ""
            )
            if new:
                library.mail.mark(team, name, new[-1].id)
        member.state, member.runs = state, runs
        return briefing(name, earlier, new) if new else None

    def finish(self, member: Member, final: str) -> None:
        """Send the last text of a piece of work to the lead; the member is finished after many.

        The row still says that it works: `begin` follows. To be called with its lock.
        """
        library, team, name = self._library, member.team, member.name
        last = member.runs >= MAX_RUNS
        with library.transaction(durable=True):
            library.mail.send(team, name, LEAD, final.strip() or NO_TEXT)
            if last:
                library.mail.send(team, name, LEAD, f"({name} has worked {MAX_RUNS} times and is finished.)")
                library.tasks.set_state(member.number, "finished", member.payload(), owner="")
        if last:
            member.state = "finished"

    def end(self, member: Member, why: str) -> None:
        """Note that a member is dead, and tell the lead why."""
        with self._library.transaction(durable=True):
            self._library.tasks.set_state(member.number, "dead", member.payload(), owner="")
            self._library.mail.send(member.team, member.name, LEAD, _obituary(member.name, why))

    def bury(self) -> list[SessionId]:
        """Note that the members are dead that worked in processes that are; returns their teams."""
        with self._library.transaction(durable=True):
            lost = self._library.tasks.lost_at_start(self._owner.alive, TEAMMATE)
            for member in map(_member, lost):
                self.end(member, "was lost when the program ended")
        return list(dict.fromkeys(row.session_id for row in lost if row.session_id is not None))


class Parents:
    """By whom the sessions of sub-agents and teammates were begun; that never changes."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[SessionId, tuple[SessionId, ...]] = {}

    async def teams(self, session: SessionId) -> tuple[SessionId, ...]:
        """Return the sessions whose team an agent with this session may belong to."""
        if session not in self._known:
            self._known[session] = await off_loop(self._look_up, session)
        return self._known[session]

    def _look_up(self, session: SessionId) -> tuple[SessionId, ...]:
        try:
            parent = self._library.journal.session(session).parent
        except NotFoundError:
            return (session,)
        return (session,) if parent is None else (session, parent)


def names_of(members: Mapping[str, Member], sender: str) -> str:
    """Return whom somebody in a team can write to."""
    names = [name for name, member in members.items() if member.there and name != sender]
    return ", ".join([*([LEAD] if sender != LEAD else []), *sorted(names)]) or "nobody yet"


def _obituary(name: str, why: str) -> str:
    return f"({name} {why}. It is dead; what it had not sent is lost. spawn_teammate begins it anew.)"


def _member(row: TaskRow) -> Member:
    payload = row.payload
    return Member(
        number=row.id,
        team=SessionId(row.session_id or ""),
        name=str(payload["name"]),
        role=str(payload["role"]),
        call_id=str(payload["call_id"]),
        state=cast("TeammateState", row.state),
        runs=int(payload["runs"]),
    )
