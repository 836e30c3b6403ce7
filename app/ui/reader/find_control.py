"""Searches the open file page by page and keeps the view's marks and the find bar in step."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject

from app.ui.reader.find_bar import FindBar
from app.ui.reader.finding import Hit, Hits, occurrences, page_order
from app.ui.reader.marks import Mark, MarkKind
from app.ui.reader.page_view import PdfView
from app.ui.tasks import Tasks

_KINDS = (MarkKind.FOUND, MarkKind.FOUND_HERE)
SHOW_EVERY = 12
"""Pages between two updates of the screen while searching."""


class FindControl(QObject):
    """Between the bar and the view; a new search ends the one that runs."""

    def __init__(self, bar: FindBar, view: PdfView, tasks: Tasks) -> None:
        super().__init__(view)
        self.hits = Hits()
        self._bar, self._view, self._tasks = bar, view, tasks
        self._searching = False
        bar.words_changed.connect(self.search)
        bar.stepped.connect(self.step)
        bar.closed.connect(self.clear)

    def search(self, words: str) -> None:
        """Look for words from the page in sight on."""
        self._tasks.start(self._search(words), "find")

    def step(self, ahead: bool) -> None:
        """Go to the next or the previous hit."""
        hit = self.hits.step(ahead)
        if hit is not None:
            self._view.go_to_quads(hit.page, hit.quads)
        self._show()

    def clear(self) -> None:
        """Forget the hits."""
        self._tasks.cancel("find")
        self.hits = Hits()
        self._view.set_marks(_KINDS, ())
        self._view.setFocus()

    async def _search(self, words: str) -> None:
        view, texts = self._view, self._view.texts
        self.hits = Hits()
        start = view.current_page
        if texts is None or view.source is None or not words.strip():
            self._show()
            return
        self._searching = True
        try:
            for count, page in enumerate(page_order(view.source.pages, start)):
                layer = await texts.load(page)
                for span in occurrences(layer.text, words):
                    self.hits.add(Hit(page, *span, layer.quads(*span)))
                if self.hits.current is None and self.hits.all:
                    self._take_first(start)
                if count % SHOW_EVERY == 0:
                    self._show()
                await asyncio.sleep(0)
        finally:
            self._searching = False
        self._show()

    def _take_first(self, start: int) -> None:
        hit = self.hits.first_from(start)
        if hit is not None:
            self._view.go_to_quads(hit.page, hit.quads)
            self._show()

    def _show(self) -> None:
        current = self.hits.current
        marks = [
            Mark(MarkKind.FOUND_HERE if hit == current else MarkKind.FOUND, hit.page, hit.quads)
            for hit in self.hits.all
        ]
        self._view.set_marks(_KINDS, marks)
        self._bar.say(self.hits.number, len(self.hits.all), self._searching)
