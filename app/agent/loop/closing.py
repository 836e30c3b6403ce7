"""Closing what a turn has left open, so that the journal is whole whatever ended it."""

from __future__ import annotations

from typing import Any

from app.agent.loop.history import OpenCall
from app.agent.loop.sessions import Agent
from app.events import Event, Notice, Outcome, PermissionAnswer, QuestionAnswer, ToolResult, TurnFinished

_LOST = (
    "The program ended while this call was running. It may have done its work, a part of it, or nothing: "
    "look before you do it again."
)
_LOST_BEFORE = "The program ended before this call began. Nothing was changed by it."
_STOPPED = (
    "The turn ended before this call did. It may have done a part of its work: look before you repeat it."
)
_RESUMED = "The program ended in the middle of this turn; what was under way then is marked as lost."


async def close_turn(agent: Agent, reason: str, usage: dict[str, Any]) -> None:
    """End the turn under way, if there is one: results, answers, then its last row. Raises LibraryError."""
    await agent.log.settled()  # what a cancelled emitter has left in flight
    for event in _endings(agent, crashed=False):
        await agent.log.emit(event)
    if agent.history.open_turn:
        await agent.log.emit(TurnFinished(reason, usage), durable=True)


async def close_after_crash(agent: Agent) -> None:
    """End what a program that died has left open (bug 1). Does nothing the second time. Raises LibraryError.

    A question stays open for a late answer; a request for permission is cancelled: its call is lost.
    """
    endings = _endings(agent, crashed=True)
    for event in endings:
        await agent.log.emit(event)
    if agent.history.open_turn:
        await agent.log.emit(Notice("warning", _RESUMED))
        await agent.log.emit(TurnFinished("stopped"), durable=True)


def _endings(agent: Agent, *, crashed: bool) -> list[Event]:
    history = agent.history
    events: list[Event] = [
        *(_result(call, crashed=crashed) for call in history.open_calls()),
        *(PermissionAnswer(request, call, "cancelled") for request, call in history.open_permissions.items()),
    ]
    status = "no_answer" if crashed else "cancelled"
    return [*events, *(QuestionAnswer(question, status) for question in history.open_questions)]


def _result(call: OpenCall, *, crashed: bool) -> ToolResult:
    if not crashed:
        return ToolResult(call.id, call.name, _STOPPED, True, Outcome.INTERRUPTED, call.step)
    text = _LOST if call.started else _LOST_BEFORE
    return ToolResult(call.id, call.name, text, True, Outcome.LOST_IN_CRASH, call.step)
