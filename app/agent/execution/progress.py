"""Progress of a running call, as often as an eye can follow."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading

from app.agent.tools.context import Emit
from app.errors import AppError
from app.events import ToolProgress
from app.library.storable import storable

PER_SECOND = 30
_WORDS = 500


class ProgressPump:
    """Takes reports from any thread and emits the newest, at most thirty times a second."""

    def __init__(self, emit: Emit, call_id: str) -> None:
        self._emit = emit
        self._call_id = call_id
        self._loop = asyncio.get_running_loop()
        self._home = threading.get_ident()
        self._newest: tuple[float | None, str] | None = None
        self._task: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()
        self._finished = False
        self.last_words = ""

    def report(self, share: float | None, message: str) -> None:
        """Take a report; never blocks."""
        if self._finished:
            return
        if threading.get_ident() != self._home:
            with contextlib.suppress(RuntimeError):  # the loop has been closed
                self._loop.call_soon_threadsafe(self.report, share, message)
            return
        known = share is not None and math.isfinite(share)
        self._newest = (min(max(share or 0.0, 0.0), 1.0) if known else None, storable(message)[:_WORDS])
        self.last_words = self._newest[1] or self.last_words
        if self._task is None:
            self._task = self._loop.create_task(self._pump())

    async def finish(self) -> None:
        """Emit what is left, and take nothing more."""
        self._finished = True
        self._hurry.set()
        if self._task is not None:
            await self._task

    async def _pump(self) -> None:
        while self._newest is not None:
            (share, message), self._newest = self._newest, None
            with contextlib.suppress(AppError):  # progress is shown, never kept: nothing is lost
                await self._emit(ToolProgress(self._call_id, share, message))
            if not self._finished:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), 1 / PER_SECOND)
        self._task = None
