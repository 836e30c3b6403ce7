"""Blocking work off the loop, such that nothing of it is left running when its caller is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def off_loop(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread and return its result.

    A thread cannot be stopped. When the caller is cancelled, the work is waited for before
    the cancellation goes on, so that the database and files are not closed under it.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # seen; the cancellation is what counts
        raise
