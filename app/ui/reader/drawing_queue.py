"""Which picture is drawn next: what the person looks at now, newest wish first, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtGui import QImage

from app.errors import AppError
from app.ui.reader.tiles import TileKey

Draw = Callable[[TileKey], Awaitable[QImage]]


class DrawingQueue:
    """Holds only the latest wish list; what is no longer on it is never drawn.

    A page that takes too long, kills the worker or cannot be drawn is set aside with its
    error until `retry`: it is not asked for again by scrolling past.
    """

    def __init__(
        self,
        draw: Draw,
        on_drawn: Callable[[TileKey, QImage], None],
        on_failed: Callable[[int, AppError], None],
    ) -> None:
        self.failed: dict[int, AppError] = {}
        self.drawn = 0
        self._draw, self._on_drawn, self._on_failed = draw, on_drawn, on_failed
        self._wanted: list[TileKey] = []
        self._wake = asyncio.Event()

    def want(self, keys: Sequence[TileKey]) -> None:
        """Replace the wish list; the most wanted comes first."""
        self._wanted = [key for key in keys if key.page not in self.failed]
        if self._wanted:
            self._wake.set()

    def retry(self, page: int) -> None:
        """Let a page that was set aside be asked for again."""
        self.failed.pop(page, None)

    async def run(self) -> None:
        """Draw for ever; cancel to stop."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._wanted:
                await self._draw_one(self._wanted.pop(0))

    async def _draw_one(self, key: TileKey) -> None:
        try:
            image = await self._draw(key)
        except AppError as error:
            self.failed[key.page] = error
            self._wanted = [other for other in self._wanted if other.page != key.page]
            self._on_failed(key.page, error)
            return
        self.drawn += 1
        self._on_drawn(key, image)
