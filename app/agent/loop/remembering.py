"""After a conversation has come to rest: what of it is worth remembering (`MemoryManager.extract_after`)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from app.agent.asking import NobodyAsker
from app.agent.loop.sessions import Agent
from app.agent.loop.turn_runner import TurnRunner
from app.agent.memory import exchange_of
from app.agent.services import AgentServices
from app.errors import AppError
from app.records.ids import SessionId
from app.services.threads import off_loop

_log = logging.getLogger(__name__)


class Remembering:
    """Waits until a conversation has been idle for `after_s`, then lets a sub-agent look through it.

    What was looked through once is not again. The next turn of the conversation ends it.
    """

    def __init__(self, services: Callable[[], AgentServices], runner: TurnRunner, after_s: float) -> None:
        self._services = services
        self._runner = runner
        self._after_s = after_s
        self._tasks: dict[SessionId, asyncio.Task[None]] = {}
        self._seen: dict[SessionId, int] = {}

    def idle(self, agent: Agent, since: int) -> None:
        """Begin to wait: a turn has ended that began behind journal row `since`."""
        self._seen.setdefault(agent.session_id, since)
        task = asyncio.get_running_loop().create_task(self._extract(agent), name="remembering")
        self._tasks[agent.session_id] = task

    async def interrupt(self, session: SessionId) -> None:
        """End the waiting or looking for a conversation, because it goes on."""
        if task := self._tasks.pop(session, None):
            task.cancel()
            await asyncio.wait({task})

    async def close(self) -> None:
        """End all of it."""
        for session in tuple(self._tasks):
            await self.interrupt(session)

    async def _extract(self, agent: Agent) -> None:
        await asyncio.sleep(self._after_s)
        session, services = agent.session_id, self._services()
        try:
            rows = await off_loop(services.library.journal.rows, session, self._seen[session])
            conversation = await self._runner.conversation(agent, NobodyAsker(), None)
            await services.memory.extract_after(conversation, exchange_of([event for _, event in rows]))
            self._seen[session] = rows[-1][0] if rows else self._seen[session]
        except AppError as error:
            # nobody waits for this; it is tried again after the next turn
            _log.info("nothing was remembered of %s: %s", session, error.message)
