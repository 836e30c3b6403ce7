"""What a crash, or a journal that refuses, leaves behind."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.errors import LibraryError
from app.events import Event, Outcome, ToolCall, ToolResult
from tests.fakes.calls import Bench, TestTool, part

POINTS = [
    "before_tool_call_row",
    "after_tool_call_row",
    "after_tool_start",
    "before_protected_commit",
    "after_tool_end",
    "before_output_file",
    "after_output_file",
    "before_result_row",
    "after_result_row",
]
CHILD = Path(__file__).with_name("killed_child.py")


def run_child(point: str, folder: Path, repo: Path) -> int:
    code = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    command = [sys.executable, "-c", code, str(CHILD), point, str(folder)]
    return subprocess.run(command, cwd=repo, timeout=120, check=False).returncode


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("point", POINTS)
def test_that_a_kill_anywhere_leaves_no_effect_without_its_call_in_the_journal(
    point: str, tmp_path: Path, repo: Path
) -> None:
    """Bug 1: kill -9 at each point; what was done is known to have been asked for."""
    assert run_child(point, tmp_path, repo) == -9
    events = [json.loads(line) for line in lines(tmp_path / "journal")]
    calls = [event["id"] for event in events if event["type"] == "tool_call"]
    results = [event["tool_call_id"] for event in events if event["type"] == "tool_result"]
    assert set(lines(tmp_path / "effects")) <= set(calls)
    assert set(results) <= set(lines(tmp_path / "effects"))
    assert len(calls) > len(results) or point in ("after_result_row", "before_tool_call_row")
    files = [path for path in (tmp_path / "tool-results").glob("*") if path.suffix == ".txt"]
    assert all(path.stat().st_size == 10_000 for path in files)
    assert len(files) >= len(results)


def test_that_the_points_come_in_their_order(tmp_path: Path, repo: Path) -> None:
    assert run_child("nowhere", tmp_path, repo) == 0
    (reached,) = (json.loads(line) for line in lines(tmp_path / "reached"))
    assert list(dict.fromkeys(reached)) == POINTS
    assert {point: reached.count(point) for point in POINTS} == dict.fromkeys(POINTS, 3)


async def test_that_nothing_runs_that_could_not_be_announced(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Bug 1: no effect without a row."""
    caplog.set_level(logging.CRITICAL)
    tool = TestTool("write")
    bench = Bench(home, tool)
    bench.rows.fails = lambda event: (
        LibraryError("The disk is full.") if isinstance(event, ToolCall) else None
    )
    with pytest.raises(LibraryError, match="disk is full"):
        await bench.reply(("write", {}), ("write", {"text": "b"}))
    assert tool.ran == []
    assert bench.rows.events == []


async def test_that_a_journal_that_refuses_a_result_ends_the_round_after_all_calls_have_ended(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    ended: list[str] = []

    async def wait(args: Any, ctx: ToolContext) -> ToolOutput:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("wait")
        raise AssertionError

    def fails(event: Event) -> LibraryError | None:
        quick = isinstance(event, ToolResult) and event.name == "quick"
        return LibraryError("The disk is full.") if quick else None

    bench = Bench(home, TestTool("wait", wait, safe=True), TestTool("quick", safe=True))
    bench.rows.fails = fails
    with pytest.raises(LibraryError):
        await bench.reply(("wait", {}), ("quick", {}))
    assert ended == ["wait"]
    (result,) = bench.rows.of(ToolResult)
    assert (result.name, result.outcome) == ("wait", Outcome.INTERRUPTED)


async def test_that_rows_of_calls_that_change_things_are_asked_to_be_on_the_disk(home: Path) -> None:
    bench = Bench(home, TestTool("read"), TestTool("write", kind=ToolKind.WRITE))
    await bench.reply(("read", {}), ("write", {}))
    asked = {
        (event.type, event.name): how
        for event, how in zip(bench.rows.of(Event), bench.rows.durable, strict=True)
    }
    assert asked == {
        ("tool_call", "read"): False,
        ("tool_result", "read"): False,
        ("tool_call", "write"): None,
        ("tool_result", "write"): None,
    }


async def test_that_the_loop_that_is_torn_down_takes_everything_with_it(home: Path) -> None:
    began = asyncio.Event()

    async def wait(args: Any, ctx: ToolContext) -> ToolOutput:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    bench = Bench(home, TestTool("wait", wait))
    calls = bench.begin()
    calls.submit(part("wait", {}))
    await began.wait()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calls.results()
    await bench.executor.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}
