"""One started worker process: its pipes, the threads that serve them, and its end.

All callbacks arrive on the event loop through `call_soon_threadsafe`, so that it works the same under
asyncio and qasync, and on Windows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, BinaryIO, cast

import app
from app.workers.protocol import Frame, FrameError, read

STDERR_LINES = 40
# Partial results on their way to a slow reader; beyond that the worker waits.
PARTS_IN_FLIGHT = 64


class Process:
    """A running worker. `on_frame(process, frame)` and `on_exit(process)` are called on the loop."""

    def __init__(
        self,
        kind: str,
        env: Mapping[str, str],
        on_frame: Callable[[Process, Frame], None],
        on_exit: Callable[[Process], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_frame = on_frame
        self._on_exit = on_exit
        self._log = logging.getLogger(f"app.workers.{kind}")
        self._outbox: queue.SimpleQueue[tuple[bytes, Sequence[bytes]] | None] = queue.SimpleQueue()
        self._credit = threading.Semaphore(PARTS_IN_FLIGHT)
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.ready = False
        self.fault = ""
        self.exit_code: int | None = None
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self._popen = _start(kind, env)
        self.pid = self._popen.pid
        self._threads = [
            threading.Thread(target=target, name=f"{kind}-{self.pid}-{name}", daemon=True)
            for name, target in (("err", self._drain), ("in", self._write), ("out", self._read))
        ]
        for thread in self._threads:
            thread.start()

    def send(self, head: bytes, blobs: Sequence[bytes] = ()) -> None:
        """Queue an encoded frame; never blocks."""
        self._outbox.put((head, blobs))

    def consumed(self, count: int = 1) -> None:
        """Let the worker send that many more partial results."""
        if count > 0:
            self._credit.release(count)

    def finish(self) -> None:
        """Close the pipe: an idle worker exits by itself."""
        self._outbox.put(None)

    def kill(self) -> None:
        """End the worker and whatever it started, now."""
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":
                    self._popen.kill()
                else:
                    os.killpg(self.pid, signal.SIGKILL)
        self._credit.release(1 << 20)

    def join(self) -> None:
        """Wait for the reader, whose last deed it was to call `on_exit`; it has waited for the others."""
        self._threads[-1].join(timeout=1)

    def last_words(self) -> str:
        """Return the last lines the worker wrote to stderr."""
        return "\n".join(self._stderr)

    def _read(self) -> None:
        stdout = _pipe(self._popen.stdout)
        try:
            while frame := read(stdout):
                if frame.kind == "part":
                    self._credit.acquire()
                self._tell(self._on_frame, frame)
        except FrameError as error:
            self.fault = f"it sent something that is not an answer: {error}"
        except _LoopClosedError:
            pass
        self._wind_up(stdout)

    def _wind_up(self, stdout: BinaryIO) -> None:
        if self.fault or self._lives_on():
            self.kill()
        self.exit_code = self._popen.wait()
        self._outbox.put(None)
        for thread in self._threads[:2]:
            # A process started by the worker may still hold its stderr; do not wait for that one.
            thread.join(timeout=1)
        stdout.close()
        with contextlib.suppress(_LoopClosedError):
            self._tell(self._on_exit)

    def _lives_on(self) -> bool:
        try:
            self._popen.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return True
        return False

    def _tell(self, callback: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, self, *args)
        except RuntimeError as error:
            raise _LoopClosedError from error

    def _write(self) -> None:
        stdin = _pipe(self._popen.stdin)
        # A broken pipe is seen by the reader as the end of the process, with its exit code.
        with contextlib.suppress(OSError):
            while message := self._outbox.get():
                head, blobs = message
                stdin.write(head)
                for blob in blobs:
                    stdin.write(blob)
                stdin.flush()
        with contextlib.suppress(OSError):
            stdin.close()

    def _drain(self) -> None:
        with _pipe(self._popen.stderr) as stderr:
            while line := stderr.readline(4096):
                text = line.decode("utf-8", "replace").rstrip()
                self._stderr.append(text)
                self._log.debug("%s", text)


class _LoopClosedError(Exception):
    """The event loop was closed under us: nobody is left to tell."""


def _start(kind: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    frozen = getattr(sys, "frozen", False)
    # -P: a folder called `app` in the current directory must not be taken for ours.
    program = [sys.executable] if frozen else [sys.executable, "-P", "-m", "app"]
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1", **env}
    parent = Path(app.__file__).resolve().parent.parent
    if not frozen and parent.name not in {"site-packages", "dist-packages"}:
        # A checkout, perhaps one that is not installed: the child must find the same `app` as we did.
        paths = (str(parent), environment.get("PYTHONPATH"))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        [*program, "--worker", kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        # Its own group: Ctrl-C in a terminal is the application's to handle, and a kill takes children along.
        start_new_session=True,
        creationflags=flags,
    )


def _pipe(stream: IO[bytes] | None) -> BinaryIO:
    return cast(BinaryIO, stream)
