"""The desk where requests wait for the person."""

from __future__ import annotations

import asyncio

import pytest

from app.agent.asking import PermissionChoice, PermissionReply, QuestionReply
from app.agent.desk import Desk
from app.events import PermissionRequest, Question


def request(name: str = "p1", agent: str = "") -> PermissionRequest:
    return PermissionRequest(name, "call", "run_bash", "It runs a program.", "ls", "command", agent=agent)


def question(name: str = "q1") -> Question:
    return Question(name, "Which one?", ("a", "b"))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("choice", ["once", "session", "always", "deny"])
async def test_that_an_answer_reaches_the_one_who_waits(choice: PermissionChoice) -> None:
    desk = Desk()
    waiting = asyncio.ensure_future(desk.permission(request()))
    await settle()
    assert desk.answer_permission("p1", choice)
    reply = await waiting
    assert reply == PermissionReply(choice, "person")
    assert reply.allowed is (choice != "deny")


async def test_that_requests_wait_side_by_side_and_are_answered_in_any_order() -> None:
    """Bug 29: those of sub-agents wait at the same desk under their names."""
    desk = Desk()
    first = asyncio.ensure_future(desk.permission(request("p1")))
    second = asyncio.ensure_future(desk.permission(request("p2", agent="reader")))
    asked = asyncio.ensure_future(desk.question(question(), None))
    await settle()
    assert desk.pending() == [request("p1"), request("p2", agent="reader"), question()]
    desk.answer_permission("p2", "deny")
    desk.answer_question("q1", "b")
    desk.answer_permission("p1", "once")
    assert (await first).answer == "once"
    assert (await second).answer == "deny"
    assert await asked == QuestionReply("answered", "b")
    assert desk.pending() == []


async def test_that_silence_is_no_answer_and_never_a_consent() -> None:
    """Bug 34: a timeout is not a choice (trap 0.13)."""
    reply = await Desk().question(question(), 0.01)
    assert reply == QuestionReply("no_answer", "")


async def test_that_a_late_answer_is_told_from_one_that_was_awaited() -> None:
    """Bug 34: so that it becomes a message instead of being dropped (trap 0.13)."""
    desk = Desk()
    await desk.question(question(), 0.01)
    assert not desk.answer_question("q1", "a")
    assert not desk.answer_permission("never asked", "once")


async def test_that_an_answer_in_the_moment_the_time_runs_out_is_not_lost() -> None:
    """Bug 34: if the desk said it took the answer, the one who waits gets it."""
    for _ in range(20):
        desk = Desk()
        waiting = asyncio.ensure_future(desk.question(question(), 0.002))
        await asyncio.sleep(0.002)
        taken = desk.answer_question("q1", "a")
        reply = await waiting
        assert reply == (QuestionReply("answered", "a") if taken else QuestionReply("no_answer"))


async def test_that_the_second_of_two_answers_is_refused() -> None:
    desk = Desk()
    waiting = asyncio.ensure_future(desk.permission(request()))
    await settle()
    assert desk.answer_permission("p1", "deny")
    assert not desk.answer_permission("p1", "once")
    assert (await waiting).answer == "deny"


async def test_that_cancelling_the_one_who_waits_withdraws_the_request() -> None:
    """Bug 34: a cancel resolves it."""
    desk = Desk()
    waiting = asyncio.ensure_future(desk.permission(request()))
    await settle()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert desk.pending() == []
    assert not desk.answer_permission("p1", "once")


async def test_that_everything_can_be_cancelled_at_once() -> None:
    desk = Desk()
    allowed = asyncio.ensure_future(desk.permission(request()))
    asked = asyncio.ensure_future(desk.question(question(), None))
    await settle()
    desk.cancel_all()
    assert not (await allowed).allowed
    assert await asked == QuestionReply("cancelled")
    assert desk.present


async def test_that_one_request_cannot_wait_twice() -> None:
    desk = Desk()
    waiting = asyncio.ensure_future(desk.permission(request()))
    await settle()
    with pytest.raises(ValueError, match="waits already"):
        await desk.permission(request())
    desk.cancel_all()
    await waiting
    assert desk.pending() == []
