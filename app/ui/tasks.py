"""Coroutines started from slots: each has an owner, is cancelled with it, and reports its failure."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Report = Callable[[BaseException], object]


class Tasks:
    """The running tasks of one owner.

    A task started under a `name` replaces the one of that name that still runs, which is how a
    newer search drops an older one.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._running: set[asyncio.Task[Any]] = set()
        self._named: dict[str, asyncio.Task[Any]] = {}

    def start(self, work: Coroutine[Any, Any, object], name: str = "") -> asyncio.Task[Any]:
        """Run `work` on the loop and keep hold of it until it ends."""
        if name and (older := self._named.get(name)) is not None:
            older.cancel()
        task: asyncio.Task[Any] = asyncio.get_event_loop().create_task(work)
        self._running.add(task)
        if name:
            self._named[name] = task
        task.add_done_callback(lambda done: self._ended(done, name))
        return task

    def busy(self) -> bool:
        """Whether anything runs."""
        return bool(self._running)

    def cancel(self, name: str) -> None:
        """Cancel the task of this name, if it runs."""
        if (task := self._named.get(name)) is not None:
            task.cancel()

    def cancel_all(self) -> None:
        """Cancel everything that runs, without waiting for it."""
        for task in list(self._running):
            task.cancel()

    async def close(self, deadline_s: float = 3.0) -> None:
        """Cancel everything and wait, but not longer than the deadline."""
        mine = self._running - {asyncio.current_task()}
        for task in mine:
            task.cancel()
        if mine:
            await asyncio.wait(mine, timeout=deadline_s)

    def _ended(self, task: asyncio.Task[Any], name: str) -> None:
        self._running.discard(task)
        if name and self._named.get(name) is task:
            del self._named[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._report(error)
