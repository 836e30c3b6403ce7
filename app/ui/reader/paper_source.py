"""A PDF of the library as the page view wants it: pictures through shared memory, words in user space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from app.documents.geometry import PageGeometry
from app.documents.pictures import Picture
from app.ui.reader.text_layer import TextLayer, Word
from app.ui.reader.tiles import TileKey

if TYPE_CHECKING:
    from app.documents.client import PdfClient
    from app.documents.inspection import OutlineItem

DRAW_TIMEOUT_S = 12.0
"""A page that takes longer is set aside with a message, and the worker is replaced."""


@dataclass(frozen=True, slots=True)
class PaperSource:
    """One open file. `password` was tried and fits (or is None)."""

    pdf: PdfClient
    path: Path
    pages: int
    labels: Sequence[str]
    outline: Sequence[OutlineItem] = ()
    password: str | None = None
    draw_timeout_s: float = DRAW_TIMEOUT_S

    async def geometries(self, first: int, last: int) -> Sequence[PageGeometry]:
        """Return where the pages `[first, last)` lie."""
        return await self.pdf.boxes(self.path, first, last, self.password)

    async def draw(self, key: TileKey) -> QImage:
        """Return one picture, its own copy of the pixels."""
        picture = Picture(key.page, key.scale, None if key.whole else key.rect, key.tint)
        drawn = await self.pdf.render(self.path, picture, self.password, timeout=self.draw_timeout_s)
        image = QImage(
            drawn.data,
            drawn.width,
            drawn.height,
            drawn.stride,
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        return image.copy()

    async def text(self, page: int) -> TextLayer:
        """Return the words of a page."""
        words = await self.pdf.page_text(self.path, page, self.password)
        return TextLayer(words.text, [Word(w.start, w.end, w.quad) for w in words.words])
