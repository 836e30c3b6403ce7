"""What the page view asks of a document, and the texts of its pages kept at hand."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtGui import QImage

from app.documents.geometry import PageGeometry
from app.ui.reader.text_layer import TextLayer
from app.ui.reader.tiles import TileKey

KEPT_TEXTS = 200


class PageSource(Protocol):
    """One open document; everything comes from a worker and may raise AppError."""

    @property
    def pages(self) -> int:
        """How many pages it has."""

    @property
    def labels(self) -> Sequence[str]:
        """What is printed on each page, one for every page."""

    async def geometries(self, first: int, last: int) -> Sequence[PageGeometry]:
        """Return where the pages `[first, last)` lie."""

    async def draw(self, key: TileKey) -> QImage:
        """Return one picture."""

    async def text(self, page: int) -> TextLayer:
        """Return the words of a page."""


class TextStore:
    """Texts of pages, each fetched once; those used longest ago are let go."""

    def __init__(self, source: PageSource) -> None:
        self._source = source
        self._layers: OrderedDict[int, TextLayer] = OrderedDict()
        self._coming: dict[int, asyncio.Task[TextLayer]] = {}

    def get(self, page: int) -> TextLayer | None:
        """Return the text of a page if it is here."""
        layer = self._layers.get(page)
        if layer is not None:
            self._layers.move_to_end(page)
        return layer

    def __contains__(self, page: int) -> bool:
        return page in self._layers

    @property
    def layers(self) -> Mapping[int, TextLayer]:
        """All texts that are here."""
        return self._layers

    async def load(self, page: int) -> TextLayer:
        """Return the text of a page, fetching it if need be; callers share one request."""
        layer = self.get(page)
        if layer is not None:
            return layer
        task = self._coming.get(page)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._source.text(page))
            self._coming[page] = task
            task.add_done_callback(lambda done: self._arrived(page, done))
        return await asyncio.shield(task)

    def close(self) -> None:
        """Stop fetching."""
        for task in list(self._coming.values()):
            task.cancel()

    def _arrived(self, page: int, task: asyncio.Task[TextLayer]) -> None:
        self._coming.pop(page, None)
        if task.cancelled() or task.exception() is not None:
            return
        self._layers[page] = task.result()
        while len(self._layers) > KEPT_TEXTS:
            self._layers.popitem(last=False)
