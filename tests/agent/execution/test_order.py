"""In which order calls run, and what reaches the journal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from app.agent.tools import ToolContext, ToolOutput
from app.events import Outcome, ToolCall, ToolResult
from tests.fakes.calls import Bench, TestTool, part


class Diary:
    """Notes when tools begin and end; how long each takes is in its number, in hundredths."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.running: set[str] = set()
        self.together: set[frozenset[str]] = set()

    async def __call__(self, args: Any, ctx: ToolContext) -> ToolOutput:
        self.running.add(args.text)
        self.together.add(frozenset(self.running))
        self.notes.append(f"+{args.text}")
        await asyncio.sleep((args.number or 0) / 100)
        self.notes.append(f"-{args.text}")
        self.running.discard(args.text)
        return ToolOutput(args.text)


def bench_of(home: Path, diary: Diary) -> Bench:
    return Bench(
        home, TestTool("read", diary, safe=True), TestTool("write", diary), TestTool("grep", diary, safe=True)
    )


async def test_that_neighbours_that_are_safe_run_side_by_side_and_others_alone(home: Path) -> None:
    diary = Diary()
    bench = bench_of(home, diary)
    results = await bench.reply(
        ("read", {"text": "a", "number": 3}),
        ("grep", {"text": "b", "number": 1}),
        ("write", {"text": "c", "number": 1}),
        ("read", {"text": "d"}),
        ("write", {"text": "e"}),
    )
    assert diary.notes == ["+a", "+b", "-b", "-a", "+c", "-c", "+d", "-d", "+e", "-e"]
    assert [result.output for result in results] == ["a", "b", "c", "d", "e"]
    assert all(result.outcome is Outcome.SUCCEEDED for result in results)


async def test_that_results_come_to_the_screen_as_they_finish_and_to_the_model_in_call_order(
    home: Path,
) -> None:
    bench = bench_of(home, Diary())
    results = await bench.reply(
        ("read", {"text": "slow", "number": 5}), ("read", {"text": "quick", "number": 1})
    )
    assert [result.output for result in results] == ["slow", "quick"]
    assert [result.output for result in bench.rows.of(ToolResult)] == ["quick", "slow"]


async def test_that_a_call_runs_while_the_model_is_still_streaming(home: Path) -> None:
    diary = Diary()
    bench = bench_of(home, diary)
    async with bench.begin() as running:
        running.submit(part("read", {"text": "first"}))
        while "-first" not in diary.notes:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        running.submit(part("write", {"text": "second"}))
        running.close()
        results = await running.results()
    assert [result.output for result in results] == ["first", "second"]


async def test_that_the_row_of_a_call_is_committed_before_its_tool_runs(home: Path) -> None:
    seen: list[int] = []

    async def look(args: Any, ctx: ToolContext) -> ToolOutput:
        seen.append(len(bench.rows.of(ToolCall)))
        return ToolOutput("")

    bench = Bench(home, TestTool("look", look, safe=True))
    bench.rows.slow_s = 0.005
    await bench.reply(("look", {"text": "a"}))
    assert seen == [1]
    assert bench.paired()


async def test_that_safety_may_depend_on_the_arguments(home: Path) -> None:
    """Trap 0.7: a skill that only reads runs beside others, one that starts an agent does not."""
    diary = Diary()
    bench = Bench(home, TestTool("load", diary, safe=lambda args: args.text != "fork"))
    await bench.reply(
        ("load", {"text": "a", "number": 2}), ("load", {"text": "b"}), ("load", {"text": "fork"}),
        ("load", {"text": "c"}),
    )  # fmt: skip
    assert frozenset({"a", "b"}) in diary.together
    assert not any("fork" in group and len(group) > 1 for group in diary.together)


async def test_that_the_start_and_the_end_of_a_call_are_in_the_audit_log(home: Path) -> None:
    bench = bench_of(home, Diary())
    (result,) = await bench.reply(("write", {"text": "x"}))
    assert [(tool, outcome) for _id, tool, outcome, _detail in bench.audit.rows] == [
        ("write", "running"),
        ("write", "succeeded"),
    ]
    assert {row[0] for row in bench.audit.rows} == {result.tool_call_id}
    assert bench.audit.arguments == ['{"text": "x"}'] * 2


async def test_that_one_call_can_be_run_outside_a_turn(home: Path) -> None:
    bench = bench_of(home, Diary())
    result = await bench.executor.run_call(bench.conversation, "read", {"text": "x"})
    assert (result.output, result.outcome) == ("x", Outcome.SUCCEEDED)
    assert (await bench.executor.run_call(bench.conversation, "read", "{")).outcome is Outcome.REJECTED
