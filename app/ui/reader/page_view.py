"""The pages of a paper in one long column: scroll, zoom, select. Paints only what shows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)  # fmt: skip
from PySide6.QtWidgets import QWidget

from app.documents.geometry import PageGeometry
from app.records.ids import NoteId
from app.ui.reader.drawing_queue import DrawingQueue
from app.ui.reader.layout import PageColumn, Place
from app.ui.reader.marks import Mark, MarkKind
from app.ui.reader.page_painter import PageSight, paint_page, tint_for
from app.ui.reader.page_scroll import ZOOM_STEP, Fit, PageScroll
from app.ui.reader.page_source import PageSource, TextStore
from app.ui.reader.picture_supply import PictureSupply, Wanted
from app.ui.reader.selecting import Selecting
from app.ui.reader.selection import Selection
from app.ui.reader.tiles import PictureCache
from app.ui.tasks import Tasks
from app.ui.theme import theme, tokens

__all__ = ["ZOOM_STEP", "Fit", "PdfView"]

PLACEHOLDER_AFTER_S = 0.15
FIRST_GEOMETRIES, GEOMETRIES_AT_ONCE = 8, 200
REFRESH_MS, FLING_REST_MS = 15, 60
FLING_S = 0.12
"""Two leaps of half a screen within this time are a fling."""


class PdfView(PageScroll):
    """Shows a `PageSource`. All work is done by its tasks; the widget itself only paints."""

    selection_changed = Signal()
    note_clicked = Signal(str)
    page_failed = Signal(int)
    failed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.texts: TextStore | None = None
        self.dark_pages = False
        self.chosen_note: NoteId | None = None
        self.selecting = Selecting(self)
        self.pictures = PictureSupply(self)
        self._source: PageSource | None = None
        self._marks: dict[int, list[Mark]] = {}
        self._pending_place: Place | None = None
        self._learnt = asyncio.Event()
        self._tasks = Tasks(self.failed.emit)
        self._scrolled_to, self._leapt_at = 0, 0.0
        self._refresh_soon = QTimer(self, singleShot=True)
        self._refresh_soon.timeout.connect(self._refresh)
        self._repaint_late = QTimer(self, singleShot=True, interval=round(PLACEHOLDER_AFTER_S * 1000) + 20)
        self._repaint_late.timeout.connect(self.viewport().update)
        self.pictures.came.connect(self._picture_came)
        self.pictures.page_failed.connect(self._page_failed)
        self.setAccessibleName(self.tr("Pages"))
        self.viewport().setMouseTracking(True)
        theme().changed.connect(self.viewport().update)

    # -- the document

    def show_source(self, source: PageSource, place: Place | None = None) -> None:
        """Show a document, at a place kept from last time."""
        self.close_source()
        self._source = source
        self.column = PageColumn(source.pages)
        self.texts = TextStore(source)
        self._pending_place = place
        self._tasks.start(self.pictures.open(source.draw).run())
        self._tasks.start(self._learn_geometries(source, place.page if place else 0))

    def close_source(self) -> None:
        """Stop all work and show nothing."""
        self._tasks.cancel_all()
        if self.texts is not None:
            self.texts.close()
        self._source = self.texts = None
        self.column = PageColumn(0)
        self.pictures.close()
        self._marks.clear()
        self.selecting.clear()
        self._current = -1
        self.update_bars()

    @property
    def source(self) -> PageSource | None:
        """The document that is shown."""
        return self._source

    @property
    def queue(self) -> DrawingQueue | None:
        """What is being drawn."""
        return self.pictures.queue

    @property
    def cache(self) -> PictureCache:
        """The pictures at hand."""
        return self.pictures.cache

    async def page_known(self, page: int) -> None:
        """Wait until it is known how large a page is."""
        while self._source is not None and not self.column.known[page]:
            self._learnt.clear()
            await self._learnt.wait()

    async def _learn_geometries(self, source: PageSource, around: int) -> None:
        """Ask for page sizes near the reader first, then for all others."""
        near, span = around, FIRST_GEOMETRIES
        while (stretch := self.column.unknown_near(near, span)) is not None:
            self._take_geometries(stretch[0], await source.geometries(*stretch))
            near, span = self.current_page, GEOMETRIES_AT_ONCE

    def _take_geometries(self, start: int, geometries: Sequence[PageGeometry]) -> None:
        first = not any(self.column.known)
        kept = self._pending_place or self.place()
        moved = self.column.learn(start, geometries)
        self._learnt.set()
        if first:
            self.apply_fit()
        if moved or first:
            self.update_bars()
            if first or kept.page > 0 or kept.down > 0:
                super().go_to(kept)
        self._pending_place = None
        self._shifted()

    def go_to(self, place: Place) -> None:
        """Put a place at the upper edge of the viewport, as soon as it is known where that is."""
        if any(self.column.known):
            super().go_to(place)
        else:
            self._pending_place = place

    # -- marks and selection

    def set_marks(self, kinds: Iterable[MarkKind], marks: Iterable[Mark]) -> None:
        """Replace all marks of these kinds."""
        gone = set(kinds)
        kept = [mark for row in self._marks.values() for mark in row if mark.kind not in gone]
        self._marks = {}
        for mark in (*kept, *marks):
            self._marks.setdefault(mark.page, []).append(mark)
        self.viewport().update()

    def marks_on(self, page: int) -> Sequence[Mark]:
        """Return what is marked on a page."""
        return self._marks.get(page, ())

    def note_at(self, spot: QPointF) -> NoteId | None:
        """Return the note whose highlight lies under a spot of the viewport."""
        located = self.locate(spot)
        if located is None:
            return None
        page, point = located
        hits = (m for m in reversed(self._marks.get(page, [])) if m.note_id is not None and m.holds(point))
        return next((mark.note_id for mark in hits), None)

    def choose_note(self, note_id: NoteId | None) -> None:
        """Draw an edge around the highlight of a note."""
        self.chosen_note = note_id
        self.viewport().update()

    @property
    def selection(self) -> Selection | None:
        """What is selected, if anything."""
        return self.selecting.selection

    def selected_text(self) -> str:
        """Return the selected text, clean as it is copied."""
        if self.selection is None or self.texts is None:
            return ""
        return self.selection.text(self.texts.layers)

    # -- pictures

    def retry(self, page: int) -> None:
        """Draw a page again that could not be drawn."""
        self.pictures.retry(page)
        self._shifted()

    @property
    def settled(self) -> bool:
        """True when every visible page shows its right picture (or is known to have none)."""
        if self.queue is None or not any(self.column.known):
            return False
        return not self.pictures.missing(self._wishes(0), tint_for(self.dark_pages))

    def set_dark_pages(self, dark: bool) -> None:
        """Show pages softly inverted."""
        self.dark_pages = dark
        self._shifted()

    def _wishes(self, ahead: int) -> list[Wanted]:
        """What shows, from the middle outwards, and `ahead` pages on either side."""
        visible = self.visible_pages()
        if not visible:
            return []
        middle = (visible[0] + visible[-1]) / 2
        pages = sorted(visible, key=lambda page: abs(page - middle))
        pages += [p for step in range(1, ahead + 1) for p in (visible[-1] + step, visible[0] - step)]
        area = QRectF(self.viewport().rect())
        return [
            Wanted.of(page, self.page_rect(page), area, self.ratio, self.column.scale)
            for page in pages
            if 0 <= page < len(self.column) and self.column.known[page]
        ]

    def _refresh(self) -> None:
        """Ask for the pictures of what shows now, and then for its words."""
        if self.texts is None or not self.isVisible():
            return
        if self.pictures.want(self._wishes(1), tint_for(self.dark_pages)):
            self._repaint_late.start()
            return
        for page in self.visible_pages():
            if page not in self.texts and self.column.known[page]:
                self._tasks.start(self._fetch_text(page), f"text {page}")

    async def _fetch_text(self, page: int) -> None:
        if self.texts is not None:
            layer = await self.texts.load(page)
            if page == self.current_page:
                self.viewport().setAccessibleDescription(layer.text)
            self.selecting.text_came(page)

    def _picture_came(self, page: int) -> None:
        if page in self.visible_pages():
            self.viewport().update()
        self._schedule()

    def _page_failed(self, page: int) -> None:
        self.page_failed.emit(page)
        self.viewport().update()
        self._schedule()

    def _schedule(self) -> None:
        if not self._refresh_soon.isActive():
            self._refresh_soon.start(REFRESH_MS)

    def _shifted(self) -> None:
        """Ask for pictures at once after one step; in a fling, only when it comes to rest."""
        super()._shifted()
        now, at = time.monotonic(), self.verticalScrollBar().value()
        leapt = abs(at - self._scrolled_to) > self.viewport().height() / 2
        self._scrolled_to = at
        if leapt and now - self._leapt_at < FLING_S:
            self._refresh_soon.start(FLING_REST_MS)
        else:
            self._schedule()
        if leapt:
            self._leapt_at = now

    # -- events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), tokens().colour("sunken"))
        for page in self.visible_pages():
            paint_page(painter, self._sight(page), self.cache)
        if self.hasFocus():
            painter.setPen(QPen(tokens().colour("accent"), 1))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def _sight(self, page: int) -> PageSight:
        return PageSight(
            page=page,
            geometry=self.column.pages[page],
            scale=self.column.scale,
            ratio=self.ratio,
            rect=self.page_rect(page),
            size=self.page_pixels(page),
            dark=self.dark_pages,
            waiting=self.pictures.waits(page, PLACEHOLDER_AFTER_S),
            marks=self._marks.get(page, ()),
            chosen=self.chosen_note,
            selected=self.selecting.quads_on(page),
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._schedule()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.cache.clear()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.selecting.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.selecting.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.selecting.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.selecting.double_click(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.selecting.key(event):
            return
        bar, key = self.verticalScrollBar(), event.key()
        step = max(1, self.viewport().height() - 48)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match key:
            case Qt.Key.Key_Space:
                bar.setValue(bar.value() + (-step if shift else step))
            case Qt.Key.Key_PageDown | Qt.Key.Key_PageUp:
                bar.setValue(bar.value() + (step if key == Qt.Key.Key_PageDown else -step))
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                bar.setValue(0 if key == Qt.Key.Key_Home else bar.maximum())
            case Qt.Key.Key_Left | Qt.Key.Key_Right if not self.horizontalScrollBar().maximum():
                self.go_to_page(self.current_page + (1 if key == Qt.Key.Key_Right else -1))
            case _:
                super().keyPressEvent(event)
