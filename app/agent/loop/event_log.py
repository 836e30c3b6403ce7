"""One session's stream of events: into the journal first, then to the model's history and the screen.

Rows are written one after the other in the order in which they were emitted, and seen in
that order by everyone. Pieces (text, thinking, progress) are shown at most 30 times a
second and are not kept: the `Message` and `ToolResult` rows hold the whole.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.agent.loop.pieces import Pieces, is_piece
from app.agent.tools.context import Via
from app.errors import AppError
from app.events import Event
from app.records.ids import SessionId
from app.services.threads import off_loop

Follower = Callable[[int, Mapping[str, Any]], None]
"""Takes every row (number, `Event.as_json()`) once it is committed, on the loop, in order; never raises."""


class Rows(Protocol):
    """The part of the journal that a log writes to."""

    def append(self, session_id: SessionId, event: dict[str, Any], *, durable: bool | None = None) -> int:
        """Commit one row and return its number."""


@dataclass(slots=True)
class _Job:
    event: Event
    value: dict[str, Any]
    durable: bool | None
    via: Via | None
    row: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class EventLog:
    """Emits the events of one session; `followers` (the history) hear of rows before the screen does.

    A cancelled `emit` gives up waiting, not the row: what was emitted is committed and shown.
    """

    def __init__(self, journal: Rows, session_id: SessionId, *followers: Follower) -> None:
        self.session_id = session_id
        self._journal = journal
        self._followers = list(followers)
        self._screens: list[Callable[[Event], None]] = []
        self._waiting: deque[_Job] = deque()
        self._writer: asyncio.Task[None] | None = None
        self._pieces = Pieces(self._show)

    async def emit(self, event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
        """Commit and show an event; returns its row, or 0 for a piece. Raises LibraryError.

        `via` writes the row inside a transaction of its own; it is called in a thread.
        """
        if is_piece(event):
            self._pieces.add(event)
            return 0
        job = _Job(event, event.as_json(), durable, via)
        self._waiting.append(job)
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write_all())
        return await asyncio.shield(job.row)

    def show_to(self, screen: Callable[[Event], None]) -> Callable[[], None]:
        """Call `screen` with every event from now on; the returned function ends that."""
        self._screens.append(screen)

        def leave() -> None:
            if screen in self._screens:
                self._screens.remove(screen)

        return leave

    async def settled(self) -> None:
        """Wait until everything that was emitted is committed and shown."""
        while self._writer is not None:
            await asyncio.wait([self._writer])
        self._pieces.flush()

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                job = self._waiting.popleft()
                try:
                    row = await off_loop(self._write, job)
                except AppError as error:
                    _fail(job, error)
                else:
                    self._seen(row, job)
        finally:
            self._writer = None
            for job in self._waiting:  # only when the loop is closed under us
                job.row.cancel()
            self._waiting.clear()

    def _write(self, job: _Job) -> int:
        if job.via is not None:
            return job.via(self.session_id, job.value)
        return self._journal.append(self.session_id, job.value, durable=job.durable)

    def _seen(self, row: int, job: _Job) -> None:
        for follower in self._followers:
            follower(row, job.value)
        self._pieces.flush()
        self._show(job.event)
        if not job.row.done():
            job.row.set_result(row)

    def _show(self, event: Event) -> None:
        for screen in tuple(self._screens):
            screen(event)


def _fail(job: _Job, error: AppError) -> None:
    if not job.row.done():
        job.row.set_exception(error)
        job.row.exception()  # its emitter may be gone


class Screen:
    """A queue between a log and one reader: `log.show_to(screen.put)`, then iterate until `end()`."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()

    def put(self, event: Event) -> None:
        """Add an event."""
        self._queue.put_nowait(event)

    def end(self) -> None:
        """Let the reader stop after what is in the queue."""
        self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while (event := await self._queue.get()) is not None:
            yield event
