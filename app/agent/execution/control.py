"""What can end a running call from outside: a cancel, the clock, a failed neighbour."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from app.agent.execution import faults
from app.agent.execution.outcomes import Stop
from app.events import Outcome

STOP_GRACE_S = 5.0
"""So long a tool that was told to stop is waited for; running programs need two seconds for their end."""
BLOCK_GRACE_S = 60.0
"""So long where it may be in the middle of what must not be cut."""

T = TypeVar("T")


class StoppedError(Exception):
    """The call was stopped in a phase before its tool began."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.reason)
        self.stop = stop


class CallControl:
    """Stops one call, whatever it is doing, unless what it is doing is protected.

    `disown` takes tasks that do not end when they are told to.
    """

    def __init__(self, disown: Callable[[asyncio.Task[Any]], None]) -> None:
        self._disown = disown
        self._loop = asyncio.get_running_loop()
        self._stopping: asyncio.Future[None] = self._loop.create_future()
        self._task: asyncio.Task[Any] | None = None
        self._stopped_at = 0.0
        self._told_at: float | None = None
        self._protected = 0
        self._clock: asyncio.TimerHandle | None = None
        self._clock_left = 0.0
        self._limit_s = 0.0
        self._waits = 0
        self.stop: Stop | None = None
        self.committed = False
        """Whether a protected step was finished."""

    @property
    def told(self) -> bool:
        """Whether what runs was told to stop; a stop that came too late to be told does not count."""
        return self._told_at is not None

    def request(self, stop: Stop) -> None:
        """Stop the call; the first reason counts. Returns at once."""
        if self.stop is None:
            self.stop = stop
            self._stopped_at = self._loop.time()
            if not self._stopping.done():
                self._stopping.set_result(None)
            self._tell()

    async def guard(self, phase: Coroutine[Any, Any, T]) -> T:
        """Run a phase before the tool begins. Raises StoppedError when the call is stopped."""
        if self.stop is not None:
            phase.close()
        self.check()
        task = await self.attend(phase)
        if not task.done() or task.cancelled() or self.told:
            if task.done() and not task.cancelled():
                task.exception()  # seen; the stop is what counts
            self.check()
            raise StoppedError(Stop(Outcome.INTERRUPTED, "It was withdrawn."))
        return task.result()

    def check(self) -> None:
        """Raise StoppedError if the call is to stop."""
        if self.stop is not None:
            raise StoppedError(self.stop)

    async def attend(self, work: Coroutine[Any, Any, T], *, grace_s: float = STOP_GRACE_S) -> asyncio.Task[T]:
        """Run work until it ends, or until it was told to stop and did not listen; return its task.

        A task that is not done has been disowned.
        """
        task = self._task = self._loop.create_task(work)
        if self.stop is not None:
            self._tell()
        try:
            await asyncio.wait({task, self._stopping}, return_when=asyncio.FIRST_COMPLETED)
            while not task.done():
                await asyncio.wait({task}, timeout=self._patience(grace_s))
                if self._patience(grace_s) <= 0:
                    break
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            self._stop_clock()
            self._task = None
            if not task.done():
                self._disown(task)
        return task

    def start_clock(self, seconds: float) -> None:
        """From now on the work of `attend` may take so long, without the time in `waiting`."""
        if seconds != float("inf"):
            self._limit_s = seconds
            self._clock = self._loop.call_later(seconds, self._expire)

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Do not count the time inside."""
        clock = self._clock
        self._waits += 1
        if clock is not None and self._waits == 1:
            self._clock_left = clock.when() - self._loop.time()
            clock.cancel()
        try:
            yield
        finally:
            self._waits -= 1
            if clock is not None and self._clock is clock and self._waits == 0:
                self._clock = self._loop.call_later(self._clock_left, self._expire)

    @asynccontextmanager
    async def protected(self) -> AsyncIterator[None]:
        """Let a stop wait for the end of what is inside."""
        faults.reach("before_protected_commit")
        self._protected += 1
        try:
            yield
            self.committed = True
        finally:
            self._protected -= 1
            if self.stop is not None and not self.told:
                # In the next turn of the loop: work that has nothing more to do ends well before.
                self._loop.call_soon(self._tell)

    def _tell(self) -> None:
        if self._task is None or self._task.done() or self._protected or self.told:
            return
        self._told_at = self._loop.time()
        self._task.cancel()

    def _patience(self, grace_s: float) -> float:
        """Return how long to wait on for work that is to stop."""
        end = self._stopped_at + BLOCK_GRACE_S if self._told_at is None else self._told_at + grace_s
        return end - self._loop.time()

    def _expire(self) -> None:
        self.request(Stop(Outcome.TIMED_OUT, f"It did not end within {self._limit_s:g} s."))

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
