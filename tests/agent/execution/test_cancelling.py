"""Stopping: admission first, then what runs; every call still has its one result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.agent.asking import PermissionReply
from app.agent.execution import CallState, running
from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.events import Outcome, PermissionAnswer, PermissionRequest, ToolResult
from tests.fakes.calls import Bench, PersonAsker, ReportingTool, TestTool, part

ASK_FIRST = {"permissions": [{"action": "ask", "tool": "write"}, {"action": "allow", "tool": "r*"}]}


def tasks_left() -> set[asyncio.Task[Any]]:
    return asyncio.all_tasks() - {asyncio.current_task()}


class Started:
    """A tool's work that says when it has begun and then waits for ever."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    async def __call__(self, args: Any, ctx: ToolContext) -> ToolOutput:
        self.began.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_that_a_cancel_at_any_moment_leaves_every_call_with_one_result(home: Path) -> None:
    """Bug 1: whenever it comes, the history stays one that a provider takes."""

    async def slow(args: Any, ctx: ToolContext) -> ToolOutput:
        for _ in range(3):
            await asyncio.sleep(0)
        async with ctx.protected():
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        return ToolOutput("done")

    moments = 0
    for moment in range(400):
        asker = PersonAsker([PermissionReply("once")])
        bench = Bench(
            home,
            TestTool("read", slow, safe=True),
            TestTool("write", slow, kind=ToolKind.WRITE),
            settings=ASK_FIRST,
            asker=asker,
        )
        turn = asyncio.ensure_future(
            bench.reply(*[("read", {"number": n}) for n in (1, 2)], ("write", {}), ("read", {}), ("?", "{"))
        )
        for _ in range(moment):
            await asyncio.sleep(0)
        if turn.done():
            assert [result.outcome for result in turn.result()] == [
                *[Outcome.SUCCEEDED] * 4, Outcome.REJECTED,
            ]  # fmt: skip
            break
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert bench.paired(), moment
        requests, answers = bench.rows.of(PermissionRequest), bench.rows.of(PermissionAnswer)
        assert [request.id for request in requests] == [answer.id for answer in answers]
        await bench.executor.audited()
        assert not tasks_left()
        moments += 1
    assert moments > 10
    assert turn.done()


async def test_that_queued_calls_do_not_start_after_a_cancel(home: Path) -> None:
    """Bug 16: admission is closed before the running call is told."""
    started = Started()
    tool = TestTool("write", started)
    bench = Bench(home, tool)
    async with bench.begin() as calls:
        for number in range(10):
            calls.submit(part("write", {"number": number}))
        await started.began.wait()
        calls.cancel()
        calls.submit(part("write", {"number": 10}))
        results = await calls.results()
    assert len(tool.ran) == 1
    assert [result.outcome for result in results] == [
        Outcome.INTERRUPTED,
        *[Outcome.CANCELLED_BEFORE_START] * 10,
    ]
    assert bench.paired()


async def test_that_the_text_says_whether_effects_may_exist(home: Path) -> None:
    """Bug 2: a call that touched a file before it was interrupted is not told to have done nothing."""
    touched = home.parent / "touched"
    began = asyncio.Event()

    async def touch(args: Any, ctx: ToolContext) -> ToolOutput:
        touched.write_text("half")
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    bench = Bench(home, TestTool("write", touch, kind=ToolKind.WRITE))
    async with bench.begin() as calls:
        calls.submit(part("write", {}))
        calls.submit(part("write", {"text": "later"}))
        await began.wait()
        calls.cancel("The person pressed Stop.")
        first, second = await calls.results()
    assert touched.exists()
    assert "may have changed something" in first.output
    assert "pressed Stop" in first.output
    assert first.metadata["effects_possible"] is True
    assert "Nothing was changed" in second.output
    assert "effects_possible" not in second.metadata


async def test_that_an_interrupted_reader_is_known_to_have_changed_nothing(home: Path) -> None:
    """Bug 2: and one that only reads is not suspected."""
    started = Started()
    bench = Bench(home, TestTool("read", started))
    async with bench.begin() as calls:
        calls.submit(part("read", {}))
        await started.began.wait()
        calls.cancel()
        (result,) = await calls.results()
    assert "only reads" in result.output


async def test_that_a_protected_step_is_finished_before_the_cancel_arrives(home: Path) -> None:
    """Trap 0.9: a write is never cut in half."""
    inside, go_on = asyncio.Event(), asyncio.Event()
    steps: list[str] = []

    async def commit(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.protected():
            inside.set()
            await go_on.wait()
            steps.append("replaced")
        await asyncio.sleep(0)
        steps.append("after")
        return ToolOutput("written")

    bench = Bench(home, TestTool("write", commit, kind=ToolKind.WRITE, block=True))
    async with bench.begin() as calls:
        calls.submit(part("write", {}))
        await inside.wait()
        calls.cancel()
        for _ in range(10):
            await asyncio.sleep(0)
        go_on.set()
        (result,) = await calls.results()
    assert steps == ["replaced"]
    assert result.outcome is Outcome.INTERRUPTED
    assert "its effects exist" in result.output


async def test_that_work_that_ends_with_its_protected_step_has_succeeded(home: Path) -> None:
    """Trap 0.9: what was done is not called interrupted because a cancel came meanwhile."""
    inside, go_on = asyncio.Event(), asyncio.Event()

    async def commit(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.protected():
            inside.set()
            await go_on.wait()
        return ToolOutput("written")

    bench = Bench(home, TestTool("write", commit, kind=ToolKind.WRITE, block=True))
    async with bench.begin() as calls:
        calls.submit(part("write", {}))
        await inside.wait()
        calls.cancel()
        go_on.set()
        (result,) = await calls.results()
    assert (result.outcome, result.output) == (Outcome.SUCCEEDED, "written")


async def test_that_a_tool_that_does_not_listen_is_left_behind_and_said_to_be(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug 16: the wait for the end of a tool is bounded."""
    monkeypatch.setattr(running, "STOP_GRACE_S", 0.02)
    let_go, began = asyncio.Event(), asyncio.Event()

    async def deaf(args: Any, ctx: ToolContext) -> ToolOutput:
        while not let_go.is_set():
            began.set()
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        return ToolOutput("late")

    bench = Bench(home, TestTool("bash", deaf, kind=ToolKind.SHELL))
    async with bench.begin() as calls:
        calls.submit(part("bash", {}))
        await began.wait()
        calls.cancel()
        (result,) = await calls.results()
    assert result.outcome is Outcome.INTERRUPTED
    assert "may still be running" in result.output
    assert tasks_left()
    let_go.set()
    await bench.executor.close()
    await bench.executor.audited()
    assert not tasks_left()
    assert len(bench.rows.of(ToolResult)) == 1


async def test_that_what_a_tool_gave_until_it_was_stopped_is_kept(home: Path) -> None:
    """Bug 2: a partial output is worth more than none."""
    began = asyncio.Event()

    async def polite(args: Any, ctx: ToolContext) -> ToolOutput:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ToolOutput("three lines", untrusted=True)
        raise AssertionError

    bench = Bench(home, TestTool("bash", polite, kind=ToolKind.SHELL))
    async with bench.begin() as calls:
        calls.submit(part("bash", {}))
        await began.wait()
        calls.cancel()
        (result,) = await calls.results()
    assert result.outcome is Outcome.INTERRUPTED
    assert result.output.endswith("three lines")
    assert result.metadata["untrusted"] is True


async def test_that_the_last_progress_is_told_of_a_call_that_was_stopped(home: Path) -> None:
    started = Started()
    bench = Bench(home, ReportingTool("download", started))
    async with bench.begin() as calls:
        calls.submit(part("download", {"text": "connected half"}))
        await started.began.wait()
        calls.cancel()
        (result,) = await calls.results()
    assert "Its last progress: half." in result.output


async def test_that_a_cancel_withdraws_the_question_for_permission(home: Path) -> None:
    asker = PersonAsker()
    bench = Bench(home, TestTool("write", kind=ToolKind.WRITE), settings=ASK_FIRST, asker=asker)
    async with bench.begin() as calls:
        calls.submit(part("write", {}))
        while calls.states != (CallState.AWAITING_PERMISSION,) or not asker.asked:  # noqa: ASYNC110
            await asyncio.sleep(0)
        calls.cancel()
        (result,) = await calls.results()
    assert result.outcome is Outcome.CANCELLED_BEFORE_START
    assert [answer.answer for answer in bench.rows.of(PermissionAnswer)] == ["cancelled"]


async def test_that_cancelling_again_and_again_loses_no_result(home: Path) -> None:
    """Bug 1: an impatient person presses Stop three times."""
    inside, go_on = asyncio.Event(), asyncio.Event()

    async def commit(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.protected():
            inside.set()
            await go_on.wait()
        return ToolOutput("written")

    bench = Bench(home, TestTool("write", commit, kind=ToolKind.WRITE, block=True))
    turn = asyncio.ensure_future(bench.reply(("write", {}), ("write", {"text": "b"})))
    await inside.wait()
    for _ in range(3):
        turn.cancel()
        await asyncio.sleep(0)
    assert not turn.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert bench.paired()
    assert [result.outcome for result in bench.rows.of(ToolResult)] == [
        Outcome.CANCELLED_BEFORE_START,
        Outcome.SUCCEEDED,
    ]


async def test_that_a_round_that_is_left_by_an_error_is_ended(home: Path) -> None:
    """Bug 1: a stream that breaks takes its calls with it, each with a result."""
    started = Started()
    bench = Bench(home, TestTool("read", started))

    async def broken_stream() -> None:
        async with bench.begin() as calls:
            calls.submit(part("read", {}))
            await started.began.wait()
            raise ConnectionError

    with pytest.raises(ConnectionError):
        await broken_stream()
    assert bench.paired()
    await bench.executor.audited()
    assert not tasks_left()


async def test_that_closing_the_executor_ends_what_runs(home: Path) -> None:
    started = Started()
    bench = Bench(home, TestTool("read", started))
    calls = bench.begin()
    calls.submit(part("read", {}))
    await started.began.wait()
    await bench.executor.close()
    (result,) = await calls.results()
    assert result.outcome is Outcome.INTERRUPTED
    assert "closing" in result.output
    late = await bench.executor.run_call(bench.conversation, "read", {})
    assert late.outcome is Outcome.CANCELLED_BEFORE_START
