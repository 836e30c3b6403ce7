"""The agent's front door: turns, steering, sub-agents, single calls, and what a crash left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from app.agent.asking import Asker, NobodyAsker
from app.agent.loop.children import Children
from app.agent.loop.closing import close_after_crash
from app.agent.loop.event_log import Screen
from app.agent.loop.remembering import Remembering
from app.agent.loop.sessions import Agent, Sessions
from app.agent.loop.stopping import to_the_end
from app.agent.loop.turn_lock import TurnLock
from app.agent.loop.turn_runner import Request, TurnRunner
from app.agent.services import AgentServices
from app.agent.tools.context import Conversation, ToolContext
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import Report, ToolOutput
from app.errors import UsageError
from app.events import Event, Steering, TurnFinished, TurnStarted
from app.library.journal import SessionKind
from app.library.storable import storable
from app.records.ids import PaperId, SessionId
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.agent.execution import Executor
    from app.agent.policy.paths import Sandbox

_TITLE = 80


class AgentRuntime:
    """Runs the turns of all conversations; at most one at a time in each.

    `services` is asked late, because the services hold the runtime in turn (`children`, `calls`,
    `request_compaction`). `sandbox` gives the folders that file tools may use in a project.
    `wake` is called when something waits for an idle conversation (`continue_turn` then delivers it).
    A conversation that was idle for `remember_after_s` is looked through for memories; None: never.
    """

    def __init__(
        self,
        services: Callable[[], AgentServices],
        executor: Executor,
        registry: ToolRegistry,
        *,
        sandbox: Callable[[Path | None], Sandbox],
        wake: Callable[[SessionId], None] = lambda _session: None,
        remember_after_s: float | None = None,
    ) -> None:
        self._services = services
        self._executor = executor
        self._runner = TurnRunner(services, executor, registry, sandbox, self._catch_up)
        self._remembering = (
            Remembering(services, self._runner, remember_after_s) if remember_after_s is not None else None
        )
        self._wake = wake
        self._sessions_made: Sessions | None = None
        self._bodies: set[asyncio.Task[None]] = set()
        self._closed = False

    # -- turns ------------------------------------------------------------------------------------

    async def run_turn(
        self,
        text: str,
        *,
        papers: Sequence[PaperId] = (),
        session: SessionId | None = None,
        asker: Asker | None = None,
        stop: asyncio.Event | None = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Answer one message; every event is in the journal before it is yielded (pieces are not kept).

        Without `session` the turn begins a new conversation. Setting `stop`, or closing the
        generator, ends the turn with every call accounted for. Raises UsageError for an empty message
        or while a turn runs in this conversation, NotFoundError for an unknown session.
        """
        text = storable(text).strip()
        if not text:
            raise UsageError(
                "The question is empty.", hint="Type what you want to know, for example a value or an object."
            )
        if session is None:
            title = " ".join(text.split())[:_TITLE]
            session = await off_loop(
                self._services().library.journal.new_session, title, project=str(project or "")
            )
        request = Request(
            text=text, papers=tuple(papers), asker=asker or NobodyAsker(), stop=stop, project=project
        )
        async with aclosing(self._run(await self._sessions.get(session), request)) as events:
            async for event in events:
                yield event

    async def continue_turn(
        self,
        session: SessionId,
        *,
        asker: Asker | None = None,
        stop: asyncio.Event | None = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Deliver what waits for an idle conversation (background results, mail).

        Yields nothing when nothing waits, a turn already runs, or no model can take it: it then
        waits for the next turn.
        """
        agent, services = await self._sessions.get(session), self._services()
        model = services.chat()
        waits = await services.background.pending(session) or await services.team.waiting(session)
        if agent.running or not waits or model is None or not model.info.tools:
            return
        request = Request(text="", papers=(), asker=asker or NobodyAsker(), stop=stop, project=project)
        async with aclosing(self._run(agent, request)) as events:
            async for event in events:
                yield event

    def running(self, session: SessionId) -> bool:
        """Whether a turn runs in this conversation."""
        agent = self._sessions.live(session)
        return agent is not None and agent.running

    async def steer(self, session: SessionId, text: str) -> bool:
        """Put what the person typed before the model at its next step; False when no turn takes it."""
        agent = self._sessions.live(session)
        text = storable(text).strip()
        if agent is None or not agent.running or not text:
            return False
        await agent.log.emit(Steering(text), durable=True)
        return True

    def watch(self, session: SessionId, screen: Callable[[Event], None]) -> Callable[[], None]:
        """Call `screen` with what happens in a conversation in memory, also between turns.

        The returned function ends that.
        """
        agent = self._sessions.live(session)
        return agent.log.show_to(screen) if agent else lambda: None

    async def resume(self, session: SessionId) -> None:
        """Close what a crash left open in a conversation; every turn begins with it too.

        Does nothing while this or another process works in the conversation.
        """
        agent = await self._sessions.get(session)
        if agent.turn.locked():
            return
        async with agent.turn:
            lock = TurnLock(self._services().home, session)
            try:
                if await off_loop(lock.acquire):
                    await self._sessions.catch_up(agent)
                    await close_after_crash(agent)
            finally:
                await to_the_end(off_loop(lock.release))

    def request_compaction(self, session: SessionId | str) -> None:
        """Shorten a conversation before its next model call."""
        if agent := self._sessions.live(SessionId(session)):
            agent.wants_compaction = True

    def ready(self, session: SessionId) -> None:
        """Tell that something waits for a conversation: a running turn takes it, an idle one is woken."""
        agent = self._sessions.live(session)
        if agent is not None and agent.running:
            agent.something_waits = True
        else:
            self._wake(session)

    async def close(self) -> None:
        """Stop all turns and wait until their last rows are committed."""
        self._closed = True
        if self._remembering:
            await self._remembering.close()
        while bodies := [body for body in self._bodies if not body.done()]:
            for body in bodies:
                body.cancel()
            await asyncio.wait(bodies)
        for agent in self._sessions.all():
            await agent.log.settled()

    # -- one call, and agents below this one ---------------------------------------------------------

    async def conversation(
        self, session: SessionId, *, asker: Asker | None = None, project: Path | None = None
    ) -> Conversation:
        """Return what calls of this session share, for `run_call` from outside of a turn."""
        agent = await self._sessions.get(session)
        return await self._runner.conversation(agent, asker or NobodyAsker(), project)

    def tainted(self, session: SessionId) -> bool:
        """Whether untrusted text has come before who calls in this conversation."""
        agent = self._sessions.live(session)
        return agent is None or agent.history.tainted

    async def run_call(
        self, conversation: Conversation, tool: str, arguments: dict[str, object]
    ) -> ToolOutput:
        """Run one call outside of a turn; see `CallRunner`."""
        session = conversation.session_id
        result = await self._executor.run_call(
            conversation, tool, arguments, tainted=lambda: self.tainted(session)
        )
        metadata = {**result.metadata, "outcome": result.outcome.value}
        return ToolOutput(result.output, result.is_error, metadata, untrusted=bool(metadata.get("untrusted")))

    async def run_child(
        self,
        parent: ToolContext,
        task: str,
        *,
        name: str,
        max_steps: int,
        instructions: str = "",
        registry: ToolRegistry | None = None,
        report: Report | None = None,
        kind: SessionKind = "subagent",
    ) -> str:
        """Run a sub-agent; see `ChildRunner`."""
        return await Children(self._sessions, self._executor, self._runner.deliver).run(
            parent,
            task,
            name=name,
            max_steps=max_steps,
            instructions=instructions,
            registry=registry,
            report=report,
            kind=kind,
        )

    # -- how a turn is run ----------------------------------------------------------------------------

    @property
    def _sessions(self) -> Sessions:
        if self._sessions_made is None:
            self._sessions_made = Sessions(self._services().library)
        return self._sessions_made

    async def _catch_up(self, agent: Agent) -> None:
        await self._sessions.catch_up(agent)

    async def _run(self, agent: Agent, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the events of a turn that runs in a task of its own; nobody else may end that."""
        if agent.running or self._closed:
            raise UsageError(
                "A turn is running in this conversation already."
                if agent.running
                else "The program is closing.",
                hint="Wait for its end, or stop it.",
            )
        if self._remembering:
            await self._remembering.interrupt(agent.session_id)
        async with agent.turn:
            before = agent.history.last_row
            screen = Screen()
            leave = agent.log.show_to(screen.put)
            body = asyncio.ensure_future(self._runner.run(agent, request))
            self._bodies.add(body)
            body.add_done_callback(self._bodies.discard)
            body.add_done_callback(lambda _body: screen.end())
            try:
                begun = False
                async for event in screen:
                    begun = begun or isinstance(event, TurnStarted)
                    yield event
                    if begun and isinstance(event, TurnFinished):
                        break  # a background task may go on showing what it does
                await asyncio.wait({body})
            finally:
                if not body.done():
                    body.cancel()
                    await asyncio.wait({body})
                leave()
            if not body.cancelled():
                body.result()
        if self._remembering and not self._closed:
            self._remembering.idle(agent, before)
