"""The application's side: start a worker when it is needed, queue requests, supervise, replace.

    worker = Worker("pdf")
    reply = await worker.call("inspect", {"path": "…"}, timeout=20)
    async for batch in worker.stream("extract", {"path": "…"}, timeout=60): ...
    await worker.close()

One request runs at a time; the others wait, lower `priority` first, then in order of arrival.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass

from app.errors import AppError, WorkerCrashedError, WorkerError, WorkerTimeoutError
from app.workers.exits import describe_exit
from app.workers.process import Process
from app.workers.protocol import JSON, Frame, Reply, encode, error_from
from app.workers.request import Priority, Request

CANCEL_GRACE_S = 2.0
CLOSE_GRACE_S = 2.0
START_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Crash:
    """What is known about the end of a worker: for the log, the doctor and the import queue."""

    kind: str
    pid: int
    exit: str
    method: str
    last_words: str


class Worker:
    """One worker process of a kind from the table in `app/__main__.py`, started at the first request.

    `call` and `stream` raise WorkerCrashedError when the process ends while it holds the request,
    WorkerTimeoutError when it was silent for `timeout` seconds (it is then killed), and whatever AppError
    the worker raised. A cancelled caller is let go at once; the worker has two seconds to stop that request.
    """

    def __init__(
        self,
        kind: str,
        *,
        name: str = "",
        env: Mapping[str, str] | None = None,
        idle_exit_s: float | None = None,
        on_crash: Callable[[Crash], None] | None = None,
    ) -> None:
        self.kind = kind
        self.name = name or kind
        self.restarts = 0
        self._env = dict(env or {})
        self._idle_exit_s = idle_exit_s
        self._on_crash = on_crash
        self._log = logging.getLogger(f"app.workers.{kind}")
        self._ids = itertools.count(1)
        self._waiting: list[Request] = []
        self._active: Request | None = None
        self._process: Process | None = None
        self._living: set[Process] = set()
        self._timer: asyncio.Handle | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process id of the running worker; None before the first request and after an idle exit."""
        return self._process.pid if self._process else None

    @property
    def busy(self) -> bool:
        """True while a request runs (also one whose caller has gone) or waits."""
        return self._active is not None or any(not request.settled for request in self._waiting)

    async def call(
        self,
        method: str,
        params: Mapping[str, JSON] | None = None,
        *,
        timeout: float = 60,
        blobs: Sequence[bytes] = (),
        priority: int = Priority.NORMAL,
    ) -> Reply:
        """Run a method and return its reply; `timeout` starts when the worker takes the request."""
        request = self._request(method, params, blobs=blobs, timeout=timeout, priority=priority)
        self._submit(request)
        try:
            return await request.done
        finally:
            self._let_go(request)

    async def stream(
        self,
        method: str,
        params: Mapping[str, JSON] | None = None,
        *,
        timeout: float = 60,
        blobs: Sequence[bytes] = (),
        priority: int = Priority.NORMAL,
    ) -> AsyncGenerator[JSON, None]:
        """Yield every partial result, then the returned value; `timeout` is the longest silence."""
        request = self._request(method, params, blobs=blobs, timeout=timeout, priority=priority)
        parts = request.open_stream()
        self._submit(request)
        try:
            async for part in parts:
                if self._process is not None and self._active is request:
                    self._process.consumed()
                yield part
            yield (await request.done).value
        finally:
            self._let_go(request)

    async def close(self) -> None:
        """End the process; requests under way fail with WorkerError. Returns when nothing is left of it."""
        self._closed = True
        self._stop_timer()
        gone = WorkerError(f"The {self.name} worker was closed.", code="worker_closed")
        for request in (*self._waiting, *([self._active] if self._active else [])):
            request.fail(gone)
        self._waiting.clear()
        if self._active and self._process:
            self._process.kill()
        self._active = self._process = None
        for process in self._living:
            process.finish()
        ends = [process.exited for process in self._living]
        if ends and (await asyncio.wait(ends, timeout=CLOSE_GRACE_S))[1]:
            for process in self._living:
                process.kill()
            await asyncio.wait(ends)

    # requests

    def _request(
        self,
        method: str,
        params: Mapping[str, JSON] | None,
        *,
        blobs: Sequence[bytes],
        timeout: float,
        priority: int,
    ) -> Request:
        return Request.new(next(self._ids), method, params, blobs=blobs, timeout=timeout, priority=priority)

    def _submit(self, request: Request) -> None:
        if self._closed:
            raise WorkerError(f"The {self.name} worker is closed.", code="worker_closed")
        heapq.heappush(self._waiting, request)
        self._pump()

    def _let_go(self, request: Request) -> None:
        """The caller left: take a waiting request out, ask the worker to stop a running one."""
        unread = request.unread()
        if request.abandon() and request is self._active and self._process:
            self._process.consumed(unread)
            self._process.send(encode("cancel", request.request_id, {}))
            self._start_timer(CANCEL_GRACE_S, self._replace)

    def _pump(self) -> None:
        """Hand the next request to the worker if it is free."""
        while self._waiting and self._waiting[0].settled:
            heapq.heappop(self._waiting)
        if self._active or self._closed:
            return
        if not self._waiting:
            if self._idle_exit_s is not None and self._process and self._process.ready:
                self._start_timer(self._idle_exit_s, self._retire)
            return
        if self._process is None:
            self._start_process()
        elif self._process.ready:
            request = self._active = heapq.heappop(self._waiting)
            self._process.send(request.head, request.blobs)
            self._start_timer(request.timeout, self._expire)

    def _expire(self) -> None:
        request = self._active
        if request is None:
            return
        if request.unread():  # the reader is slow, not the worker
            self._start_timer(request.timeout, self._expire)
            return
        request.fail(
            WorkerTimeoutError(
                f"The {self.name} worker did not finish {request.method!r} within {request.timeout:g} s"
                " and was restarted."
            )
        )
        self._replace()

    # the process

    def _start_process(self) -> None:
        try:
            self._process = Process(self.kind, self._env, self._on_frame, self._on_exit)
        except OSError as error:
            self._fail_start(f"the operating system says: {error.strerror or error}", "")
            return
        self._living.add(self._process)
        self._start_timer(START_TIMEOUT_S, self._start_took_too_long)

    def _start_took_too_long(self) -> None:
        words = self._process.last_words() if self._process else ""
        self._replace()
        self._fail_start(f"it was not ready after {START_TIMEOUT_S:g} s", words)

    def _replace(self) -> None:
        """Kill the process; the next request gets a new one."""
        if self._process:
            self._process.kill()
            self._process = None
            self.restarts += 1
        self._finish_active()

    def _retire(self) -> None:
        """Give the memory back after a time without requests."""
        if self._process and not self.busy:
            self._process.finish()
            self._process = None

    def _finish_active(self) -> None:
        self._active = None
        self._stop_timer()
        # Later, so that whoever is failing several requests is done first.
        asyncio.get_running_loop().call_soon(self._pump)

    def _on_frame(self, process: Process, frame: Frame) -> None:
        if process is not self._process:
            return
        if frame.kind == "ready":
            process.ready = True
            self._stop_timer()
            self._pump()
            return
        request = self._active
        if request is None or frame.request_id != request.request_id:
            return
        if frame.kind == "part":
            if request.settled:
                process.consumed()
            else:
                request.add_part(frame.body.get("value"))
                self._start_timer(request.timeout, self._expire)
            return
        process.consumed(request.unread())
        if frame.kind == "done":
            request.succeed(Reply(frame.body.get("value"), frame.blobs))
        elif frame.kind == "error":
            request.fail(error_from(frame.body))
        else:
            request.fail(WorkerError(f"The {self.name} worker dropped {request.method!r}."))
        self._finish_active()

    def _on_exit(self, process: Process) -> None:
        process.join()
        self._living.discard(process)
        if not process.exited.done():
            process.exited.set_result(None)
        if process is not self._process:
            return
        self._process = None
        self.restarts += 1
        how = process.fault or describe_exit(process.exit_code)
        method = self._active.method if self._active else ""
        words = process.last_words()
        self._log.warning("the %s worker (pid %s) ended: %s\n%s", self.name, process.pid, how, words)
        if self._on_crash:
            self._on_crash(Crash(self.kind, process.pid, how, method, words))
        if self._active:
            doing = f"while it was busy with {method!r}"
            crash = WorkerCrashedError(f"The {self.name} worker ended {doing} ({how}).")
            crash.how = how
            self._active.fail(crash)
        if not process.ready:
            self._fail_start(how, words)
        self._finish_active()

    def _fail_start(self, how: str, words: str) -> None:
        last = next((line for line in reversed(words.splitlines()) if line.strip()), "")
        hint = f"Its last words: {last}. " if last else ""
        error = WorkerCrashedError(
            f"The {self.name} worker could not start ({how}).",
            hint=f"{hint}`astroresearch doctor` checks the installation.",
        )
        for request in self._waiting:
            request.fail(_again(error))
        self._waiting.clear()

    def _start_timer(self, seconds: float, action: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, action)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


def _again(error: AppError) -> AppError:
    """Return a copy: one exception raised in several tasks would collect all their tracebacks."""
    return type(error)(error.message, hint=error.hint, code=error.code)
