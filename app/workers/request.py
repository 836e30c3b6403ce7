"""One request on its way through a worker."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from app.errors import AppError
from app.workers.protocol import JSON, FrameError, Reply, encode


class Priority(IntEnum):
    """Who goes first when several wait for one worker."""

    USER = 0
    """Somebody looks at the screen and waits."""
    NORMAL = 10
    BULK = 20
    """An import of a thousand files."""


@dataclass(eq=False)
class Request:
    """A request, encoded when it is made, so that bad parameters fail in the caller."""

    request_id: int
    method: str
    head: bytes
    blobs: Sequence[bytes]
    timeout: float
    priority: int
    done: asyncio.Future[Reply]

    def __post_init__(self) -> None:
        self._parts: deque[JSON] = deque()
        self._wake = asyncio.Event()

    @classmethod
    def new(
        cls,
        request_id: int,
        method: str,
        params: Mapping[str, JSON] | None,
        *,
        blobs: Sequence[bytes],
        timeout: float,
        priority: int,
    ) -> Request:
        """Encode a request; raises ValueError when the parameters are too large or have no JSON form."""
        body = {"method": method, "params": dict(params or {}), "timeout": timeout}
        try:
            head = encode("call", request_id, body, blobs)
        except FrameError as error:
            raise ValueError(f"{method}: {error}") from error
        done = asyncio.get_running_loop().create_future()
        return cls(request_id, method, head, blobs, timeout, priority, done)

    def __lt__(self, other: Request) -> bool:
        return (self.priority, self.request_id) < (other.priority, other.request_id)

    @property
    def settled(self) -> bool:
        """True when there is an answer, or nobody who waits for it."""
        return self.done.done()

    def succeed(self, reply: Reply) -> None:
        if not self.settled:
            self.done.set_result(reply)

    def fail(self, error: AppError) -> None:
        if not self.settled:
            self.done.set_exception(error)

    def abandon(self) -> bool:
        """Forget the answer; True if none had come yet."""
        self._parts.clear()
        if self.done.done() and not self.done.cancelled():
            self.done.exception()  # seen: nobody will ask for it again
            return False
        self.done.cancel()  # it already is when the task that awaited it was cancelled
        return True

    def unread(self) -> int:
        """Return how many partial results wait for the caller."""
        return len(self._parts)

    def add_part(self, part: JSON) -> None:
        self._parts.append(part)
        self._wake.set()

    async def open_stream(self) -> AsyncIterator[JSON]:
        """Yield partial results until the request is settled and all are read."""
        self.done.add_done_callback(lambda _: self._wake.set())
        while self._parts or not self.settled:
            if not self._parts:
                self._wake.clear()
                await self._wake.wait()
                continue
            yield self._parts.popleft()
