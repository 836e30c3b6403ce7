"""A loop whose clock jumps: ten minutes of silence take a millisecond."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")

THREAD_PATIENCE_S = 10.0
"""Real seconds that a thread may take before the clock moves on without it."""


class VirtualClockLoop(asyncio.SelectorEventLoop):
    """When nothing can run before the next timer, time is set to that timer.

    While work is in a thread the clock stands still. Sockets and processes are other people's time:
    `patience` real seconds are given to them before every jump.
    """

    def __init__(self, patience: float = 0.0) -> None:
        self._now = 1_000.0
        self._in_threads = 0
        self._patience = patience
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._now

    def run_in_executor(  # type: ignore[override]  # typeshed has it generic over a TypeVarTuple
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Run in a thread; the clock waits for it."""
        future = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        future.add_done_callback(self._back)
        return future

    def _back(self, _: asyncio.Future[Any]) -> None:
        self._in_threads -= 1

    def select_or_jump(
        self, select: Callable[[float | None], list[tuple[selectors.SelectorKey, int]]], timeout: float
    ) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; when nothing is, set the clock forward by the timeout."""
        patience = THREAD_PATIENCE_S if self._in_threads else self._patience
        end = time.monotonic() + patience
        ready = select(0)
        while not ready and time.monotonic() < end:
            ready = select(max(0.0, end - time.monotonic()))
        if not ready:
            self._now += timeout
        return ready


class _JumpingSelector(selectors.BaseSelector):
    """The real selector, which never sleeps until a timer."""

    def __init__(self, loop: VirtualClockLoop) -> None:
        self._loop = loop
        self._real = selectors.DefaultSelector()

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return self._real.select(timeout)
        return self._loop.select_or_jump(self._real.select, timeout)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()


def run_virtually(main: Coroutine[Any, Any, T], *, patience: float = 0.0) -> T:
    """Run a coroutine to its end on a virtual clock, for a test that is a plain function."""
    with asyncio.Runner(loop_factory=lambda: VirtualClockLoop(patience)) as runner:
        return runner.run(main)
