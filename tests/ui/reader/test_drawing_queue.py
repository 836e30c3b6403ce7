"""What is drawn next, and what never is."""

from __future__ import annotations

import asyncio

from PySide6.QtGui import QImage

from app.errors import AppError, WorkerTimeoutError
from app.ui.reader.drawing_queue import DrawingQueue
from app.ui.reader.tiles import TileKey


def key(page: int) -> TileKey:
    return TileKey(page, 1.0, (0, 0, 10, 10), True)


class Desk:
    """Draws when it is let; remembers the order."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.came: list[int] = []
        self.failed: list[int] = []
        self.heavy: set[int] = set()
        self.gate = asyncio.Event()
        self.queue = DrawingQueue(self._draw, self._came, self._failed)

    async def _draw(self, wanted: TileKey) -> QImage:
        self.begun.append(wanted.page)
        await self.gate.wait()
        if wanted.page in self.heavy:
            raise WorkerTimeoutError("too slow")
        return QImage()

    def _came(self, wanted: TileKey, image: QImage) -> None:
        self.came.append(wanted.page)

    def _failed(self, page: int, error: AppError) -> None:
        self.failed.append(page)


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_that_only_the_newest_wishes_are_drawn() -> None:
    desk = Desk()
    running = asyncio.create_task(desk.queue.run())
    desk.queue.want([key(0)])
    await turns()
    for page in range(1, 50):
        desk.queue.want([key(page), key(page + 1)])
    desk.gate.set()
    await turns()
    assert desk.came == [0, 49, 50]
    running.cancel()


async def test_that_a_page_that_failed_waits_until_it_is_tried_again() -> None:
    desk = Desk()
    desk.gate.set()
    desk.heavy = {3}
    running = asyncio.create_task(desk.queue.run())
    desk.queue.want([key(3), key(3), key(4)])
    await turns()
    assert (desk.begun, desk.failed, desk.came) == ([3, 4], [3], [4])
    desk.queue.want([key(3)])
    await turns()
    assert desk.begun == [3, 4]
    desk.heavy.clear()
    desk.queue.retry(3)
    desk.queue.want([key(3)])
    await turns()
    assert desk.came == [4, 3]
    running.cancel()
