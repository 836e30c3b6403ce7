"""The executor: what a call costs beside its tool, and what running side by side and early gains.

The journal is a list here, so that the executor alone is measured.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

from app.agent.tools import ToolContext, ToolOutput
from app.llm.assemble import StreamAssembler
from app.llm.chat import CallDelta, CallPart, ChatMessage
from tests.benchmarks.result import Bench as Measured
from tests.benchmarks.result import Result
from tests.fakes.calls import Bench, TestTool, TextArgs, part
from tests.fakes.scripted_chat import Call, Pause, ScriptedChat

CALLS = 500
WIDTH = 8
TOOL_S = 0.05
PAUSE_S = 0.05


async def work(args: Any, ctx: ToolContext) -> ToolOutput:
    """Take as long as a quick look-up."""
    await asyncio.sleep(TOOL_S)
    return ToolOutput("found")


def overhead() -> Result:
    """Median seconds of one call through everything, beside the same tool called in a task."""

    async def measure(bench: Bench) -> Result:
        ours, bare = [], []
        for number in range(CALLS):
            start = time.perf_counter()
            await _reply(bench, ("look", {"text": str(number)}))
            ours.append(time.perf_counter() - start)
            start = time.perf_counter()
            await asyncio.create_task(_bare(str(number)))
            bare.append(time.perf_counter() - start)
        return Result(statistics.median(ours), "s", statistics.median(bare), CALLS)

    return _on_a_bench(measure, TestTool("look", safe=True))


def parallel() -> Result:
    """Seconds of a reply with eight calls that may run side by side, beside one after the other."""

    async def measure(bench: Bench) -> Result:
        took = {}
        for name in ("beside", "alone"):
            start = time.perf_counter()
            await bench.reply(*[(name, {"number": number}) for number in range(WIDTH)])
            took[name] = time.perf_counter() - start
        return Result(took["beside"], "s", took["alone"], WIDTH)

    return _on_a_bench(measure, TestTool("beside", work, safe=True), TestTool("alone", work))


def streamed_start() -> Result:
    """Seconds to the last result of a reply that streams, beside starting when it has ended."""

    async def measure(bench: Bench) -> Result:
        took = []
        for early in (True, False):
            start = time.perf_counter()
            async with bench.begin() as calls:
                waiting: list[CallPart] = []
                async for ready in _streamed():
                    if early:
                        calls.submit(ready)
                    else:
                        waiting.append(ready)
                for ready in waiting:
                    calls.submit(ready)
                await calls.results()
            took.append(time.perf_counter() - start)
        return Result(took[0], "s", took[1], WIDTH)

    return _on_a_bench(measure, TestTool("look", work))


async def _reply(bench: Bench, call: tuple[str, dict[str, str]]) -> None:
    async with bench.begin() as calls:
        calls.submit(part(*call))
        await calls.results()


async def _bare(text: str) -> ToolOutput:
    return ToolOutput(f"look: {TextArgs(text=text).text}")


async def _streamed() -> AsyncIterator[CallPart]:
    script = [step for number in range(WIDTH) for step in (Call("look", {"number": number}), Pause(PAUSE_S))]
    assembler = StreamAssembler()
    async for item in ScriptedChat([script]).stream([ChatMessage("user", "?")], max_tokens=100):
        if isinstance(item, CallDelta):
            for ready in assembler.feed(item):
                yield ready
    for ready in assembler.finish("tool_calls").new:
        yield ready


def _on_a_bench(measure: Callable[[Bench], Coroutine[Any, Any, Result]], *tools: TestTool) -> Result:
    async def run() -> Result:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(Path(folder), *tools)
            await bench.reply((tools[0].name, {}))
            return await measure(bench)

    return asyncio.run(run())


BENCHES: dict[str, Measured] = {
    "agent_overhead": overhead,
    "agent_parallel": parallel,
    "agent_streamed_start": streamed_start,
}
