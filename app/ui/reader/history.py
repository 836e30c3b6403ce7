"""Back and forward through the places that jumps left (pure)."""

from __future__ import annotations

from app.ui.reader.layout import Place

MOST = 100


class History:
    """A list of places with a cursor, as in a browser."""

    def __init__(self) -> None:
        self._back: list[Place] = []
        self._ahead: list[Place] = []

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place to go back to."""
        return bool(self._back)

    @property
    def can_go_ahead(self) -> bool:
        """Whether a step back can be undone."""
        return bool(self._ahead)

    def leave(self, place: Place) -> None:
        """Remember where a jump starts; what was ahead is forgotten."""
        if not self._back or self._back[-1] != place:
            self._back = [*self._back, place][-MOST:]
        self._ahead.clear()

    def back(self, here: Place) -> Place | None:
        """Return the last place left, and keep `here` for going ahead again."""
        if not self._back:
            return None
        self._ahead.append(here)
        return self._back.pop()

    def ahead(self, here: Place) -> Place | None:
        """Return the place that the last step back left."""
        if not self._ahead:
            return None
        self._back.append(here)
        return self._ahead.pop()
