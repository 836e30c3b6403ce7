"""How long a call may take, and what the clock does not count."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.events import Outcome
from tests.fakes.calls import Bench, TestTool

SHORT = 0.05


async def sleep(args: Any, ctx: ToolContext) -> ToolOutput:
    await asyncio.sleep(args.number / 100)
    return ToolOutput("slept")


async def for_ever(args: Any, ctx: ToolContext) -> ToolOutput:
    await asyncio.Event().wait()
    raise AssertionError


async def test_that_a_call_that_takes_too_long_is_stopped_and_the_next_runs(home: Path) -> None:
    bench = Bench(
        home,
        TestTool("write", for_ever, kind=ToolKind.WRITE),
        TestTool("read"),
        settings={"tool_timeout_s": SHORT},
    )
    first, second = await bench.reply(("write", {}), ("read", {}))
    assert first.outcome is Outcome.TIMED_OUT
    assert f"within {SHORT:g} s" in first.output
    assert "may have changed something" in first.output
    assert second.outcome is Outcome.SUCCEEDED


async def test_that_a_tool_may_have_its_own_limit_or_none(home: Path) -> None:
    bench = Bench(
        home,
        TestTool("quick", for_ever, timeout_s=SHORT),
        TestTool("patient", sleep, timeout_s=float("inf"), safe=True),
        settings={"tool_timeout_s": SHORT / 10},
    )
    patient, quick = await bench.reply(("patient", {"number": 10}), ("quick", {}))
    assert (patient.outcome, quick.outcome) == (Outcome.SUCCEEDED, Outcome.TIMED_OUT)


async def test_that_waiting_for_a_person_does_not_count(home: Path) -> None:
    """Bug 34: a question must not fail because its tool has a time limit."""

    async def ask(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.waiting(), ctx.waiting():
            await asyncio.sleep(SHORT * 3)
        return ToolOutput("answered")

    async def ask_then_hang(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.waiting():
            await asyncio.sleep(SHORT * 3)
        return await for_ever(args, ctx)

    bench = Bench(
        home, TestTool("ask", ask), TestTool("hang", ask_then_hang), settings={"tool_timeout_s": SHORT}
    )
    asked, hung = await bench.reply(("ask", {}), ("hang", {}))
    assert asked.outcome is Outcome.SUCCEEDED
    assert hung.outcome is Outcome.TIMED_OUT


async def test_that_the_clock_does_not_cut_a_protected_step(home: Path) -> None:
    """Trap 0.9: a time-out waits for the end of a commit, as a cancel does."""
    steps: list[str] = []

    async def commit(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.protected():
            await asyncio.sleep(SHORT * 3)
            steps.append("whole")
        await asyncio.sleep(1)
        return ToolOutput("")

    bench = Bench(home, TestTool("write", commit, block=True), settings={"tool_timeout_s": SHORT})
    (result,) = await bench.reply(("write", {}))
    assert steps == ["whole"]
    assert result.outcome is Outcome.TIMED_OUT
    assert "its effects exist" in result.output


async def test_that_waiting_at_the_gate_does_not_count(home: Path) -> None:
    bench = Bench(home, TestTool("write", sleep), settings={"tool_timeout_s": 0.2})
    results = await bench.reply(*[("write", {"number": 10, "text": str(n)}) for n in range(4)])
    assert {result.outcome for result in results} == {Outcome.SUCCEEDED}
