"""Cancels a coroutine at its every step, one run after another."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import TracebackType
from typing import Any

MAX_STEPS = 5_000


async def at_every_step(
    make: Callable[[], Coroutine[Any, Any, object]],
    check: Callable[[], Awaitable[None] | None],
    *,
    every: int = 1,
) -> int:
    """Run `make()` again and again, cancelling it before and at its every step; return their number.

    A step is one resumption of the coroutine or of any task made within it. After each run `check()`
    says whether what is left behind is in order. The last run is not cancelled. `every` leaves steps
    out where there are many.
    """
    loop = asyncio.get_running_loop()
    before = loop.get_task_factory()
    step = 0
    try:
        while step < MAX_STEPS:
            counter = _Counter(step)
            loop.set_task_factory(counter.make_task)  # type: ignore[arg-type]  # its protocol differs by version
            main = loop.create_task(make())
            counter.target = main
            if step == 0:
                main.cancel()
            try:
                await asyncio.wait([main])
            except asyncio.CancelledError:
                main.cancel()
                await asyncio.wait([main])
                raise
            finally:
                loop.set_task_factory(before)
            if not main.cancelled() and (error := main.exception()):
                raise error
            outcome = check()
            if inspect.isawaitable(outcome):
                await outcome
            if counter.steps < step:
                return counter.steps
            step += every
    finally:
        loop.set_task_factory(before)
    raise AssertionError(f"the coroutine takes more than {MAX_STEPS} steps")


class _Counter:
    """Counts the steps of all tasks and cancels the target at one of them."""

    def __init__(self, at: int) -> None:
        self.steps = 0
        self.target: asyncio.Task[object] | None = None
        self._at = at

    def make_task(
        self, loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, Any], **options: Any
    ) -> asyncio.Task[Any]:
        return asyncio.Task(_Counted(coro, self), loop=loop, **options)

    def step(self) -> None:
        self.steps += 1
        if self.steps == self._at and self.target and not self.target.done():
            self.target.cancel()


class _Counted(Coroutine[Any, Any, Any]):
    """A coroutine that reports when it is resumed."""

    def __init__(self, inner: Coroutine[Any, Any, Any], counter: _Counter) -> None:
        self._inner = inner
        self._counter = counter
        self.__name__ = getattr(inner, "__name__", type(inner).__name__)
        self.__qualname__ = getattr(inner, "__qualname__", self.__name__)

    def send(self, value: Any) -> Any:
        self._counter.step()
        return self._inner.send(value)

    def throw(
        self,
        typ: Any,
        val: BaseException | object = None,
        tb: TracebackType | None = None,
    ) -> Any:
        return self._inner.throw(typ) if val is None else self._inner.throw(typ, val, tb)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inner.__await__()
