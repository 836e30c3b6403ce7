"""The pages of a paper in one long column: scroll, zoom, select. Paints only what shows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from enum import Enum

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.documents.geometry import POINTS_PER_INCH, SCREEN_DPI, PageGeometry, quad_bounds
from app.documents.pictures import pixel_length
from app.errors import AppError
from app.records.ids import NoteId
from app.records.passage import Point, Quad
from app.ui.reader import layout
from app.ui.reader.drawing_queue import DrawingQueue
from app.ui.reader.layout import PageColumn, Place
from app.ui.reader.marks import Mark, MarkKind
from app.ui.reader.page_painter import PageSight, paint_page, tint_for
from app.ui.reader.page_source import PageSource, TextStore
from app.ui.reader.selecting import Selecting
from app.ui.reader.selection import Selection
from app.ui.reader.tiles import PictureCache, TileKey, overlaps, tiles_of
from app.ui.tasks import Tasks
from app.ui.theme import theme, tokens

ZOOM_LEAST, ZOOM_MOST, ZOOM_STEP = 0.08, 16.0, 1.2
PLACEHOLDER_AFTER_S = 0.15
GEOMETRIES_AT_ONCE = 200
MARGIN_ABOVE_TARGET = 0.28
"""A jump puts its target this share of the viewport below the upper edge."""


class Fit(Enum):
    """What the zoom follows when the window changes its size."""

    FREE = "free"
    WIDTH = "width"
    PAGE = "page"


class PdfView(QAbstractScrollArea):
    """Shows a `PageSource`. All work is done by its tasks; the widget itself only paints."""

    page_changed = Signal(int)
    zoom_changed = Signal(float)
    moved = Signal()
    """Pages lie elsewhere in the viewport: whoever floats over them has to follow."""
    selection_changed = Signal()
    note_clicked = Signal(str)
    page_failed = Signal(int)
    failed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.column = PageColumn(0)
        self.cache = PictureCache()
        self.queue: DrawingQueue | None = None
        self.texts: TextStore | None = None
        self.zoom, self.fit = 1.0, Fit.WIDTH
        self.dark_pages = False
        self.cards = False
        self.chosen_note: NoteId | None = None
        self.selecting = Selecting(self)
        self._source: PageSource | None = None
        self._marks: dict[int, list[Mark]] = {}
        self._current = -1
        self._first_wanted: dict[int, float] = {}
        self._pending_place: Place | None = None
        self._learnt = asyncio.Event()
        self._ratio = self.devicePixelRatioF()
        self._tasks = Tasks(self.failed.emit)
        self._refresh_soon = QTimer(self, singleShot=True, interval=15)
        self._refresh_soon.timeout.connect(self._refresh)
        self._repaint_late = QTimer(self, singleShot=True, interval=round(PLACEHOLDER_AFTER_S * 1000) + 20)
        self._repaint_late.timeout.connect(self.viewport().update)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Pages"))
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        theme().changed.connect(self.viewport().update)

    # -- the document

    def show_source(self, source: PageSource, place: Place | None = None) -> None:
        """Show a document, at a place kept from last time."""
        self.close_source()
        self._source = source
        self.column = PageColumn(source.pages)
        self.texts = TextStore(source)
        self.queue = DrawingQueue(source.draw, self._picture_came, self._page_failed)
        self._pending_place = place
        self._tasks.start(self.queue.run())
        self._tasks.start(self._learn_geometries(source, place.page if place else 0))

    def close_source(self) -> None:
        """Stop all work and show nothing."""
        self._tasks.cancel_all()
        if self.texts is not None:
            self.texts.close()
        self._source = self.queue = self.texts = None
        self.column = PageColumn(0)
        self.cache.clear()
        self._marks.clear()
        self.selecting.clear()
        self._current = -1
        self._update_bars()

    @property
    def source(self) -> PageSource | None:
        """The document that is shown."""
        return self._source

    async def _learn_geometries(self, source: PageSource, around: int) -> None:
        """Ask for page sizes near the reader first, then for all others."""
        first = True
        while True:
            page = around if first else self.current_page
            stretch = self.column.unknown_near(page, 8 if first else GEOMETRIES_AT_ONCE)
            if stretch is None:
                return
            known = await source.geometries(*stretch)
            self._take_geometries(stretch[0], known, first)
            first = False

    def _take_geometries(self, start: int, geometries: Sequence[PageGeometry], first: bool) -> None:
        kept = self._pending_place or self.place()
        if not self.column.learn(start, geometries) and not first:
            self._learnt.set()
            self._schedule()
            return
        if first:
            self._apply_fit()
        self._update_bars()
        if first or kept.page > 0 or kept.down > 0:
            self._scroll_to(kept)
        self._pending_place = None
        self._learnt.set()
        self._schedule()
        self.moved.emit()

    async def page_known(self, page: int) -> None:
        """Wait until it is known how large a page is."""
        while self._source is not None and not self.column.known[page]:
            self._learnt.clear()
            await self._learnt.wait()

    # -- where we are

    @property
    def current_page(self) -> int:
        """The page that fills the upper middle of the viewport."""
        return self.column.page_at(self.verticalScrollBar().value() + self.viewport().height() * 0.35)

    def place(self) -> Place:
        """Return the place at the upper edge of the viewport, to come back to."""
        return self.column.place_at(self.verticalScrollBar().value()) if len(self.column) else Place(0)

    def go_to(self, place: Place) -> None:
        """Put a place at the upper edge of the viewport."""
        if not any(self.column.known):
            self._pending_place = place
            return
        self._scroll_to(place)

    def go_to_page(self, page: int) -> None:
        """Show a page from its upper edge."""
        self.go_to(Place(page, -layout.TOP / 2 / max(1, self.column.height(page)) if len(self.column) else 0))

    def go_to_quads(self, page: int, quads: Sequence[Quad]) -> None:
        """Bring quads of a page into sight; nothing moves when they show already."""
        box = self.quads_rect(page, quads)
        if box is None:
            self.go_to_page(page)
            return
        area = QRectF(self.viewport().rect()).adjusted(0, 24, 0, -24)
        if not (area.top() <= box.top() and box.bottom() <= area.bottom()):
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() + box.top() - area.height() * MARGIN_ABOVE_TARGET))
        if not (area.left() <= box.left() and box.right() <= area.right()):
            across = self.horizontalScrollBar()
            across.setValue(round(across.value() + box.left() - layout.SIDE))

    def page_rect(self, page: int) -> QRectF:
        """Return where a page lies in the viewport, in logical pixels."""
        return self._sight(page).rect

    def quads_rect(self, page: int, quads: Sequence[Quad]) -> QRectF | None:
        """Return the box around quads of a page in the viewport."""
        if not quads or page >= len(self.column):
            return None
        affine = self.column.pages[page].to_pixels(self.column.scale)
        boxes = [quad_bounds(affine, quad) for quad in quads]
        left, top = min(b[0] for b in boxes), min(b[1] for b in boxes)
        right, bottom = max(b[2] for b in boxes), max(b[3] for b in boxes)
        return QRectF(left, top, right - left, bottom - top).translated(self.page_rect(page).topLeft())

    def visible_pages(self) -> range:
        """The pages that show."""
        top = self.verticalScrollBar().value()
        return self.column.visible(top, top + self.viewport().height())

    def locate(self, spot: QPointF) -> tuple[int, Point] | None:
        """Return the page under (or nearest to) a spot of the viewport, and the point in its user space."""
        if not len(self.column):
            return None
        page = self.column.page_at(self.verticalScrollBar().value() + spot.y())
        local = spot - self.page_rect(page).topLeft()
        return page, self.column.pages[page].from_pixels(self.column.scale).apply((local.x(), local.y()))

    def _scroll_to(self, place: Place) -> None:
        self.verticalScrollBar().setValue(self.column.y_of(place))

    # -- zoom

    def set_zoom(self, zoom: float, around: QPointF | None = None) -> None:
        """Zoom (1.0 is the size on paper), keeping what lies under `around` in place."""
        self.fit = Fit.FREE
        self._rescale(zoom, around)

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Zoom in or out by a factor."""
        self.set_zoom(self.zoom * factor, around)

    def set_fit(self, fit: Fit) -> None:
        """Let the zoom follow the width or the height of the viewport."""
        self.fit = fit
        self._apply_fit()

    def set_cards(self, cards: bool) -> None:
        """Say whether note cards need room beside the pages."""
        if cards != self.cards:
            self.cards = cards
            self._apply_fit()
            self.viewport().update()
            self.moved.emit()

    def _apply_fit(self) -> None:
        if not len(self.column) or self.fit is Fit.FREE:
            return
        size = self.column.pages[min(max(self._current, 0), len(self.column) - 1)].size
        area = self.viewport().size()
        if self.fit is Fit.WIDTH:
            scale = layout.fit_width(size[0], area.width(), self.cards)
        else:
            scale = layout.fit_page(size, (area.width(), area.height()))
        self._rescale(scale * POINTS_PER_INCH / SCREEN_DPI, None)

    def _rescale(self, zoom: float, around: QPointF | None) -> None:
        zoom = min(max(zoom, ZOOM_LEAST), ZOOM_MOST)
        spot = around if around is not None else QPointF(self.viewport().width() / 2, 0)
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        anchor = self.column.place_at(down.value() + spot.y()) if len(self.column) else Place(0)
        left = self.page_rect(anchor.page) if len(self.column) else QRectF(0, 0, 1, 1)
        share = (spot.x() - left.left()) / max(1.0, left.width())
        at_top = down.value() == 0 and around is None
        self.zoom = zoom
        self.column.rescale(zoom * SCREEN_DPI / POINTS_PER_INCH)
        self._update_bars()
        if len(self.column):
            down.setValue(0 if at_top else round(self.column.y_of(anchor) - spot.y()))
            now = self.page_rect(anchor.page)
            across.setValue(round(across.value() + now.left() + share * now.width() - spot.x()))
        self.zoom_changed.emit(zoom)
        self.viewport().update()
        self._schedule()
        self.moved.emit()

    def _content_width(self) -> int:
        widest = self.column.widest
        area = self.viewport().width()
        return area if widest <= area else widest + 2 * layout.SIDE

    def _update_bars(self) -> None:
        area = self.viewport().size()
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        down.setRange(0, max(0, self.column.total_height - area.height()))
        down.setPageStep(area.height())
        down.setSingleStep(48)
        across.setRange(0, max(0, self._content_width() - area.width()))
        across.setPageStep(area.width())
        across.setSingleStep(48)

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
        if self.queue is not None:
            self.queue.retry(page)
            self._first_wanted.pop(page, None)
            self.moved.emit()
            self.viewport().update()
            self._schedule()

    @property
    def settled(self) -> bool:
        """True when every visible page shows its right picture (or is known to have none)."""
        return self.queue is not None and any(self.column.known) and not self._wanted_now(0)

    def set_dark_pages(self, dark: bool) -> None:
        """Show pages softly inverted."""
        self.dark_pages = dark
        self.viewport().update()
        self._schedule()

    def _sight(self, page: int) -> PageSight:
        geometry, scale, ratio = self.column.pages[page], self.column.scale, self._ratio
        width, height = geometry.size
        left = layout.left_of_page(self.column.width(page), self._content_width(), self.cards)
        since = self._first_wanted.get(page)
        return PageSight(
            page, geometry, scale, ratio,
            left=left - self.horizontalScrollBar().value(),
            top=self.column.top(page) - self.verticalScrollBar().value(),
            size=(pixel_length(width, scale * ratio), pixel_length(height, scale * ratio)),
            dark=self.dark_pages,
            waiting=since is not None and time.monotonic() - since > PLACEHOLDER_AFTER_S,
            marks=self._marks.get(page, ()),
            chosen=self.chosen_note,
            selected=self.selecting.quads_on(page),
        )  # fmt: skip

    def _schedule(self) -> None:
        if not self._refresh_soon.isActive():
            self._refresh_soon.start()

    def _refresh(self) -> None:
        """Tell the queue what the person looks at, and fetch the words of those pages."""
        if self.queue is None or self.texts is None or not self.isVisible():
            return
        wanted = self._wanted_now(1)
        self.queue.want(wanted)
        now, visible = time.monotonic(), self.visible_pages()
        missing = {key.page for key in wanted if key.page in visible}
        self._first_wanted = {page: self._first_wanted.get(page, now) for page in missing}
        if missing:
            self._repaint_late.start()
        else:
            for page in visible:
                if page not in self.texts and self.column.known[page]:
                    self._tasks.start(self._fetch_text(page))

    async def _fetch_text(self, page: int) -> None:
        if self.texts is not None:
            layer = await self.texts.load(page)
            if page == self.current_page:
                self.viewport().setAccessibleDescription(layer.text)
            self.selecting.text_came(page)

    def _wanted_now(self, ahead: int) -> list[TileKey]:
        visible = self.visible_pages()
        if self.queue is None or not visible:
            return []
        around = [p for step in range(1, ahead + 1) for p in (visible[-1] + step, visible[0] - step)]
        middle = (visible[0] + visible[-1]) / 2
        pages = [*sorted(visible, key=lambda page: abs(page - middle)), *around]
        return [key for page in pages for key in self._missing_tiles(page, page in visible)]

    def _missing_tiles(self, page: int, shows: bool) -> list[TileKey]:
        if not (0 <= page < len(self.column)) or not self.column.known[page]:
            return []
        if self.queue is not None and page in self.queue.failed:
            return []
        sight = self._sight(page)
        keys = list(tiles_of(page, sight.size, sight.scale * sight.ratio, tint_for(sight.dark)))
        if len(keys) > 1:
            if not shows:
                return []
            origin, area = sight.rect.topLeft() * sight.ratio, self.viewport().size() * sight.ratio
            left, top = round(-origin.x()), round(-origin.y())
            window = (left, top, left + area.width(), top + area.height())
            keys = [key for key in keys if overlaps(key.rect, window)]
        return [key for key in keys if key not in self.cache]

    def _picture_came(self, key: TileKey, image: QImage) -> None:
        self.cache.put(key, image)
        self._first_wanted.pop(key.page, None)
        if key.page in self.visible_pages():
            self.viewport().update()
        self._schedule()

    def _page_failed(self, page: int, error: AppError) -> None:
        self._first_wanted.pop(page, None)
        self.page_failed.emit(page)
        self.viewport().update()
        self._schedule()

    # -- events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), tokens().colour("sunken"))
        for page in self.visible_pages():
            paint_page(painter, self._sight(page), self.cache)
        if self.hasFocus():
            painter.setPen(QPen(tokens().colour("accent"), 1))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def _scrolled(self) -> None:
        page = self.current_page
        if page != self._current and len(self.column):
            self._current = page
            self.page_changed.emit(page)
        self.viewport().update()
        self._schedule()
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.fit is Fit.FREE:
            self._update_bars()
            self.moved.emit()
        else:
            self._apply_fit()
        self._schedule()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._schedule()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.cache.clear()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._ratio = self.devicePixelRatioF()
            self.viewport().update()
            self._schedule()
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (event.angleDelta().y() / 120), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

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
                ahead = 1 if key == Qt.Key.Key_Right else -1
                self.go_to_page(min(max(0, self.current_page + ahead), len(self.column) - 1))
            case _:
                super().keyPressEvent(event)
