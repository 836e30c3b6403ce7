"""Measures how long a loop does not come round."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

TICK_S = 0.002


@dataclass
class Gaps:
    """The worst pause so far, in seconds."""

    worst: float = 0.0


@contextlib.asynccontextmanager
async def loop_gaps() -> AsyncIterator[Gaps]:
    """Watch the running loop: `worst` is the longest time in which a timer of 2 ms did not fire."""
    gaps = Gaps()

    async def watch() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(TICK_S)
            now = time.perf_counter()
            gaps.worst = max(gaps.worst, now - last - TICK_S)
            last = now

    task = asyncio.create_task(watch())
    try:
        yield gaps
        await asyncio.sleep(TICK_S)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
