"""Running programs of the person or the agent, so that nothing of them stays behind.

A run is over when its program has ended, not when its pipes close: a child in the background may hold
those for ever. Then, and on every other way out (timeout, cancel, the application's end), all that the
program started is asked to end and made to after `GRACE_S`.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

from app.services.process_group import ProcessGroup, ProgramError
from app.services.program_output import Capture, Printed, decoded

__all__ = ["Ended", "ProgramError", "kill_all", "run"]

GRACE_S = 2.0
"""How long a program that was asked to end may take."""

DRAIN_S = 0.1
"""How long after the end of all processes their output is waited for."""

OUTPUT_BYTES = 4_000_000
"""How much of the output is kept: its first and its last half."""

_SHOWN_EVERY_S = 0.1
_LAST_BYTES = 1 << 20  # what a pipe can hold at most


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    `exit_code` is negative for a signal; `left_behind` counts processes that outlived their program
    and were ended.
    """

    exit_code: int
    output: Printed
    errors: Printed
    timed_out: bool
    left_behind: int
    seconds: float


async def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    timeout_s: float | None = None,
    stderr: Literal["among", "apart"] = "among",
    limit: int = OUTPUT_BYTES,
    on_line: Callable[[str], None] | None = None,
) -> Ended:
    """Run a program to its end and return how it ended.

    `stderr` goes among the output or apart. `on_line` is told the newest line on the loop, ten times a
    second at most. When the caller is cancelled, everything has ended before the cancellation goes on.
    Raises ProgramError when it cannot be started.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Ended] = loop.create_future()

    def tell(call: Callable[..., None], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody is left to tell
            loop.call_soon_threadsafe(call, *args)

    def settle(ended: Ended | ProgramError) -> None:
        if isinstance(ended, ProgramError):
            done.set_exception(ended)
        else:
            done.set_result(ended)

    job = _Run(timeout_s, limit, (lambda line: tell(on_line, line)) if on_line else None)
    _RUNNING.add(job)  # before it starts: the application may end in between
    # A thread of its own: those of the loop's pool are few, and a program may run long.
    threading.Thread(
        target=lambda: tell(settle, job.outcome(argv, cwd, env, stdin, stderr)), name="program", daemon=True
    ).start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        job.stop()
        await _until_done(done)
        raise


def kill_all() -> None:
    """End every program that runs or is just starting. For the application's end; blocks for moments."""
    jobs = tuple(_RUNNING)
    for job in jobs:
        job.kill()
    for job in jobs:
        job.over.wait(GRACE_S)


async def _until_done(done: asyncio.Future[Ended]) -> None:
    while not done.done():
        # A second cancel changes nothing: the first is being carried out, and that takes bounded time.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({done})
    done.exception()  # seen; the cancellation is what counts


class _Run:
    """One run, in its own thread; `stop` and `kill` are called from others."""

    def __init__(self, timeout_s: float | None, limit: int, on_line: Callable[[str], None] | None) -> None:
        self._timeout_s = timeout_s
        self._limit = limit
        self._on_line = on_line
        self._wake = threading.Event()
        self._stopped = False
        self._grace_s = GRACE_S
        self.over = threading.Event()
        self._group: ProcessGroup | None = None

    def stop(self) -> None:
        """End the program and what it started, with its grace."""
        self._stopped = True
        self._wake.set()

    def kill(self) -> None:
        """End them without grace, here and now."""
        self._grace_s = 0.0
        self.stop()
        if self._group is not None:
            self._group.kill()

    def outcome(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes | None,
        stderr: Literal["among", "apart"],
    ) -> Ended | ProgramError:
        """Run to the end."""
        begun = time.monotonic()
        apart = stderr == "apart"
        try:
            with _Input(stdin) as source:
                self._group = ProcessGroup(
                    argv,
                    cwd=cwd,
                    env=env,
                    stdin=source,
                    stderr=subprocess.PIPE if apart else subprocess.STDOUT,
                )
            return self._watched(self._group, begun)
        except ProgramError as error:
            return error
        except (OSError, RuntimeError) as error:  # the latter: no more threads
            self._close_pipes()
            return ProgramError(
                f"{argv[0]} cannot be run: {getattr(error, 'strerror', None) or error}.",
                hint="Free some space, or close other programs, and try again.",
            )
        finally:
            if self._group is not None:
                self._group.kill()
                self._group.release()
            _RUNNING.discard(self)
            self.over.set()

    def _close_pipes(self) -> None:
        if self._group is not None:
            for pipe in (self._group.popen.stdout, self._group.popen.stderr):
                if pipe is not None:
                    pipe.close()

    def _watched(self, group: ProcessGroup, begun: float) -> Ended:
        popen = group.popen
        readers = [
            _Reader(pipe, self._limit, show)
            for pipe, show in ((popen.stdout, self._on_line), (popen.stderr, None))
            if pipe is not None
        ]
        watcher = threading.Thread(target=self._watch, args=(popen,), name="program-watch", daemon=True)
        watcher.start()
        self._wake.wait(None if self._timeout_s is None else min(self._timeout_s, threading.TIMEOUT_MAX))
        timed_out = not self._wake.is_set()
        ended_itself = popen.returncode is not None and not self._stopped
        left = group.end(self._grace_s)
        watcher.join(GRACE_S)
        printed = [reader.finish() for reader in readers]
        return Ended(
            exit_code=-signal.SIGTERM if popen.returncode is None else popen.returncode,
            output=printed[0],
            errors=printed[1] if len(printed) > 1 else Printed(""),
            timed_out=timed_out,
            left_behind=left if ended_itself else 0,
            seconds=time.monotonic() - begun,
        )

    def _watch(self, popen: subprocess.Popen[bytes]) -> None:
        popen.wait()
        self._wake.set()


class _Reader:
    """Reads a pipe in a thread, into bounded memory, until it closes or is told to finish."""

    def __init__(self, pipe: IO[bytes], limit: int, on_line: Callable[[str], None] | None) -> None:
        self._pipe = pipe
        self._capture = Capture(limit)
        self._on_line = on_line
        self._shown_at = 0.0
        self._finishing = threading.Event()
        self._last = _LAST_BYTES
        self._quit, self._quitter = os.pipe()
        self._thread = threading.Thread(target=self._read, name="program-read", daemon=True)
        self._thread.start()

    def finish(self) -> Printed:
        """Stop reading and return what was read. Whoever still holds the pipe is not waited for."""
        self._thread.join(DRAIN_S)
        self._finishing.set()
        os.close(self._quitter)
        self._thread.join(1.0)
        return self._capture.printed()

    def _read(self) -> None:
        descriptor = self._pipe.fileno()
        while self._is_ready(descriptor) and (data := os.read(descriptor, 1 << 16)):
            self._capture.feed(data)
            self._show(data)
            if self._finishing.is_set():
                self._last -= len(data)
        self._pipe.close()
        os.close(self._quit)

    def _is_ready(self, descriptor: int) -> bool:
        """Wait for data; when told to finish, take what is there already, but not from one who goes on."""
        if sys.platform == "win32":
            # Pipes cannot be waited for; the job has ended whoever could hold the other side.
            return not self._finishing.is_set()
        else:  # noqa: RET505  the type checker takes what follows a platform's return for dead code
            poll = select.poll()
            poll.register(descriptor, select.POLLIN | select.POLLHUP)
            poll.register(self._quit, select.POLLIN | select.POLLHUP)
            return descriptor in dict(poll.poll()) and self._last > 0

    def _show(self, data: bytes) -> None:
        now = time.monotonic()
        if self._on_line is None or now - self._shown_at < _SHOWN_EVERY_S:
            return
        lines = decoded(data[-4096:]).split("\n")
        if line := next((line.strip() for line in reversed(lines) if line.strip()), ""):
            self._shown_at = now
            self._on_line(line)


class _Input:
    """What a program reads: nothing, or bytes from a file without a name, which nobody has to feed."""

    def __init__(self, data: bytes | None) -> None:
        self._data = data
        self._file: IO[bytes] | None = None

    def __enter__(self) -> IO[bytes] | int:
        if self._data is None:
            return subprocess.DEVNULL
        self._file = cast(IO[bytes], tempfile.TemporaryFile())
        self._file.write(self._data)
        self._file.seek(0)
        return self._file

    def __exit__(self, *_error: object) -> None:
        if self._file is not None:
            self._file.close()


_RUNNING: set[_Run] = set()
atexit.register(kill_all)
