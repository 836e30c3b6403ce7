"""Reading a stream until somebody says stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

Item = TypeVar("Item")


async def until(stop: asyncio.Event, stream: AsyncIterator[Item]) -> AsyncIterator[Item]:
    """Yield from `stream` until it ends or `stop` is set, then close it.

    A pending item is cancelled at once, so that waiting never outlives `stop`;
    errors of the stream are passed on.
    """
    stopping = asyncio.ensure_future(stop.wait())
    iterator = aiter(stream)
    try:
        while not stop.is_set():
            step = asyncio.ensure_future(_next(iterator))
            try:
                await asyncio.wait({step, stopping}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not step.done():
                    step.cancel()
                    await asyncio.wait({step})
            if step.cancelled():
                return
            got = step.result()
            if not got:
                return
            yield got[0]
    finally:
        stopping.cancel()
        close = getattr(iterator, "aclose", None)
        if close is not None:
            await close()


async def _next(iterator: AsyncIterator[Item]) -> tuple[Item] | tuple[()]:
    try:
        return (await anext(iterator),)
    except StopAsyncIteration:
        return ()
