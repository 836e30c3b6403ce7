"""Rounds of any calls, streamed at any pace and stopped at any moment: what must hold for all of them."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.agent.asking import PermissionReply
from app.agent.execution import ToolPartitioner
from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.errors import AppError
from app.events import Outcome, PermissionAnswer, PermissionRequest, ToolCall, ToolResult
from tests.fakes.calls import Bench, PersonAsker, TestTool, part
from tests.harness.clock import run_virtually

STOPPED = {Outcome.CANCELLED_BEFORE_START, Outcome.INTERRUPTED, Outcome.SIBLING_ABORTED}


@dataclass(frozen=True)
class Wanted:
    """One call of a reply: when it comes, what it is, and how its tool behaves."""

    gap_s: float
    safe: bool
    behaves: str
    takes_s: float
    protected_s: float
    asks: bool

    @property
    def name(self) -> str:
        asks = "ask" if self.asks else "run"
        return f"{asks}_{'safe' if self.safe else 'alone'}{'_abort' if self.behaves == 'abort' else ''}"


TIMES = st.sampled_from([0.0, 0.0, 0.1, 1.0, 7.0])
WANTED = st.builds(
    Wanted,
    gap_s=TIMES,
    safe=st.booleans(),
    behaves=st.sampled_from(["fine", "fine", "fine", "fails", "breaks", "hangs", "deaf", "abort", "bad"]),
    takes_s=TIMES,
    protected_s=TIMES,
    asks=st.sampled_from([False, False, False, True]),
)


class Stage:
    """Plays the tools and keeps who was on it together."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        self.wanted = wanted
        self.on: set[int] = set()
        self.together: set[frozenset[int]] = set()
        self.cut: list[int] = []

    async def play(self, args: Any, ctx: ToolContext) -> ToolOutput:
        number = args.number
        one = self.wanted[number]
        self.on.add(number)
        self.together.add(frozenset(self.on))
        try:
            if one.protected_s:
                whole = False
                try:
                    async with ctx.protected():
                        await asyncio.sleep(one.protected_s)
                        whole = True
                finally:
                    if not whole:
                        self.cut.append(number)
            await self._behave(one)
        finally:
            self.on.discard(number)
        return ToolOutput(f"done {number}")

    async def _behave(self, one: Wanted) -> None:
        await asyncio.sleep(one.takes_s)
        match one.behaves:
            case "fails" | "abort":
                raise AppError("It failed.")
            case "breaks":
                raise ZeroDivisionError
            case "hangs":
                await asyncio.sleep(math.inf)
            case "deaf":
                for _ in range(3):
                    try:
                        await asyncio.sleep(4)
                    except asyncio.CancelledError:
                        continue


async def play(home: Path, wanted: list[Wanted], stop_s: float | None, how: str) -> None:
    stage = Stage(wanted)
    kinds = [
        (asks, safe, aborts) for asks in (True, False) for safe in (True, False) for aborts in (True, False)
    ]
    tools = [
        TestTool(
            f"{'ask' if asks else 'run'}_{'safe' if safe else 'alone'}{'_abort' if aborts else ''}",
            stage.play,
            safe=safe,
            aborts=aborts,
            kind=ToolKind.WRITE if asks else ToolKind.READ,
        )
        for asks, safe, aborts in kinds
    ]
    asker = PersonAsker([PermissionReply("once" if n % 3 else "deny") for n in range(len(wanted))])
    bench = Bench(home, *tools, settings={"permissions": [], "tool_timeout_s": 20}, asker=asker)

    async def turn() -> list[ToolResult]:
        async with bench.begin() as calls:
            for number, one in enumerate(wanted):
                await asyncio.sleep(one.gap_s)
                calls.submit(part(one.name, "{" if one.behaves == "bad" else {"number": number}))
                if stop_s == number and how == "round":
                    calls.cancel()
            return list(await calls.results())

    running = asyncio.ensure_future(turn())
    if stop_s is not None and how == "task":
        await asyncio.sleep(stop_s)
        running.cancel()
    await asyncio.wait([running])
    results = [] if running.cancelled() else running.result()
    await bench.executor.close()
    check(bench, stage, wanted, results, was_stopped=stop_s is not None)
    assert not asyncio.all_tasks() - {asyncio.current_task()}


def check(
    bench: Bench, stage: Stage, wanted: list[Wanted], results: list[ToolResult], *, was_stopped: bool
) -> None:
    calls, rows = bench.rows.of(ToolCall), bench.rows.of(ToolResult)
    assert bench.paired()
    if results:
        assert [result.tool_call_id for result in results] == [call.id for call in calls]
        assert sorted(results, key=lambda r: r.tool_call_id) == sorted(rows, key=lambda r: r.tool_call_id)
    assert stage.cut == []
    assert sorted(request.id for request in bench.rows.of(PermissionRequest)) == sorted(
        answer.id for answer in bench.rows.of(PermissionAnswer)
    )
    asked_to_abort = any(one.behaves == "abort" for one in wanted)
    outcome = {row.tool_call_id: row.outcome for row in rows}
    for call, one in zip(calls, wanted, strict=False):
        expected = {
            "fine": {Outcome.SUCCEEDED}, "fails": {Outcome.FAILED}, "breaks": {Outcome.FAILED},
            "hangs": {Outcome.TIMED_OUT}, "deaf": {Outcome.SUCCEEDED, Outcome.TIMED_OUT},
            "abort": {Outcome.FAILED}, "bad": {Outcome.REJECTED},
        }[one.behaves] | ({Outcome.DENIED} if one.asks else set())  # fmt: skip
        if was_stopped or asked_to_abort:
            expected |= STOPPED
        assert outcome[call.id] in expected, (one, outcome[call.id])
    # A tool that does not listen to its end is left behind, so that others may meet it.
    if not any(one.behaves == "deaf" for one in wanted):
        understood = [_Numbered(n, one.safe) for n, one in enumerate(wanted) if one.behaves != "bad"]
        batches = ToolPartitioner.partition(understood)
        batch_of = {call.number: place for place, batch in enumerate(batches) for call in batch.calls}
        for group in stage.together:
            assert len({batch_of[number] for number in group}) == 1


@dataclass(frozen=True)
class _Numbered:
    number: int
    concurrency_safe: bool


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(WANTED, min_size=1, max_size=7),
    st.none() | st.sampled_from([0.0, 0.05, 1.0, 2.0, 3.0, 8.0, 15.0]),
    st.sampled_from(["round", "task"]),
)
def test_that_any_round_ends_with_one_result_a_call_in_order_and_alone_where_it_must(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, wanted: list[Wanted], stop_s: float | None, how: str
) -> None:
    """Bug 1: and bug 16, whatever is called, however it behaves, whenever it is stopped."""
    caplog.set_level(logging.CRITICAL)
    run_virtually(play(tmp_path, wanted, stop_s, how))
