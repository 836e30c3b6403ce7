"""Reading a stream until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.services.stopping import until


async def numbers(pause: float = 0.0) -> AsyncIterator[int]:
    for i in range(3):
        await asyncio.sleep(pause)
        yield i


async def test_that_a_stream_is_read_to_its_end() -> None:
    assert [i async for i in until(asyncio.Event(), numbers())] == [0, 1, 2]


async def test_that_nothing_is_read_after_stop() -> None:
    stop = asyncio.Event()
    stop.set()
    assert [i async for i in until(stop, numbers())] == []


async def test_that_stop_interrupts_a_wait() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, stop.set)
    assert [i async for i in until(stop, numbers(3600))] == []


async def test_that_an_error_of_the_stream_is_passed_on() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        raise ValueError("broken")

    stream = until(asyncio.Event(), broken())
    assert await anext(stream) == 1
    with pytest.raises(ValueError, match="broken"):
        await anext(stream)
