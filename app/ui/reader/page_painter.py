"""Paint one page: sheet, picture (or the closest there is), marks, selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.documents.geometry import PageGeometry
from app.documents.pictures import Tint
from app.records.ids import NoteId
from app.records.passage import Quad
from app.ui.reader.marks import Mark, paint_mark, paint_selection
from app.ui.reader.tiles import PictureCache, TileKey, tiles_of
from app.ui.theme import DARK, LIGHT, Tokens

_SHADOWS = ((3, 1, 8), (2, 1, 12), (1, 0, 16))
"""Spread, drop and opacity of the strokes that make a sheet's soft shadow."""


@dataclass(frozen=True, slots=True)
class PageSight:
    """One page as it shows now. `rect` is the sheet in the viewport, on whole device pixels."""

    page: int
    geometry: PageGeometry
    scale: float
    ratio: float
    rect: QRectF
    size: tuple[int, int]
    """Device pixels of the whole page."""
    dark: bool
    waiting: bool
    """Nothing to show for longer than a moment: draw a placeholder."""
    marks: Sequence[Mark] = ()
    chosen: NoteId | None = None
    selected: Sequence[Quad] = field(default=())


def page_colours(dark: bool) -> Tokens:
    """Return the colours that a page is painted with."""
    return DARK if dark else LIGHT


def tint_for(dark: bool) -> Tint | None:
    """Return how a picture is tinted for a dark page."""
    return Tint(_rgb(DARK.paper), _rgb(DARK.text)) if dark else None


def paint_page(painter: QPainter, sight: PageSight, cache: PictureCache) -> None:
    """Paint the page."""
    colours = page_colours(sight.dark)
    rect = sight.rect
    _paint_shadow(painter, rect, colours)
    painter.fillRect(rect, colours.colour("paper"))
    painter.save()
    painter.setClipRect(rect)
    if not _paint_pictures(painter, sight, rect, cache) and sight.waiting:
        _paint_placeholder(painter, rect, colours)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    affine = sight.geometry.to_pixels(sight.scale)
    for mark in sorted(sight.marks, key=lambda mark: mark.kind.value):
        chosen = mark.note_id is not None and mark.note_id == sight.chosen
        paint_mark(painter, mark, affine, colours, chosen=chosen)
    if sight.selected:
        paint_selection(painter, sight.selected, affine, colours)
    painter.restore()


def _paint_pictures(painter: QPainter, sight: PageSight, rect: QRectF, cache: PictureCache) -> bool:
    """Paint what there is of the page; say whether that was anything."""
    scale, tint = sight.scale * sight.ratio, tint_for(sight.dark)
    keys = list(tiles_of(sight.page, sight.size, scale, tint))
    images = [(key, cache.get(key)) for key in keys]
    exact = [(key, image) for key, image in images if image is not None]
    closest = cache.closest(sight.page, scale, tint) if len(exact) < len(keys) else None
    if closest is not None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(rect, closest[1])
    for key, image in exact:
        _paint_tile(painter, key, image, rect.topLeft(), sight.ratio)
    return bool(exact) or closest is not None


def _paint_tile(painter: QPainter, key: TileKey, image: QImage, origin: QPointF, ratio: float) -> None:
    image.setDevicePixelRatio(ratio)
    painter.drawImage(origin + QPointF(key.rect[0] / ratio, key.rect[1] / ratio), image)


def _paint_shadow(painter: QPainter, rect: QRectF, colours: Tokens) -> None:
    """Rings of one pixel, filled as strips: stroking a rectangle of this size takes far longer."""
    shade = colours.colour("shadow")
    for spread, drop, alpha in _SHADOWS:
        shade.setAlpha(min(255, alpha * (3 if colours.dark else 1)))
        ring = rect.adjusted(-spread, drop - spread, spread, drop + spread)
        across, along = ring.width(), ring.height() - 2
        painter.fillRect(QRectF(ring.left(), ring.top(), across, 1), shade)
        painter.fillRect(QRectF(ring.left(), ring.bottom() - 1, across, 1), shade)
        painter.fillRect(QRectF(ring.left(), ring.top() + 1, 1, along), shade)
        painter.fillRect(QRectF(ring.right() - 1, ring.top() + 1, 1, along), shade)


def _paint_placeholder(painter: QPainter, rect: QRectF, colours: Tokens) -> None:
    """Grey bars in the shape of a paper: a title and two columns."""
    bar = QColor(colours.colour("line"))
    width, height = rect.width(), rect.height()
    thick = max(3.0, height * 0.008)
    painter.setPen(bar)
    painter.setBrush(bar)
    painter.drawRoundedRect(
        QRectF(rect.left() + width * 0.2, rect.top() + height * 0.07, width * 0.6, thick * 1.6), 3, 3
    )
    y = height * 0.15
    while y < height * 0.92:
        for column in (0.09, 0.53):
            short = 0.7 if round(y) % 5 == 0 else 1.0
            painter.drawRoundedRect(
                QRectF(rect.left() + width * column, rect.top() + y, width * 0.38 * short, thick), 2, 2
            )
        y += max(thick * 2.6, 6.0)


def _rgb(colour: str) -> int:
    return int(colour.removeprefix("#"), 16)
