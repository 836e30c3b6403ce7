"""A scroll area over a column of pages: where things lie, jumps, zoom. Knows no document and no pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.documents.geometry import POINTS_PER_INCH, SCREEN_DPI, quad_bounds
from app.documents.pictures import pixel_length
from app.records.passage import Point, Quad
from app.ui.reader import layout
from app.ui.reader.layout import PageColumn, Place

ZOOM_LEAST, ZOOM_MOST, ZOOM_STEP = 0.02, 16.0, 1.2
MARGIN_ABOVE_TARGET = 0.28
"""A jump puts its target this share of the viewport below the upper edge."""

CURRENT_AT = 0.35
"""The current page is the one this share of the viewport below the upper edge."""


class Fit(Enum):
    """What the zoom follows when the window changes its size."""

    FREE = "free"
    WIDTH = "width"
    PAGE = "page"


class PageScroll(QAbstractScrollArea):
    """Lengths are logical pixels of the viewport; points of a page are in PDF user space."""

    page_changed = Signal(int)
    zoom_changed = Signal(float)
    moved = Signal()
    """Pages lie elsewhere in the viewport: whoever floats over them has to follow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.column = PageColumn(0)
        self.zoom, self.fit = 1.0, Fit.WIDTH
        self.cards = False
        self.ratio = self.devicePixelRatioF()
        self._current = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)

    # -- where we are

    @property
    def current_page(self) -> int:
        """The page in the upper middle of the viewport."""
        return self.column.page_at(self.verticalScrollBar().value() + self.viewport().height() * CURRENT_AT)

    def visible_pages(self) -> range:
        """The pages that show."""
        top = self.verticalScrollBar().value()
        return self.column.visible(top, top + self.viewport().height())

    def place(self) -> Place:
        """Return the place at the upper edge of the viewport, to come back to."""
        return self.column.place_at(self.verticalScrollBar().value()) if len(self.column) else Place(0)

    def page_rect(self, page: int) -> QRectF:
        """Return where a page lies in the viewport, on whole device pixels."""
        left = layout.left_of_page(self.column.width(page), self._content_width(), self.cards)
        left -= self.horizontalScrollBar().value()
        top = self.column.top(page) - self.verticalScrollBar().value()
        width, height = self.page_pixels(page)
        ratio = self.ratio
        return QRectF(round(left * ratio) / ratio, round(top * ratio) / ratio, width / ratio, height / ratio)

    def page_pixels(self, page: int) -> tuple[int, int]:
        """Return the size of a page in device pixels."""
        width, height = self.column.pages[page].size
        scale = self.column.scale * self.ratio
        return pixel_length(width, scale), pixel_length(height, scale)

    def quads_rect(self, page: int, quads: Sequence[Quad]) -> QRectF | None:
        """Return the box around quads of a page in the viewport."""
        if not quads or page >= len(self.column):
            return None
        affine = self.column.pages[page].to_pixels(self.column.scale)
        boxes = [quad_bounds(affine, quad) for quad in quads]
        left, top = min(b[0] for b in boxes), min(b[1] for b in boxes)
        right, bottom = max(b[2] for b in boxes), max(b[3] for b in boxes)
        return QRectF(left, top, right - left, bottom - top).translated(self.page_rect(page).topLeft())

    def locate(self, spot: QPointF) -> tuple[int, Point] | None:
        """Return the page under (or nearest to) a spot of the viewport, and the point in its user space."""
        if not len(self.column):
            return None
        page = self.column.page_at(self.verticalScrollBar().value() + spot.y())
        local = spot - self.page_rect(page).topLeft()
        return page, self.column.pages[page].from_pixels(self.column.scale).apply((local.x(), local.y()))

    # -- jumps

    def go_to(self, place: Place) -> None:
        """Put a place at the upper edge of the viewport."""
        self.verticalScrollBar().setValue(self.column.y_of(place))

    def go_to_page(self, page: int) -> None:
        """Show a page from its upper edge."""
        if len(self.column):
            page = min(max(0, page), len(self.column) - 1)
            self.go_to(Place(page, -layout.TOP / 2 / self.column.height(page)))

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

    # -- zoom

    def set_zoom(self, zoom: float, around: QPointF | None = None) -> None:
        """Zoom (1.0 is the size on paper), keeping what lies under `around` in place."""
        if math.isfinite(zoom):
            self.fit = Fit.FREE
            self._rescale(zoom, around)

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Zoom in or out by a factor."""
        self.set_zoom(self.zoom * factor, around)

    def set_fit(self, fit: Fit) -> None:
        """Let the zoom follow the width or the height of the viewport."""
        self.fit = fit
        self.apply_fit()

    def set_cards(self, cards: bool) -> None:
        """Say whether note cards need room beside the pages."""
        if cards != self.cards:
            self.cards = cards
            self.apply_fit()
            self._shifted()

    def apply_fit(self) -> None:
        """Zoom as the fit wants it now."""
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
        pages = len(self.column) > 0
        anchor = self.column.place_at(down.value() + spot.y()) if pages else Place(0)
        before = self.page_rect(anchor.page) if pages else QRectF(0, 0, 1, 1)
        share = (spot.x() - before.left()) / max(1.0, before.width())
        stay_on_top = down.value() == 0 and around is None
        self.zoom = zoom
        self.column.rescale(zoom * SCREEN_DPI / POINTS_PER_INCH)
        self.update_bars()
        if pages:
            down.setValue(0 if stay_on_top else round(self.column.y_of(anchor) - spot.y()))
            now = self.page_rect(anchor.page)
            across.setValue(round(across.value() + now.left() + share * now.width() - spot.x()))
        self.zoom_changed.emit(zoom)
        self._shifted()

    def update_bars(self) -> None:
        """Give the scroll bars the range of the pages as they lie now."""
        area = self.viewport().size()
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        down.setRange(0, max(0, self.column.total_height - area.height()))
        down.setPageStep(area.height())
        down.setSingleStep(48)
        across.setRange(0, max(0, self._content_width() - area.width()))
        across.setPageStep(area.width())
        across.setSingleStep(48)

    def _content_width(self) -> int:
        widest, area = self.column.widest, self.viewport().width()
        return area if widest <= area else widest + 2 * layout.SIDE

    # -- events

    def _scrolled(self) -> None:
        page = self.current_page
        if page != self._current and len(self.column):
            self._current = page
            self.page_changed.emit(page)
        self._shifted()

    def _shifted(self) -> None:
        """Something moved: paint anew, and tell who floats over the pages."""
        self.viewport().update()
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.fit is Fit.FREE:
            self.update_bars()
            self._shifted()
        else:
            self.apply_fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.ratio = self.devicePixelRatioF()
            self._shifted()
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (event.angleDelta().y() / 120), event.position())
            event.accept()
        else:
            super().wheelEvent(event)
