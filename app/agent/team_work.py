"""The work of teammates: who is woken, what it works on, and how it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from app.agent.team_roster import Member, Roster
from app.agent.team_words import instructions
from app.agent.tools.context import Conversation, ToolContext
from app.agent.tools.subagent import NOT_INSIDE
from app.errors import AppError
from app.records.ids import SessionId
from app.services.threads import off_loop

AT_ONCE = 3
"""Teammates at work at the same time, over all teams; the others wait."""

STEPS = 20
"""Rounds of one piece of work."""

TEAM_TOOLS = frozenset(("check_team_inbox", "send_teammate_message", "team_broadcast"))
_log = logging.getLogger(__name__)


class TeamWork:
    """Runs teammates, each in a task of its own. `tell` is called with a team whose lead has mail.

    `leads` are the conversations that teammates work within: with their rights, shown in them.
    """

    def __init__(self, roster: Roster, tell: Callable[[SessionId], None]) -> None:
        self._roster = roster
        self._tell = tell
        self._slots = asyncio.Semaphore(AT_ONCE)
        self.leads: dict[SessionId, Conversation] = {}
        self.closed = False

    async def wake(self, member: Member) -> None:
        """Let an idle member look into its mailbox; one at work does so before it goes idle."""
        async with member.lock:
            if member.job is None and member.there and not self.closed and member.team in self.leads:
                member.state = "running"
                member.job = asyncio.create_task(self._work(member), name=f"teammate {member.name}")
                member.job.add_done_callback(_report_mistake)

    async def end(self, members: Sequence[Member], why: str) -> None:
        """Cancel the work of members and wait until it is written that they are dead."""
        jobs = [member.job for member in members if member.job is not None]
        for job in jobs:
            job.cancel()
        if jobs:
            await asyncio.wait(jobs)
        for member in members:
            if member.job is not None:
                await self._bury(member, why)

    async def _work(self, member: Member) -> None:
        why = "met a mistake in AstroResearch"
        try:
            while (text := await self._next(member)) is not None:
                async with self._slots:
                    final = await self._run(member, text)
                async with member.lock:
                    await off_loop(self._roster.finish, member, final)
                self._tell(member.team)
        except AppError as error:
            why = f"failed: {error.message} {error.hint}".strip().rstrip(".")
        finally:
            # one that is cancelled is buried by whoever cancelled it
            if member.job is not None and not _cancelled():
                await self._bury(member, why)

    async def _next(self, member: Member) -> str | None:
        """Return what to work on; with an empty mailbox the member is idle from here on."""
        async with member.lock:
            text = None if member.state == "finished" else await off_loop(self._roster.begin, member)
            if text is None:
                member.job = None
            return text

    async def _run(self, member: Member, text: str) -> str:
        """Do one piece of work and return its last text."""
        lead = self.leads[member.team]
        others = [mate.name for mate in await off_loop(self._roster.members, member.team) if mate.there]
        parent = ToolContext(
            conversation=lead, call_id=member.call_id, step=0, waiting=nullcontext, protected=nullcontext
        )
        unwanted = NOT_INSIDE - TEAM_TOOLS
        return await lead.services.children.run_child(
            parent,
            text,
            name=member.name,
            kind="teammate",
            max_steps=STEPS,
            instructions=instructions(member.name, member.role, {*others} - {member.name}),
            registry=lead.registry.without(lambda tool: tool.name in unwanted),
        )

    async def _bury(self, member: Member, why: str) -> None:
        async with member.lock:
            member.state, member.job = "dead", None
            try:
                await off_loop(self._roster.end, member, why)
            except AppError as error:
                # its row still names this process: the lead is told when that is gone
                _log.error("the end of %s was not saved: %s", member.name, error.message)
                return
        self._tell(member.team)


def _cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _report_mistake(job: asyncio.Task[None]) -> None:
    """Log what no work should raise; the lead was told already."""
    if not job.cancelled() and (error := job.exception()) is not None:
        _log.error("%s met a mistake", job.get_name(), exc_info=error)
