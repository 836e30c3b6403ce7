"""Where the window stood when it was last used, checked against the screens there are now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

KEY = "window"
DEFAULT_SIZE = QSize(1440, 900)
SMALLEST = QSize(720, 480)


def place_of(window: QWidget) -> dict[str, Any]:
    """Return the window's place; that of the normal size while it is maximised."""
    at = window.normalGeometry() if window.isMaximized() else window.geometry()
    return {"rect": [at.x(), at.y(), at.width(), at.height()], "maximised": window.isMaximized()}


def put(window: QWidget, place: Any) -> None:
    """Put the window where it was, or in the middle of the first screen where that place is gone."""
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    window.setGeometry(fitting(_rect(place), screens))
    if isinstance(place, dict) and place.get("maximised") is True:
        window.showMaximized()


def fitting(wanted: QRect | None, screens: Sequence[QRect]) -> QRect:
    """Return the place to use: all of the title's width must be reachable on one of the screens."""
    if not screens:
        return wanted or QRect(QPoint(0, 0), DEFAULT_SIZE)
    if wanted is not None:
        home = max(screens, key=lambda screen: _area(screen.intersected(wanted)))
        seen = home.intersected(wanted)
        size = wanted.size().boundedTo(home.size())
        if seen.width() >= size.width() // 2 and seen.height() >= size.height() // 2:
            left = max(home.left(), min(wanted.left(), home.right() - size.width() + 1))
            top = max(home.top(), min(wanted.top(), home.bottom() - size.height() + 1))
            return QRect(QPoint(left, top), size)
    size = DEFAULT_SIZE.boundedTo(screens[0].size())
    place = QRect(QPoint(0, 0), size)
    place.moveCenter(screens[0].center())
    return place


def _area(rect: QRect) -> int:
    return max(0, rect.width()) * max(0, rect.height())


def _rect(place: Any) -> QRect | None:
    numbers = place.get("rect") if isinstance(place, dict) else None
    if not (isinstance(numbers, list) and len(numbers) == 4 and all(isinstance(n, int) for n in numbers)):
        return None
    x, y, width, height = numbers
    if width < SMALLEST.width() or height < SMALLEST.height():
        return None
    return QRect(x, y, width, height)
