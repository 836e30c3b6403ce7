"""Tools that fail, break, or end their neighbours."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.agent.tools.tool import ToolArgs
from app.errors import AppError, NotFoundError
from app.events import Outcome
from tests.fakes.calls import Bench, TestTool, part


def raising(error: BaseException) -> Any:
    async def does(args: Any, ctx: ToolContext) -> ToolOutput:
        raise error

    return does


async def test_that_an_error_with_a_way_out_reaches_the_model_with_it(home: Path) -> None:
    bench = Bench(home, TestTool("find", raising(NotFoundError("No paper X.", hint="Search for it first."))))
    (result,) = await bench.reply(("find", {}))
    assert (result.outcome, result.is_error) == (Outcome.FAILED, True)
    assert result.output == "No paper X. Search for it first."
    assert result.metadata["code"] == "not_found"


async def test_that_an_error_inside_a_task_group_is_told_as_itself(home: Path) -> None:
    async def grouped(args: Any, ctx: ToolContext) -> ToolOutput:
        async with asyncio.TaskGroup() as group:
            group.create_task(raising(AppError("The disk is full."))(args, ctx))
        raise AssertionError

    (result,) = await Bench(home, TestTool("save", grouped)).reply(("save", {}))
    assert result.output == "The disk is full."


async def test_that_an_output_marked_as_error_is_a_failure(home: Path) -> None:
    async def wrong(args: Any, ctx: ToolContext) -> ToolOutput:
        return ToolOutput.error("The pattern is no regular expression.", at=3)

    (result,) = await Bench(home, TestTool("grep", wrong)).reply(("grep", {}))
    assert (result.outcome, result.metadata) == (Outcome.FAILED, {"at": 3})


@pytest.mark.parametrize(
    "does",
    [
        raising(ValueError("oops")),
        raising(RecursionError()),
        raising(asyncio.CancelledError()),
        raising(TimeoutError()),
        lambda args, ctx: 3,
        raising(ExceptionGroup("two", [ValueError("a"), KeyError("b")])),
    ],
)
async def test_that_a_broken_tool_costs_one_call(
    home: Path, does: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    bench = Bench(home, TestTool("broken", does, kind=ToolKind.WRITE), TestTool("read"))
    first, second = await bench.reply(("broken", {}), ("read", {}))
    assert first.outcome is Outcome.FAILED
    assert "broken has a fault" in first.output
    assert "may have changed something" in first.output
    assert second.outcome is Outcome.SUCCEEDED
    assert bench.paired()


@pytest.mark.parametrize("method", ["is_concurrency_safe", "kind_of", "check_permissions", "subject"])
async def test_that_a_tool_whose_rules_are_broken_costs_one_call(
    home: Path, method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    tool = TestTool("broken")

    def oops(args: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(tool, method, oops)
    bench = Bench(
        home,
        tool,
        TestTool("read"),
        settings={"permissions": [{"action": "deny", "tool": "broken", "match": "x*"}]},
    )
    first, second = await bench.reply(("broken", {}), ("read", {}))
    assert first.outcome in (Outcome.FAILED, Outcome.SUCCEEDED)
    assert first.outcome is Outcome.SUCCEEDED or "Nothing was done" in first.output
    assert (first.outcome is Outcome.SUCCEEDED) == bool(tool.ran)
    assert second.outcome is Outcome.SUCCEEDED
    assert bench.paired()


async def test_that_metadata_of_any_shape_becomes_plain_json(home: Path) -> None:
    details: dict[Any, Any] = {"nan": float("nan"), "path": Path("x"), "set": {1}, "half": "\ud800", 3: None}

    async def odd(args: Any, ctx: ToolContext) -> ToolOutput:
        return ToolOutput("ok", metadata=details)

    (result,) = await Bench(home, TestTool("odd", odd)).reply(("odd", {}))
    assert result.metadata == {
        "nan": None, "path": "x", "set": [1], "half": "?", "3": None,
    }  # fmt: skip


async def test_that_details_beyond_measure_are_left_out_but_never_the_label_of_untrusted_text(
    home: Path,
) -> None:
    """Bug 6: the journal is not filled by what only the screen sees."""

    async def much(args: Any, ctx: ToolContext) -> ToolOutput:
        numbers = list(range(200_000)) if args.text == "numbers" else []
        details = {"path": "a.txt", "diff": "x" * 1_000_000, "numbers": numbers}
        return ToolOutput("ok", metadata=details, untrusted=True)

    bench = Bench(home, TestTool("much", much))
    cut, left_out = await bench.reply(("much", {}), ("much", {"text": "numbers"}))
    assert cut.metadata["path"] == "a.txt"
    assert cut.metadata["diff"].endswith("… (1,000,000 characters)")
    assert len(str(cut.metadata)) < 3000
    assert left_out.metadata == {"left_out": "1,490,961 bytes of details", "untrusted": True}


async def test_that_the_audit_log_names_the_file_of_a_large_write(home: Path) -> None:
    class WriteArgs(ToolArgs):
        path: str
        content: str

    bench = Bench(home, TestTool("write", args=WriteArgs, kind=ToolKind.WRITE))
    await bench.reply(("write", {"path": "a.txt", "content": "x" * 3_000_000}))
    assert '"path": "a.txt"' in bench.audit.arguments[0]
    assert len(bench.audit.arguments[0]) < 3000


async def test_that_a_failure_ends_its_neighbours_only_if_the_tool_asks_for_it(home: Path) -> None:
    began = asyncio.Event()

    async def wait(args: Any, ctx: ToolContext) -> ToolOutput:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def fail(args: Any, ctx: ToolContext) -> ToolOutput:
        await began.wait()
        return ToolOutput.error("no")

    waiting = TestTool("wait", wait, safe=True, kind=ToolKind.NETWORK)
    after = TestTool("after")
    bench = Bench(home, waiting, TestTool("fail", fail, safe=True, aborts=True), after)
    async with bench.begin() as calls:
        for name in ("wait", "fail", "after"):
            calls.submit(part(name, {}))
        while len(bench.rows.events) < 5:  # noqa: ASYNC110
            await asyncio.sleep(0)
        calls.submit(part("after", {"text": "late"}))
        results = await calls.results()
    assert [result.outcome for result in results] == [
        Outcome.SIBLING_ABORTED, Outcome.FAILED, Outcome.SIBLING_ABORTED, Outcome.SIBLING_ABORTED,
    ]  # fmt: skip
    assert "Stopped while it ran: fail, called in the same reply, failed." in results[0].output
    assert "Did not start" in results[2].output
    assert after.ran == []


async def test_that_a_failure_leaves_its_neighbours_alone_otherwise(home: Path) -> None:
    bench = Bench(home, TestTool("fail", raising(AppError("no")), safe=True), TestTool("read", safe=True))
    results = await bench.reply(("fail", {}), ("read", {}), ("fail", {"text": "again"}))
    assert [result.outcome for result in results] == [Outcome.FAILED, Outcome.SUCCEEDED, Outcome.FAILED]


async def test_that_a_refused_call_ends_no_neighbour(home: Path) -> None:
    bench = Bench(
        home,
        TestTool("guarded", aborts=True),
        TestTool("read"),
        settings={"permissions": [{"action": "deny", "tool": "guarded"}]},
    )
    results = await bench.reply(("guarded", {}), ("read", {}))
    assert [result.outcome for result in results] == [Outcome.DENIED, Outcome.SUCCEEDED]
