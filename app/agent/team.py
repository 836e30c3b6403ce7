"""A team: teammates that work beside the main agent, their mailboxes, and who is at work.

All that passes between agents is mail in the database. A letter is marked as shown in the
transaction of the row that shows it; a teammate's last text goes to the lead in the transaction
that changes its state; and before a teammate goes idle its mailbox is looked into once more
under the lock that whoever writes to it takes to wake it. So no letter and no wake is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from app.agent.team_roster import Member, Parents, Roster, names_of
from app.agent.team_words import LEAD, Teammate, mail_text, name_of, shown_together
from app.agent.team_work import TeamWork
from app.agent.tools.context import Conversation, ToolContext
from app.errors import LibraryError, NotFoundError, UsageError
from app.events import ContextAdded
from app.library import Library
from app.records.ids import SessionId
from app.services.owners import Owner
from app.services.threads import off_loop

MAX_MEMBERS = 8


class TeamManager:
    """The teams of all conversations; a team is named by the session of its lead. Use from one loop.

    `owner` is released by whoever made it, after `close`.
    """

    def __init__(self, library: Library, owner: Owner) -> None:
        self._library = library
        self._roster = Roster(library, owner)
        self._work = TeamWork(self._roster, self._tell)
        self._teams: dict[SessionId, dict[str, Member]] = {}
        self._begun_by = Parents(library)
        self._ready: list[Callable[[SessionId], None]] = []
        self._closed = False

    def on_ready(self, callback: Callable[[SessionId], None]) -> None:
        """Call on the loop with every session whose lead has new mail, after that is in the database."""
        self._ready.append(callback)

    async def recover(self) -> list[SessionId]:
        """Tell leads of teammates that died with their process; returns their sessions."""
        return await off_loop(self._roster.bury)

    # -- what the tools do ------------------------------------------------------------------------

    async def spawn(self, ctx: ToolContext, name: str, role: str, task: str) -> str:
        """Begin a teammate, or one that is no more anew, and return its name. Raises UsageError."""
        conversation = ctx.conversation
        if conversation.depth > 0:
            raise UsageError("Only the lead begins teammates.", hint="Ask the lead by mail.")
        if self._closed:
            raise UsageError("The program is closing.", hint="Open it again.")
        called = name_of(name)
        if called is None:
            raise UsageError(
                f"{name!r} is no name for a teammate.",
                hint="Use a short one in lower case such as reader or ann; lead and all are taken.",
            )
        members = await self._members(conversation)
        old = members.get(called)
        if old is not None and old.there:
            raise UsageError(
                f"There is a teammate {called} already; it is {old.state}.",
                hint="Send it a message, or choose another name.",
            )
        if sum(other.there for other in members.values()) >= MAX_MEMBERS:
            raise UsageError(f"The team has {MAX_MEMBERS} members.", hint="Give the task to one of them.")
        member = Member(0, conversation.session_id, called, role, ctx.call_id, "idle")
        try:
            await off_loop(self._roster.enrol, member, task)
        except asyncio.CancelledError:
            if member.number:
                await off_loop(self._roster.end, member, "was stopped before it began")
            raise
        members[called] = member
        await self._work.wake(member)
        return called

    async def send(self, conversation: Conversation, to: str, body: str) -> Teammate | None:
        """Write to the lead (None is returned then) or a teammate, which is woken if it is idle.

        Raises UsageError for one who is not there, is no more, or does not read its mail.
        """
        team, sender = await self._placed(conversation)
        members = await self._members(conversation)
        recipient = to.strip().casefold()
        if recipient == sender:
            raise UsageError("That is yourself.", hint=f"Your team: {names_of(members, sender)}.")
        if recipient == LEAD:
            try:
                await off_loop(self._roster.post, team, sender, (LEAD,), body)
            finally:
                self._tell(team)  # also when whoever writes is cancelled: the letter may be there
            return None
        member = members.get(recipient)
        if member is None:
            raise UsageError(f"There is no teammate {to!r}.", hint=f"Your team: {names_of(members, sender)}.")
        if not member.there:
            raise UsageError(
                f"{member.name} is {member.state} and reads no mail.",
                hint="Begin it anew with spawn_teammate, or give the task to another one.",
            )
        try:
            await off_loop(self._roster.post, team, sender, (recipient,), body)
        finally:
            await self._work.wake(member)
        return Teammate(member.name, member.role, member.state)

    async def broadcast(self, conversation: Conversation, body: str) -> list[str]:
        """Write to everybody else in the team; returns their names. Raises UsageError where there is none."""
        team, sender = await self._placed(conversation)
        members = await self._members(conversation)
        reached = [member for member in members.values() if member.name != sender and member.there]
        names = [member.name for member in reached] + ([LEAD] if sender != LEAD else [])
        if not names:
            raise UsageError("There is nobody else in the team.", hint="spawn_teammate begins a teammate.")
        try:
            await off_loop(self._roster.post, team, sender, tuple(names), body)
        finally:
            if sender != LEAD:
                self._tell(team)
            for member in reached:
                await self._work.wake(member)
        return names

    async def deliver(self, conversation: Conversation) -> int:
        """Show an agent its new mail, and return how many letters; call between complete rounds.

        Row and mark are one transaction. What is too much at once comes with the next call. Agents
        without a mailbox have no mail. Raises LibraryError.
        """
        place = await self._place(conversation)
        if place is None:
            return 0
        team, who = place
        await self._members(conversation)
        shown = shown_together(await off_loop(self._library.mail.unread, team, who))
        if not shown:
            return 0

        def write(into: SessionId, row: dict[str, Any]) -> int:
            return self._library.mail.deliver(team, who, shown[-1].id, into, row)

        try:
            event = ContextAdded("mail", mail_text(shown), trusted=shown[0].sender == LEAD)
            await conversation.emit(event, durable=True, via=write)
        except LibraryError as error:
            if error.code != "already_delivered":
                raise
            return 0
        return len(shown)

    async def check(self, conversation: Conversation) -> tuple[int, list[Teammate]]:
        """Show an agent its new mail; returns how many letters, and how the team stands."""
        team, _ = await self._placed(conversation)
        letters = await self.deliver(conversation)
        return letters, await self.status(team)

    async def waiting(self, session: SessionId) -> int:
        """Return how many letters wait for the lead of a session."""
        return len(await off_loop(self._library.mail.unread, session, LEAD))

    async def status(self, session: SessionId) -> list[Teammate]:
        """Return the members of a team as they stand."""
        here = self._teams.get(session)
        return await off_loop(self._roster.status, session, None if here is None else list(here.values()))

    def running(self, session: SessionId) -> bool:
        """Whether a teammate of a session is at work in this process."""
        return any(member.job is not None for member in self._teams.get(session, {}).values())

    async def settled(self, session: SessionId) -> None:
        """Wait until no teammate of a session is at work."""
        while jobs := [m.job for m in self._teams.get(session, {}).values() if m.job is not None]:
            await asyncio.wait(jobs)

    async def stop(self, session: SessionId, name: str) -> None:
        """End a teammate's work; it is dead then, and the lead is told."""
        member = self._teams.get(session, {}).get(name)
        if member is None or member.job is None:
            raise NotFoundError(f"No teammate {name} is at work.", hint="It may have ended.")
        await self._work.end([member], "was stopped")

    async def close(self) -> None:
        """End all teammates and wait until that is in the database."""
        self._closed = self._work.closed = True
        members = [member for team in self._teams.values() for member in team.values()]
        await self._work.end(members, "was stopped because the program closed")

    # -- who is who -------------------------------------------------------------------------------

    async def _members(self, conversation: Conversation) -> dict[str, Member]:
        """Return the team of a conversation; those to whom mail came while nobody worked are woken."""
        team = conversation.session_id
        if conversation.depth > 0:
            team, _ = await self._placed(conversation)
        else:
            self._work.leads[team] = conversation
        if team not in self._teams:
            kept = await off_loop(self._roster.members, team)
            waiting = {mate.name for mate in await off_loop(self._roster.status, team, kept) if mate.unread}
            members = self._teams.setdefault(team, {member.name: member for member in kept})
            for member in list(members.values()):
                if member.name in waiting:
                    await self._work.wake(member)
        return self._teams[team]

    async def _place(self, conversation: Conversation) -> tuple[SessionId, str] | None:
        """Return the team of an agent and its name in it; None for one without a mailbox."""
        if conversation.depth == 0:
            return conversation.session_id, LEAD
        for team in await self._begun_by.teams(conversation.session_id):
            if conversation.agent in self._teams.get(team, {}):
                return team, conversation.agent
        return None

    async def _placed(self, conversation: Conversation) -> tuple[SessionId, str]:
        place = await self._place(conversation)
        if place is None:
            raise UsageError(
                "Only the lead and its teammates have mailboxes.", hint="Report in your summary."
            )
        return place

    def _tell(self, team: SessionId) -> None:
        if not self._closed:
            for callback in self._ready:
                callback(team)
