"""A program that runs one reply of calls and is killed at a point: `killed_child.py POINT FOLDER`.

Its journal and its effects are files that are synced, so that what is left is what a real crash leaves.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from app.agent.execution import faults
from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.agent.tools.context import Via
from app.events import Event
from tests.fakes.calls import Bench, TestTool


def append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")
        stream.flush()
        os.fsync(stream.fileno())


async def main(point: str, folder: Path) -> None:
    async def emit(event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
        append(folder / "journal", json.dumps(event.as_json()))
        return 1

    async def write(args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.protected():
            append(folder / "effects", ctx.call_id)
        return ToolOutput("x" * 10_000)

    bench = Bench(folder, TestTool("write", write, kind=ToolKind.WRITE), emit=emit)
    reached: list[str] = []

    def hook(name: str) -> None:
        reached.append(name)
        if name == point and reached.count(name) == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    faults.hook = hook
    await bench.reply(*[("write", {"number": number}) for number in range(3)])
    append(folder / "reached", json.dumps(reached))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
