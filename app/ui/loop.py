"""The one event loop: Qt and asyncio together, with timers that can be cancelled.

qasync 0.28 leaves a cancelled timer running until it would have fired (httpx alone leaves a
thousand behind in one stream), rounds short sleeps to Qt's coarse ticks and overflows on long
ones. This subclass gives every delay a `TimerHandle` whose cancel kills the Qt timer.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context

from PySide6.QtCore import QObject, Qt, QTimerEvent
from PySide6.QtWidgets import QApplication

os.environ["QT_API"] = "pyside6"
from qasync import QEventLoop

THREADS = 8
LONGEST_MS = 2**31 - 1
PRECISE_BELOW_MS = 200


class _Delayed(asyncio.TimerHandle):
    __slots__ = ("timer_id",)
    timer_id: int


class _Timers(QObject):
    """Qt timers by id; a timer that was cut short because its delay is too long is set again."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._handles: dict[int, _Delayed] = {}

    def add(self, handle: _Delayed) -> None:
        left = max(0.0, handle.when() - self._now()) * 1000
        delay = LONGEST_MS if left > LONGEST_MS else math.ceil(left)
        precise = delay < PRECISE_BELOW_MS
        kind = Qt.TimerType.PreciseTimer if precise else Qt.TimerType.CoarseTimer
        handle.timer_id = self.startTimer(delay, kind)
        self._handles[handle.timer_id] = handle

    def remove(self, handle: _Delayed) -> None:
        if self._handles.pop(handle.timer_id, None) is not None:
            self.killTimer(handle.timer_id)

    def clear(self) -> None:
        for handle in list(self._handles.values()):
            self.remove(handle)

    def __len__(self) -> int:
        return len(self._handles)

    def timerEvent(self, event: QTimerEvent) -> None:
        handle = self._handles.pop(event.timerId(), None)
        self.killTimer(event.timerId())
        if handle is None or handle.cancelled():
            return
        # Coarse timers may come up to 5 % early; asyncio promises never to.
        if handle.when() - self._now() > 0.001:
            self.add(handle)
        else:
            handle._run()


class Loop(QEventLoop):  # type: ignore[misc]
    """qasync's loop with our timers; everything else is qasync's."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        # qasync's own executor runs QThreads, which take the process with them when one is left.
        self.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="loop"))
        self._delayed = _Timers(self.time)

    @property
    def live_timers(self) -> int:
        """How many delays are waiting: a leak shows here."""
        return len(self._delayed)

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: object,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Call back after `delay` seconds (any float, also infinity)."""
        if not delay > 0:
            handle: asyncio.Handle = super().call_later(0, callback, *args, context=context)
            return handle
        timer = _Delayed(self.time() + delay, callback, args, self, context)
        self._delayed.add(timer)
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if isinstance(handle, _Delayed):
            self._delayed.remove(handle)

    def close(self) -> None:
        """Stop all delays, then close as qasync does."""
        self._delayed.clear()
        super().close()
