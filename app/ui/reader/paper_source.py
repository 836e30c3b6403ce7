"""A PDF of the library as the page view wants it: pictures through shared memory, words in user space."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from app.documents.geometry import PageGeometry
from app.documents.pictures import BYTES_PER_PIXEL, Picture
from app.ui.reader.text_layer import TextLayer, Word
from app.ui.reader.tiles import TILE, WHOLE_PAGE_PIXELS, TileKey

if TYPE_CHECKING:
    from app.documents.client import PdfClient
    from app.documents.inspection import Inspection

DRAW_TIMEOUT_S = 12.0
"""A page that takes longer is set aside with a message, and the worker is replaced."""

BLOCK_BYTES = max(WHOLE_PAGE_PIXELS, TILE * TILE) * BYTES_PER_PIXEL


class PaperSource:
    """One open file. `password` was tried and fits (or is None). Close it when its tab closes."""

    draw_timeout_s = DRAW_TIMEOUT_S

    def __init__(
        self, pdf: PdfClient, path: Path, inspection: Inspection, password: str | None = None
    ) -> None:
        self.path = path
        self.pages = inspection.page_count
        self.labels: Sequence[str] = inspection.labels
        self._pdf, self._password = pdf, password
        self._block: SharedMemory | None = None
        self._one_at_a_time = asyncio.Lock()

    async def geometries(self, first: int, last: int) -> Sequence[PageGeometry]:
        """Return where the pages `[first, last)` lie."""
        return await self._pdf.geometries(self.path, first, last, self._password)

    async def draw(self, key: TileKey) -> QImage:
        """Return one picture, with its own copy of the pixels."""
        picture = Picture(key.page, key.scale, None if key.whole else key.rect, key.tint)
        async with self._one_at_a_time:
            block = self._shared()
            drawn = await self._pdf.render(
                self.path, picture, block.name, self._password, timeout=self.draw_timeout_s
            )
            with memoryview(block.buf or b"")[: drawn.stride * drawn.height] as pixels:
                shared = QImage(
                    pixels, drawn.width, drawn.height, drawn.stride, QImage.Format.Format_ARGB32_Premultiplied
                )
                image = shared.copy()
                del shared
        return image

    async def text(self, page: int) -> TextLayer:
        """Return the words of a page."""
        words = await self._pdf.page_text(self.path, page, self._password)
        return TextLayer(
            words.text, [Word(w.start, w.end, w.quad, w.edges) for w in words.words], words.body_end
        )

    def close(self) -> None:
        """Give the shared memory back."""
        if self._block is not None:
            self._block.close()
            self._block.unlink()
            self._block = None

    def _shared(self) -> SharedMemory:
        if self._block is None:
            self._block = SharedMemory(create=True, size=BLOCK_BYTES)
        return self._block
