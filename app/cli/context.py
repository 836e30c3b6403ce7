"""What a command is called with, and how it opens the application."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from app.application import Application
from app.cli.output import Output
from app.settings import default_home

_ENDING = (signal.SIGTERM,) if sys.platform == "win32" else (signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Invocation:
    """The common options of this run."""

    home: Path | None
    output: Output

    @classmethod
    def of(cls, context: typer.Context) -> Invocation:
        """Return the invocation that `main` put into the context."""
        invocation = context.obj
        if not isinstance(invocation, cls):
            raise TypeError("commands are called through app.cli.main")
        return invocation

    def library_home(self) -> Path:
        """The library folder of this run: `--home`, else `ASTRORESEARCH_HOME`, else the usual place."""
        return self.home if self.home is not None else default_home()

    def with_application(self, work: Callable[[Application], Awaitable[int]]) -> int:
        """Open the library, run `work`, close everything, return its exit code."""
        return run_with_application(self.library_home(), self.output, work)


@contextlib.contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Let the first Ctrl-C, SIGTERM or SIGHUP set `stop`, so that the work can come to its own end.

    The second one cancels the task, as the first does outside of this. On Windows nothing changes.
    """
    task = asyncio.current_task()

    def end() -> None:
        if task is not None and stop.is_set():
            task.cancel()
        stop.set()

    try:
        _on_signals(end)
        yield
    finally:
        _on_signals(lambda: task and task.cancel())


def _on_signals(end: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows
        for number in (signal.SIGINT, *_ENDING):
            loop.add_signal_handler(number, end)


def run_with_application(home: Path, output: Output, work: Callable[[Application], Awaitable[int]]) -> int:
    """Open the library at `home`, run `work` on a loop of its own, and return its exit code.

    Ctrl-C, SIGTERM, and SIGHUP where the terminal is closed, cancel `work`, close the workers, and come out
    as KeyboardInterrupt.
    """

    async def main() -> int:
        task = asyncio.current_task()
        for number in _ENDING:
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, lambda: task and task.cancel())
        async with Application.open(home) as application:
            for notice in application.notices:
                output.note(f"{notice.message}")
            return await work(application)

    try:
        return asyncio.run(main())
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
