"""Which pictures are missing for what shows now; gets them, keeps them, knows which pages fail."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QImage

from app.documents.pictures import Tint
from app.errors import AppError
from app.ui.reader.drawing_queue import Draw, DrawingQueue
from app.ui.reader.tiles import PictureCache, TileKey, overlaps, tiles_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page whose picture is wanted: device pixels, exact scale, and the part that shows."""

    page: int
    pixels: tuple[int, int]
    scale: float
    window: tuple[int, int, int, int] | None
    """What shows of it, in device pixels of the page; None for a page just out of sight."""

    @classmethod
    def of(cls, page: int, rect: QRectF, area: QRectF, ratio: float, scale: float) -> Wanted:
        """Make one from where the page lies in the viewport `area`."""
        pixels = (round(rect.width() * ratio), round(rect.height() * ratio))
        seen = rect.intersected(area)
        window = None
        if not seen.isEmpty():
            seen.translate(-rect.left(), -rect.top())
            edges = (seen.left(), seen.top(), seen.right(), seen.bottom())
            left, top, right, bottom = (edge * ratio for edge in edges)
            window = (int(left), int(top), int(right) + 1, int(bottom) + 1)
        return cls(page, pixels, scale * ratio, window)


class PictureSupply(QObject):
    """The cache and the queue of one view."""

    came = Signal(int)
    page_failed = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cache = PictureCache()
        self.queue: DrawingQueue | None = None
        self._missing_since: dict[int, float] = {}

    def open(self, draw: Draw) -> DrawingQueue:
        """Begin to draw a document; run the queue that this returns."""
        self.queue = DrawingQueue(draw, self._came, self._failed)
        return self.queue

    def close(self) -> None:
        """Stop and forget."""
        self.queue = None
        self.cache.clear()
        self._missing_since.clear()

    @property
    def failed(self) -> dict[int, AppError]:
        """The pages that cannot be drawn, and why."""
        return self.queue.failed if self.queue is not None else {}

    def retry(self, page: int) -> None:
        """Draw a page again that could not be drawn."""
        if self.queue is not None:
            self.queue.retry(page)
        self._missing_since.pop(page, None)

    def waits(self, page: int, longer_than: float) -> bool:
        """Say whether a visible page has lacked its picture for longer than this."""
        since = self._missing_since.get(page)
        return since is not None and time.monotonic() - since > longer_than

    def missing(self, wanted: Iterable[Wanted], tint: Tint | None) -> list[TileKey]:
        """Return the pictures that are not here, in the order of the wishes."""
        return [key for wish in wanted for key in self._needed(wish, tint) if key not in self.cache]

    def want(self, wanted: Sequence[Wanted], tint: Tint | None) -> bool:
        """Ask for what is missing, and for nothing else; say whether something that shows is missing."""
        keys = self.missing(wanted, tint)
        if self.queue is not None:
            self.queue.want(keys)
        shown = {wish.page for wish in wanted if wish.window is not None}
        now = time.monotonic()
        lacking = {key.page for key in keys} & shown
        self._missing_since = {page: self._missing_since.get(page, now) for page in lacking}
        return bool(lacking)

    def _needed(self, wish: Wanted, tint: Tint | None) -> list[TileKey]:
        if wish.page in self.failed:
            return []
        keys = list(tiles_of(wish.page, wish.pixels, wish.scale, tint))
        if len(keys) == 1:
            return keys
        if wish.window is None:
            return []
        return [key for key in keys if overlaps(key.rect, wish.window)]

    def _came(self, key: TileKey, image: QImage) -> None:
        self.cache.put(key, image)
        self._missing_since.pop(key.page, None)
        self.came.emit(key.page)

    def _failed(self, page: int, error: AppError) -> None:
        self._missing_since.pop(page, None)
        self.page_failed.emit(page)
