"""A started program together with everything that it starts: one thing, that ends as one.

POSIX: a session of its own, so that one signal reaches the whole group; on Linux also those that leave
the group (`setsid`, daemons), known by a mark in their environment; and a guard beside it that ends the
group when this application is killed. Windows: a job object, which the system ends in all these cases.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from app.errors import AppError

MARK = "_ASTRORESEARCH_RUN"
"""Environment variable by which a run's processes are known."""


_GUARD = (
    'read group && { read _; kill -s KILL -- "-$group"; }; for p in /proc/[0-9]*; do '
    'grep -qsF -- "$1" "$p/environ" && kill -s KILL "${p#/proc/}"; done'
)
"""Ends the group, and what has left it where the system tells (Linux), when the pipe closes."""


class ProgramError(AppError):
    """A program cannot be started."""

    code = "program"


class ProcessGroup:
    """A running program. Methods block: call them from a thread."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: IO[bytes] | int,
        stderr: int,
    ) -> None:
        """Start it. Raises ProgramError."""
        self._mark = new_mark()
        name, _, value = self._mark.partition("=")
        self._prepare()
        try:
            self.popen = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env={**env, name: value},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
                creationflags=_flags(),
            )
        except (OSError, ValueError) as error:
            self._uncontain()
            raise _explained(error, argv, cwd) from error
        self._contain()

    def end(self, grace_s: float) -> int:
        """Ask what still runs to end, then make it; return how many processes there were."""
        left = len(self._members())
        if left:
            self._tell_all(hard=False)
            self._gone_within(grace_s)
            self.kill()
        return left

    def kill(self) -> None:
        """End all of it now."""
        for _ in range(100):  # a program that keeps starting others is outrun, not waited for
            if not self._members():
                return
            self._tell_all(hard=True)
            time.sleep(0.01)

    def release(self) -> None:
        """Give back what was needed to watch over it; nothing of it runs any more."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # not even KILL ends one that waits for a disk
            self.popen.wait(timeout=1)
        self._uncontain()

    def _gone_within(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        pause = 0.01
        while self._members() and time.monotonic() < deadline:
            time.sleep(pause)
            pause = min(pause * 2, 0.1)

    if sys.platform == "win32":

        def _prepare(self) -> None:
            """Nothing: the job is made around the suspended program."""

        def _contain(self) -> None:
            from app.services.windows_job import Job

            self._job = Job(int(self.popen._handle))  # type: ignore[attr-defined]

        def _uncontain(self) -> None:
            """Nothing: the job is closed when it is forgotten."""

        def _members(self) -> Sequence[int]:
            return range(self._job.active() or (self.popen.poll() is None))

        def _tell_all(self, *, hard: bool) -> None:
            # Without a console there is nothing like SIGTERM; the grace is for what ends by itself.
            if hard:
                self._job.end()
                self.popen.kill()

    else:

        def _prepare(self) -> None:
            """Start the guard: it reads a number, then the end of a pipe that we alone hold, and kills."""
            self._guard: subprocess.Popen[bytes] | None = None
            read_end, self._alive = os.pipe()
            # Without one, for want of processes, the program runs all the same.
            with contextlib.suppress(OSError):
                self._guard = subprocess.Popen(
                    ["/bin/sh", "-c", _GUARD, "guard", self._mark],
                    stdin=read_end,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={},
                    start_new_session=True,
                )
            os.close(read_end)

        def _contain(self) -> None:
            with contextlib.suppress(OSError):  # there is no guard
                os.write(self._alive, b"%d\n" % self.popen.pid)

        def _uncontain(self) -> None:
            if self._guard is not None:
                self._guard.kill()  # before the pipe closes: it must not mistake this for our death
                self._guard.wait()
            os.close(self._alive)

        def _members(self) -> Sequence[tuple[int, bool]]:
            """Return the processes that run, each with whether it is still in the group."""
            if sys.platform == "linux":
                return list(_of_run(self.popen.pid, self._mark.encode()))
            else:  # noqa: RET505  the type checker takes what follows a platform's return for dead code
                return [(self.popen.pid, True)] if _send(os.killpg, self.popen.pid, 0) else []

        def _tell_all(self, *, hard: bool) -> None:
            number = signal.SIGKILL if hard else signal.SIGTERM
            members = self._members()
            if any(grouped for _pid, grouped in members):
                _send(os.killpg, self.popen.pid, number)
                _send(os.killpg, self.popen.pid, signal.SIGCONT)  # a stopped process would not hear it
            for pid, grouped in members:
                if not grouped:
                    _send(os.kill, pid, number)


def new_mark() -> str:
    """Return an environment entry ("name=value") by which everything that a program starts is known."""
    return f"{MARK}={uuid.uuid4().hex}"


def end_marked(mark: str) -> None:
    """End all that carries a mark, now; nothing where the system does not show environments (not Linux)."""
    if sys.platform == "linux":
        for _ in range(100):
            pids = [pid for pid, _grouped in _of_run(-1, mark.encode())]
            if not pids:
                return
            for pid in pids:
                _send(os.kill, pid, signal.SIGKILL)
            time.sleep(0.01)


def _flags() -> int:
    if sys.platform == "win32":
        from app.services.windows_job import SUSPENDED

        return subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP | SUSPENDED
    else:  # noqa: RET505
        return 0


def _send(how: Callable[[int, int], None], pid: int, number: int) -> bool:
    """Send a signal; False when there is nobody (macOS refuses a group of zombies)."""
    try:
        how(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _of_run(group: int, mark: bytes) -> Iterator[tuple[int, bool]]:
    """Yield the living processes of a session, and those that carry its mark."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        pid = int(entry.name)
        # It may end while it is looked at, or belong to somebody else.
        with contextlib.suppress(OSError):
            fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
            if fields[0] in (b"Z", b"X"):
                continue
            if int(fields[2]) == group:
                yield pid, True
            elif int(fields[3]) == group or mark in Path(entry.path, "environ").read_bytes():
                yield pid, False


def _explained(error: OSError | ValueError, argv: Sequence[str], cwd: Path) -> ProgramError:
    if isinstance(error, ValueError):
        return ProgramError(
            f"The command cannot be run: {error}.", hint="Take out the characters that no command can hold."
        )
    if not cwd.is_dir():
        return ProgramError(f"The folder {cwd} does not exist.", hint="Create it, or choose another one.")
    reason = error.strerror or str(error)
    return ProgramError(
        f"{argv[0]} cannot be run: {reason}.",
        hint="Check that the program is installed and the command is not too long.",
    )
