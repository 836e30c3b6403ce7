"""Several workers of one kind behind the interface of one."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from app.workers.host import Crash, Worker
from app.workers.protocol import JSON, Reply
from app.workers.request import Priority


class WorkerPool:
    """Hands each request to an idle worker; the others wait, lower `priority` first, then in order."""

    def __init__(
        self,
        kind: str,
        size: int,
        *,
        env: Mapping[str, str] | None = None,
        idle_exit_s: float | None = None,
        on_crash: Callable[[Crash], None] | None = None,
    ) -> None:
        self.workers = [
            Worker(kind, name=kind, env=env, idle_exit_s=idle_exit_s, on_crash=on_crash) for _ in range(size)
        ]
        self._free = list(reversed(self.workers))
        self._waiting: list[tuple[int, int, asyncio.Future[Worker]]] = []
        self._order = itertools.count()

    async def call(
        self,
        method: str,
        params: Mapping[str, JSON] | None = None,
        *,
        timeout: float = 60,
        blobs: Sequence[bytes] = (),
        priority: int = Priority.NORMAL,
    ) -> Reply:
        """Like `Worker.call`."""
        worker = await self._take(priority)
        try:
            return await worker.call(method, params, timeout=timeout, blobs=blobs)
        finally:
            self._give_back(worker)

    async def stream(
        self,
        method: str,
        params: Mapping[str, JSON] | None = None,
        *,
        timeout: float = 60,
        blobs: Sequence[bytes] = (),
        priority: int = Priority.NORMAL,
    ) -> AsyncGenerator[JSON, None]:
        """Like `Worker.stream`; the worker is taken until the iteration ends."""
        worker = await self._take(priority)
        parts = worker.stream(method, params, timeout=timeout, blobs=blobs)
        try:
            async for part in parts:
                yield part
        finally:
            await parts.aclose()
            self._give_back(worker)

    async def close(self) -> None:
        """End all workers; requests under way fail with WorkerError."""
        async with asyncio.TaskGroup() as group:
            for worker in self.workers:
                group.create_task(worker.close())
        # Whoever still waits is told by the closed worker.
        while self._waiting:
            self._give_back(self.workers[0])

    async def _take(self, priority: int) -> Worker:
        if self._free:
            # A worker whose last caller was cancelled may still be finishing: prefer one that is not.
            worker = next((free for free in reversed(self._free) if not free.busy), self._free[-1])
            self._free.remove(worker)
            return worker
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._order), turn))
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(turn.result())
            raise

    def _give_back(self, worker: Worker) -> None:
        while self._waiting:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(worker)
                return
        if worker not in self._free:
            self._free.append(worker)
