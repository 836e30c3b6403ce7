"""Running work that an event may end: it is cancelled then, and has ended when this returns."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def until_stopped(work: Coroutine[Any, Any, Result], stop: asyncio.Event | None) -> Result | None:
    """Return what the work returns, or None when `stop` ended it. Raises what the work raises.

    Cancelling the caller cancels the work and waits for its end.
    """
    task = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait()) if stop else None
    try:
        await asyncio.wait({task, stopping} if stopping else {task}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if stopping:
            stopping.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    return None if task.cancelled() else task.result()


async def to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what short closing work returns; a cancellation meanwhile is raised when the work is done."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        if not task.cancelled():
            task.exception()  # seen; the cancellation is what counts
        raise asyncio.CancelledError
    return task.result()
