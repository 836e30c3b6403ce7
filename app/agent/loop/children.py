"""Sub-agents: a task done in a context of its own, of which only the last text comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.agent.loop import prompt
from app.agent.loop.closing import close_turn
from app.agent.loop.event_log import Screen
from app.agent.loop.sessions import Agent, Sessions
from app.agent.loop.stopping import to_the_end
from app.agent.loop.turn import Turn
from app.agent.tools.context import Conversation, ToolContext
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import Report
from app.errors import AppError, ModelError
from app.events import ContextAdded, Nested, ToolCall, TurnStarted
from app.library.journal import SessionKind
from app.llm.call_ids import ulid
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.agent.execution import Executor

_TITLE = 80
_NOT_SHOWN = ("system",)


class ChildFailedError(AppError):
    """A sub-agent could not do its task."""

    code = "subagent"


class Children:
    """Runs sub-agents with the executor, and so the rights, of their parents."""

    def __init__(
        self,
        sessions: Sessions,
        executor: Executor,
        deliver: Callable[[Agent, Conversation], Awaitable[bool]],
    ) -> None:
        self._sessions = sessions
        self._executor = executor
        self._deliver = deliver

    async def run(
        self,
        parent: ToolContext,
        task: str,
        *,
        name: str,
        max_steps: int,
        instructions: str,
        registry: ToolRegistry | None,
        report: Report | None,
        kind: SessionKind = "subagent",
    ) -> str:
        """Run a task and return the last text. Raises ChildFailedError, ModelError, LibraryError."""
        talk = parent.conversation
        model = talk.services.chat()
        if model is None or not model.info.tools:
            raise ModelError(
                "A sub-agent needs a model that can call tools.", hint="Do the task in this conversation."
            )
        agent = await self._new_agent(talk, name, task, kind)
        offered = talk.registry if registry is None else registry
        if not talk.asker.present:
            offered = offered.without(lambda tool: tool.needs_person)
        conversation = replace(
            talk,
            session_id=agent.session_id,
            registry=offered,
            emit=agent.log.emit,
            files=agent.files,
            agent=name,
            depth=talk.depth + 1,
            lead=talk.whole,
        )
        turn = Turn(
            agent=agent,
            conversation=conversation,
            model=model,
            executor=self._executor,
            max_steps=max_steps,
            deliver=lambda: self._deliver(agent, conversation),
            question=task,
        )
        screen = Screen()
        leave = agent.log.show_to(screen.put)
        passing_on = asyncio.ensure_future(_pass_on(screen, parent, report, max_steps))
        reason = "failed"
        try:
            async with agent.turn:
                try:
                    await agent.log.emit(
                        ContextAdded("system", prompt.child_prompt(name, instructions=instructions))
                    )
                    await agent.log.emit(TurnStarted(ulid(), task))
                    reason = await turn.run()
                except asyncio.CancelledError:
                    reason = "stopped"
                    raise
                finally:
                    await to_the_end(close_turn(agent, reason, turn.usage.as_json()))
        finally:
            leave()
            screen.end()
            await asyncio.wait({passing_on})
            self._sessions.forget(agent.session_id)
        await passing_on
        return _summary(turn, reason)

    async def _new_agent(self, talk: Conversation, name: str, task: str, kind: SessionKind) -> Agent:
        title = f"{name}: {' '.join(task.split())}"[:_TITLE]
        journal = talk.services.library.journal
        session = await off_loop(
            journal.new_session,
            title,
            kind=kind,
            parent=talk.session_id,
            project=str(talk.project or ""),
        )
        agent = Agent.new(talk.services.library, session)
        # they share the numbers of passages, so that [4] in the summary is [4] in the conversation
        agent.evidence = talk.evidence
        above = self._sessions.live(talk.session_id)
        agent.history.tainted = above is None or above.history.tainted
        self._sessions.add(agent)
        return agent


async def _pass_on(screen: Screen, parent: ToolContext, report: Report | None, max_steps: int) -> None:
    """Show what happens in the sub-agent inside the call that began it."""
    async for event in screen:
        if isinstance(event, ContextAdded) and event.source in _NOT_SHOWN:
            continue
        if report is not None and isinstance(event, ToolCall):
            report(min(event.step / max(max_steps, 1), 1.0), f"step {event.step}: {event.name}")
        await parent.conversation.emit(Nested(parent.call_id, event.as_json()))


def _summary(turn: Turn, reason: str) -> str:
    if turn.answer.strip():
        return (
            turn.answer
            if reason in ("done", "max_steps")
            else f"{turn.answer}\n\n(It ended early: {reason}.)"
        )
    raise ChildFailedError(
        f"The sub-agent ended without a summary ({reason}).", hint="Do the task yourself, in smaller parts."
    )
