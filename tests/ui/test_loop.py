"""The loop's timers: cancelled ones are gone, long ones are no error, short ones are precise."""

from __future__ import annotations

import asyncio
import math
from typing import cast

from PySide6.QtWidgets import QApplication

from app.ui.loop import Loop


def _loop() -> Loop:
    return cast("Loop", asyncio.get_running_loop())


async def test_that_a_cancelled_delay_leaves_no_timer(qapp: QApplication) -> None:
    before = _loop().live_timers
    for _ in range(50):
        async with asyncio.timeout(600):
            await asyncio.sleep(0)
    assert _loop().live_timers == before


async def test_that_sleeping_for_ever_can_be_cancelled(qapp: QApplication) -> None:
    before = _loop().live_timers
    task = asyncio.ensure_future(asyncio.sleep(math.inf))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert _loop().live_timers == before + 1
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert _loop().live_timers == before


async def test_that_a_delay_never_ends_early(qapp: QApplication) -> None:
    loop = asyncio.get_running_loop()
    for delay in (0.001, 0.01, 0.25):
        start = loop.time()
        await asyncio.sleep(delay)
        assert loop.time() - start >= delay - 0.001


async def test_that_a_delayed_call_can_be_asked_when_it_comes(qapp: QApplication) -> None:
    handle = asyncio.get_running_loop().call_later(10, lambda: None)
    assert isinstance(handle, asyncio.TimerHandle)
    handle.cancel()


async def test_that_things_due_at_once_come_in_order(qapp: QApplication) -> None:
    seen: list[int] = []
    for number in range(5):
        asyncio.get_running_loop().call_soon(seen.append, number)
    await asyncio.sleep(0.01)
    assert seen == [0, 1, 2, 3, 4]
