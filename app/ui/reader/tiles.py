"""Cutting a page into pictures, and keeping the pictures within a byte limit (pure but for QImage)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QImage

from app.documents.pictures import PixelRect, Tint

WHOLE_PAGE_PIXELS = 4_000_000
"""Above this a page is cut into tiles."""

TILE = 1280
CACHE_BYTES = 192 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TileKey:
    """One picture: a page at an exact scale (device pixels per point), the part of it, the tint."""

    page: int
    scale: float
    rect: PixelRect
    whole: bool
    tint: Tint | None = None


def tiles_of(page: int, size: tuple[int, int], scale: float, tint: Tint | None) -> Iterator[TileKey]:
    """Yield the tiles of a page of `size` device pixels, row by row; a small page is one tile."""
    width, height = size
    if width * height <= WHOLE_PAGE_PIXELS:
        yield TileKey(page, scale, (0, 0, width, height), True, tint)
        return
    for top in range(0, height, TILE):
        for left in range(0, width, TILE):
            rect = (left, top, min(left + TILE, width), min(top + TILE, height))
            yield TileKey(page, scale, rect, False, tint)


def overlaps(a: PixelRect, b: PixelRect) -> bool:
    """Say whether two rectangles share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


class PictureCache:
    """Least recently used pictures go first, counted in bytes."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self.limit = limit
        self.bytes = 0
        self._images: OrderedDict[TileKey, QImage] = OrderedDict()

    def __len__(self) -> int:
        return len(self._images)

    def __contains__(self, key: TileKey) -> bool:
        return key in self._images

    def get(self, key: TileKey) -> QImage | None:
        """Return the exact picture and count it as used."""
        image = self._images.get(key)
        if image is not None:
            self._images.move_to_end(key)
        return image

    def put(self, key: TileKey, image: QImage) -> None:
        """Keep a picture; what was used longest ago makes room."""
        self._drop(key)
        self._images[key] = image
        self.bytes += image.sizeInBytes()
        while self.bytes > self.limit and len(self._images) > 1:
            self._drop(next(iter(self._images)))

    def closest(self, page: int, scale: float, tint: Tint | None) -> tuple[TileKey, QImage] | None:
        """Return the picture of the whole page whose scale is nearest, to show until the right one comes."""
        fitting = [key for key in self._images if key.whole and key.page == page and key.tint == tint]
        if not fitting:
            return None
        best = min(fitting, key=lambda key: max(key.scale / scale, scale / key.scale))
        self._images.move_to_end(best)
        return best, self._images[best]

    def clear(self) -> None:
        """Forget everything."""
        self._images.clear()
        self.bytes = 0

    def _drop(self, key: TileKey) -> None:
        image = self._images.pop(key, None)
        if image is not None:
            self.bytes -= image.sizeInBytes()
