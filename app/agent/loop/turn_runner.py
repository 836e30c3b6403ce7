"""Running one turn from its first row to its last, whatever comes in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.agent.asking import Asker
from app.agent.loop import prompt
from app.agent.loop.closing import close_after_crash, close_turn
from app.agent.loop.compactor import ContextFullError
from app.agent.loop.direct import answer_directly
from app.agent.loop.sessions import Agent
from app.agent.loop.stopping import to_the_end, until_stopped
from app.agent.loop.turn import Turn
from app.agent.loop.turn_lock import TurnLock
from app.agent.loop.units import Said
from app.agent.memory import Recalled
from app.agent.services import AgentServices
from app.agent.tools.context import Conversation
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.views import view
from app.errors import AppError, NotFoundError, UsageError
from app.events import ContextAdded, Notice, TurnStarted
from app.llm.call_ids import ulid
from app.records.ids import PaperId
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.agent.execution import Executor
    from app.agent.policy.paths import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a turn was begun with; an empty text only takes what waits."""

    text: str
    papers: Sequence[PaperId]
    asker: Asker
    stop: asyncio.Event | None
    project: Path | None


@dataclass(frozen=True, slots=True)
class TurnRunner:
    """Runs turns of main agents."""

    services: Callable[[], AgentServices]
    executor: Executor
    registry: ToolRegistry
    sandbox: Callable[[Path | None], Sandbox]
    catch_up: Callable[[Agent], Awaitable[None]]
    """Takes in what another process has written into the conversation."""

    async def run(self, agent: Agent, request: Request) -> None:
        """Run a turn from its first row to its last."""
        lock = TurnLock(self.services().home, agent.session_id)
        reason, usage, started = "failed", dict[str, Any](), time.monotonic()
        try:
            if not await off_loop(lock.acquire):
                raise UsageError(
                    "Another window or command works in this conversation.",
                    hint="Wait for its end, or stop it there.",
                )
            await self.catch_up(agent)
            await close_after_crash(agent)
            try:
                await agent.log.emit(TurnStarted(ulid(), request.text), durable=True)
                reason = await self._turn(agent, request, usage)
            except asyncio.CancelledError:
                reason = "stopped"
                raise
            except ContextFullError as error:
                reason = "context_full"
                await agent.log.emit(Notice("error", f"{error.message} {error.hint}"))
            except AppError as error:
                await agent.log.emit(Notice("error", f"{error.message} {error.hint}".strip()))
            finally:
                agent.running = False
                usage["seconds"] = round(time.monotonic() - started, 3)
                await to_the_end(close_turn(agent, reason, usage))
        finally:
            agent.running = False
            await to_the_end(off_loop(lock.release))

    async def _turn(self, agent: Agent, request: Request, usage: dict[str, Any]) -> str:
        """Return why the turn ended; `usage` is filled whatever happens."""
        services = self.services()
        model = services.chat()
        if model is None or not model.info.tools:
            reason, used = await answer_directly(
                services.answerer, agent.log.emit, request.text, papers=request.papers, stop=request.stop
            )
            usage.update(used)
            return reason
        agent.running = True
        conversation = await self.conversation(agent, request.asker, request.project)
        said = [
            unit.text for unit in agent.history.units if isinstance(unit, Said) and unit.source == "person"
        ]
        shown = view(conversation.registry, services.tool_limit(), said)
        conversation = replace(conversation, registry=shown)
        turn = Turn(
            agent=agent,
            conversation=conversation,
            model=model,
            executor=self.executor,
            max_steps=services.settings().agent.max_steps,
            deliver=lambda: self.deliver(agent, conversation),
            question=request.text,
        )

        async def work() -> str:
            await self._brief(agent, request, conversation.project)
            return await turn.run()

        try:
            return await until_stopped(work(), request.stop) or "stopped"
        finally:
            agent.running = False
            usage.update(turn.usage.as_json())

    async def _brief(self, agent: Agent, request: Request, project: Path | None) -> None:
        """Put the system prompt and the facts of the moment before the model, where they are new to it."""
        services = self.services()
        system = prompt.system_prompt(skills=await off_loop(services.skills.catalogue))
        if system != agent.history.system:
            await agent.log.emit(ContextAdded("system", system))
        facts = prompt.Facts(
            today=datetime.now().astimezone().date(),
            papers=await off_loop(_titles, services, request.papers),
            project=str(project or ""),
            memories=await services.memory.recall(request.text, session=agent.session_id)
            if request.text
            else Recalled(),
        )
        for event in prompt.facts_as_context(facts, agent.history.shown()):
            await agent.log.emit(event)

    async def conversation(self, agent: Agent, asker: Asker, project: Path | None) -> Conversation:
        """Return what the calls of this agent share; without `project` it is the one of the session."""
        services = self.services()
        if project is None:
            row = await off_loop(services.library.journal.session, agent.session_id)
            project = Path(row.project) if row.project else None
        registry = self.registry
        if not asker.present:
            registry = registry.without(lambda tool: tool.needs_person)
        return Conversation(
            session_id=agent.session_id,
            services=services,
            registry=registry,
            sandbox=await off_loop(self.sandbox, project),
            asker=asker,
            emit=agent.log.emit,
            files=agent.files,
            evidence=agent.evidence,
            project=project,
            thinking=services.settings().llm.thinking,
        )

    async def deliver(self, agent: Agent, conversation: Conversation) -> bool:
        """Bring background results and mail before the model; whether there were any."""
        agent.something_waits = False
        services = conversation.services
        told = await services.background.deliver(conversation)
        return bool(told + await services.team.deliver(conversation))


def _titles(services: AgentServices, papers: Sequence[PaperId]) -> list[str]:
    lines = []
    for paper in papers:
        try:
            record = services.library.papers.get(paper).record
        except NotFoundError:
            continue
        year = f" ({record.year})" if record.year else ""
        lines.append(f"{paper}: {record.title or 'without a title'}{year}")
    return lines
