"""Progress: as often as an eye can follow, from any thread, never after the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from app.agent.execution.progress import ProgressPump
from app.agent.tools import Report, ToolContext, ToolOutput
from app.errors import LibraryError
from app.events import Outcome, ToolProgress, ToolResult
from tests.fakes.calls import Bench, ReportingTool, Rows, TestTool


async def test_that_a_flood_of_reports_becomes_a_trickle_with_the_last_in_it(home: Path) -> None:
    """Bug 37: the screen is told thirty times a second, whatever a tool does."""
    words = " ".join(f"w{number}" for number in range(2000))
    bench = Bench(home, ReportingTool("count"))
    loop = asyncio.get_running_loop()
    start = loop.time()
    await bench.reply(("count", {"text": words}))
    took = loop.time() - start
    shown = bench.rows.of(ToolProgress)
    assert 2 <= len(shown) <= took * 30 + 2
    assert (shown[-1].progress, shown[-1].message) == (1.0, "w1999")
    assert isinstance(bench.rows.events[-1], ToolResult)


async def test_that_a_thread_may_report(home: Path) -> None:
    class Threaded(TestTool):
        async def execute_with_progress(self, args: Any, ctx: ToolContext, report: Report) -> ToolOutput:
            def count() -> None:
                for number in range(100):
                    report(None, str(number))

            await asyncio.to_thread(count)
            await asyncio.sleep(0)
            return ToolOutput("ok")

    bench = Bench(home, Threaded("count"))
    await bench.reply(("count", {}))
    assert bench.rows.of(ToolProgress)[-1].message == "99"


async def test_that_shares_are_made_shares_and_words_are_cut() -> None:
    rows = Rows()
    pump = ProgressPump(rows.emit, "call")
    for share in (7.0, float("nan"), -1.0, None):
        pump.report(share, "x" * 1000)
        await asyncio.sleep(0.05)
    await pump.finish()
    pump.report(0.5, "too late")
    await asyncio.sleep(0.05)
    assert [event.progress for event in rows.of(ToolProgress)] == [1.0, None, 0.0, None]
    assert {len(event.message) for event in rows.of(ToolProgress)} == {500}


async def test_that_progress_that_cannot_be_shown_disturbs_nothing(home: Path) -> None:
    bench = Bench(home, ReportingTool("count"))
    bench.rows.fails = lambda event: LibraryError("busy") if isinstance(event, ToolProgress) else None
    (result,) = await bench.reply(("count", {"text": "a b"}))
    assert result.outcome is Outcome.SUCCEEDED
