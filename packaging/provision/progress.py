"""What the person sees while something takes long, and how a long command is run."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HEARTBEAT_S = 20


class SetupError(Exception):
    """Set-up cannot go on; the text says why and what to do."""


class CommandFailedError(SetupError):
    """A command ended with an error; `tail` holds the last lines it printed."""

    def __init__(self, what: str, code: int, log: Path, tail: str) -> None:
        super().__init__(f"{what} failed (exit code {code}). Its last lines, from {log}:\n{tail}")
        self.tail = tail


def say(text: str) -> None:
    """Print one line of progress; stderr, so that stdout stays the command's own."""
    print(text, file=sys.stderr, flush=True)


def elapsed(seconds: float) -> str:
    """Write a duration as a person says it: "45 s", "3 min 20 s"."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def run_logged(
    command: Sequence[str | Path],
    what: str,
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> None:
    """Run a command with its output in `log`, and a line every 20 s that says it is still going.

    Raises CommandFailedError. A Ctrl-C ends the command too, with all that it started.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        ) as process,
    ):
        while True:
            try:
                code = process.wait(HEARTBEAT_S)
                break
            except subprocess.TimeoutExpired:
                say(f"  … {what}: still working, {elapsed(time.monotonic() - start)} so far")
            except BaseException:
                _kill(process)
                raise
    if code != 0:
        raise CommandFailedError(what, code, log, tail_of(log))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command and its children: a compilation is a tree of processes."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def tail_of(log: Path, lines: int = 30) -> str:
    """Return the last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
