"""Icons: our SVG family, tinted by token and drawn for the pixel ratio they are asked for in."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.ui.resources import resources
from app.ui.theme import ICON_SIZE, tokens


@cache
def _source(name: str) -> bytes:
    return (resources() / "icons" / f"{name}.svg").read_bytes()


@lru_cache(maxsize=256)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace(b"currentColor", colour.encode())))


def paint_icon(painter: QPainter, rect: QRect | QRectF, name: str, colour: QColor) -> None:
    """Draw the icon `name` into `rect`."""
    _renderer(name, colour.name()).render(painter, QRectF(rect))


class _Engine(QIconEngine):
    """Asks for the token's colour each time it paints, so a theme switch needs no new icons."""

    def __init__(self, name: str, tint: str, on_tint: str) -> None:
        super().__init__()
        self._name, self._tint, self._on_tint = name, tint, on_tint

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        tint = self._on_tint if state is QIcon.State.On else self._tint
        if mode is QIcon.Mode.Disabled:
            tint = "text_3"
        paint_icon(painter, rect, self._name, tokens().colour(tint))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        pixmap = QPixmap(size * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        pixmap.setDevicePixelRatio(scale)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._tint, self._on_tint)


def icon(name: str, tint: str = "text_2", on_tint: str = "accent") -> QIcon:
    """Return an icon in the colour of `tint`; `on_tint` where it is checked."""
    return QIcon(_Engine(name, tint, on_tint))


def icon_pixmap(name: str, tint: str, size: int = ICON_SIZE, ratio: float = 2.0) -> QPixmap:
    """Return one tinted picture, for labels."""
    square = QSize(size, size)
    return _Engine(name, tint, tint).scaledPixmap(square, QIcon.Mode.Normal, QIcon.State.Off, ratio)


def app_icon() -> QIcon:
    """Return the program's own icon."""
    return QIcon(str(resources() / "icons" / "app.svg"))
