"""Limits that are minutes long, on a clock that jumps."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from app.agent.asking import PermissionReply
from app.agent.execution.control import BLOCK_GRACE_S, STOP_GRACE_S
from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.events import Outcome, PermissionRequest
from tests.fakes.calls import Bench, PersonAsker, TestTool, part
from tests.harness.clock import run_virtually

HOUR = 3600.0


class SlowPerson(PersonAsker):
    """Comes back after an hour."""

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        await asyncio.sleep(HOUR)
        return PermissionReply("once")


async def deaf(args: Any, ctx: ToolContext) -> ToolOutput:
    """Swallow every cancel for an hour."""
    end = asyncio.get_running_loop().time() + HOUR
    while (left := end - asyncio.get_running_loop().time()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            continue
    return ToolOutput("late")


async def stuck(args: Any, ctx: ToolContext) -> ToolOutput:
    """Stay in a protected step for an hour."""
    async with ctx.protected():
        await asyncio.sleep(HOUR)
    return ToolOutput("late")


async def ended_after(home: Path, tool: TestTool, stop_at: float | None) -> tuple[float, Any]:
    """Return when the only call of a round ended, and its result."""
    loop = asyncio.get_running_loop()
    bench = Bench(home, tool, settings={"tool_timeout_s": 120})
    start = loop.time()
    async with bench.begin() as calls:
        calls.submit(part(tool.name, {}))
        if stop_at is not None:
            await asyncio.sleep(stop_at)
            calls.cancel()
        (result,) = await calls.results()
    took = loop.time() - start
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait([task])
    return took, result


def test_that_a_tool_that_does_not_listen_holds_the_conversation_for_seconds_only(home: Path) -> None:
    """Bug 16: whether a cancel or the clock ends it, the wait for its end is bounded."""
    took, result = run_virtually(ended_after(home, TestTool("bash", deaf, kind=ToolKind.SHELL), 10))
    assert 10 + STOP_GRACE_S <= took < 10 + STOP_GRACE_S + 1
    assert "may still be running" in result.output
    took, result = run_virtually(ended_after(home, TestTool("bash", deaf, kind=ToolKind.SHELL), None))
    assert 120 + STOP_GRACE_S <= took < 120 + STOP_GRACE_S + 1
    assert result.outcome is Outcome.TIMED_OUT


def test_that_even_a_protected_step_is_not_waited_for_without_end(home: Path) -> None:
    """Trap 0.9: a disk that hangs in a commit does not take the conversation with it."""
    tool = TestTool("write", stuck, kind=ToolKind.WRITE, block=True)
    took, result = run_virtually(ended_after(home, tool, 10))
    assert 10 + BLOCK_GRACE_S <= took < 10 + BLOCK_GRACE_S + 1
    assert result.outcome is Outcome.INTERRUPTED
    assert "may still be running" in result.output


def test_that_a_person_may_take_an_hour_to_allow_a_call(home: Path) -> None:
    """Bug 34: waiting for permission counts against no limit."""

    async def ask() -> tuple[float, Any]:
        settings = {"permissions": [], "tool_timeout_s": 1}
        bench = Bench(home, TestTool("write", kind=ToolKind.WRITE), settings=settings, asker=SlowPerson())
        start = asyncio.get_running_loop().time()
        (result,) = await bench.reply(("write", {}))
        return asyncio.get_running_loop().time() - start, result

    took, result = run_virtually(ask())
    assert took >= HOUR
    assert result.outcome is Outcome.SUCCEEDED


def test_that_asking_again_and_again_for_what_does_not_change_becomes_slower(home: Path) -> None:
    """Bug 17: a poller is let go on, at a pace that costs nothing."""

    async def poll() -> tuple[list[float], set[Outcome], str]:
        bench = Bench(home, TestTool("check", polls=True))
        loop, took, results = asyncio.get_running_loop(), [], []
        for _ in range(10):
            start = loop.time()
            results += await bench.reply(("check", {}))
            took.append(loop.time() - start)
        return took, {result.outcome for result in results}, results[-1].output

    took, outcomes, last = run_virtually(poll())
    assert outcomes == {Outcome.SUCCEEDED}
    assert took[0] < 0.5
    assert 15 <= took[-1] < 16
    assert "Nothing has changed in the last 10 checks" in last


def test_that_a_poller_that_waits_for_its_pace_can_be_cancelled(home: Path) -> None:
    """Bug 16: the pause before a check is no place to be stuck in."""

    async def cancel() -> Outcome:
        bench = Bench(home, TestTool("check", polls=True))
        for _ in range(8):
            await bench.reply(("check", {}))
        async with bench.begin() as calls:
            calls.submit(part("check", {}))
            await asyncio.sleep(1)
            calls.cancel()
            return (await calls.results())[0].outcome

    assert run_virtually(cancel()) is Outcome.CANCELLED_BEFORE_START
