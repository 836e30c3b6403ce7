"""Where pages lie in one long column (pure): sizes are guessed first and corrected later.

All lengths are logical pixels, whole numbers, so that pages fall on device pixels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.documents.geometry import PageGeometry

GAP = 14
TOP = 18
SIDE = 22
CARDS_WIDTH = 186
"""Room for the note cards beside a page, their margins included."""

GUESS = PageGeometry.of((0, 0, 612, 792))


@dataclass(frozen=True, slots=True)
class Place:
    """A spot that survives a change of scale or of page sizes: a page and a share of its height."""

    page: int
    down: float = 0.0
    across: float = 0.5


class PageColumn:
    """Pages under each other at one scale (logical pixels per point)."""

    def __init__(self, count: int) -> None:
        self.pages: list[PageGeometry] = [GUESS] * count
        self.known = bytearray(count)
        self.scale = 1.0
        self.widest = 0
        """Width of the widest page in logical pixels."""
        self._sizes = [GUESS.size] * count
        self._lay_out()

    def __len__(self) -> int:
        return len(self.pages)

    def learn(self, first: int, geometries: Sequence[PageGeometry]) -> bool:
        """Take in true sizes; the first ones also become the guess for the rest. Say if anything moved."""
        if geometries and not any(self.known):
            self.pages = [geometries[0]] * len(self)
        before = self._sizes
        last = first + len(geometries)
        self.pages[first:last] = geometries
        self.known[first:last] = b"\x01" * len(geometries)
        if before[first:last] == [g.size for g in geometries] and before[-1] == self.pages[-1].size:
            return False
        self._sizes = [page.size for page in self.pages]
        self._lay_out()
        return True

    def unknown_near(self, page: int, span: int) -> tuple[int, int] | None:
        """Return a stretch `[first, last)` of unknown pages near `page`; None when all are known."""
        if page < len(self) and not self.known[page]:
            start = page
        else:
            after, before = self.known.find(0, page), self.known.rfind(0, 0, page)
            if after < 0 and before < 0:
                return None
            nearer_after = before < 0 or (after >= 0 and after - page <= page - before)
            start = after if nearer_after else max(0, before - span + 1)
        while start < len(self) and self.known[start]:
            start += 1
        last = start
        while last < min(start + span, len(self)) and not self.known[last]:
            last += 1
        return (start, last) if last > start else None

    def rescale(self, scale: float) -> None:
        """Lay the pages out at another scale."""
        self.scale = scale
        self._lay_out()

    def width(self, page: int) -> int:
        """Width of a page in logical pixels."""
        return self._widths[page]

    def height(self, page: int) -> int:
        """Height of a page in logical pixels."""
        return self._heights[page]

    def top(self, page: int) -> int:
        """Distance of a page's upper edge from the top of the column."""
        return self._tops[page]

    @property
    def total_height(self) -> int:
        """Height of the whole column."""
        return self._tops[-1] if self.pages else 0

    def page_at(self, y: float) -> int:
        """Return the page at a height, the nearest one above between pages."""
        if not self.pages:
            return 0
        return min(max(0, bisect_right(self._tops, y) - 1), len(self) - 1)

    def visible(self, top: float, bottom: float) -> range:
        """Return the pages that show between two heights."""
        if not self.pages:
            return range(0)
        return range(self.page_at(top), self.page_at(bottom) + 1)

    def place_at(self, y: float) -> Place:
        """Return the page and the share of its height at `y`."""
        page = self.page_at(y)
        return Place(page, (y - self.top(page)) / self.height(page))

    def y_of(self, place: Place) -> int:
        """Return the height at which a place lies now."""
        if not self.pages:
            return 0
        page = min(max(place.page, 0), len(self) - 1)
        return round(self.top(page) + place.down * self.height(page))

    def _lay_out(self) -> None:
        scale = self.scale
        self._widths = [max(1, round(width * scale)) for width, _ in self._sizes]
        self._heights = [max(1, round(height * scale)) for _, height in self._sizes]
        self._tops = list(accumulate((height + GAP for height in self._heights), initial=TOP))
        self.widest = max(self._widths, default=0)


def left_of_page(page_width: int, viewport_width: int, cards: bool) -> int:
    """Return where a page starts: centred, or moved left to make room for note cards if that is possible."""
    free = viewport_width - page_width
    if cards and free >= CARDS_WIDTH + SIDE:
        return max(SIDE, (free - CARDS_WIDTH) // 2)
    return max(0 if free < 0 else min(SIDE, free // 2), free // 2)


def fit_width(page_points: float, viewport_width: int, cards: bool) -> float:
    """Return the scale at which a page fills the width, leaving the cards their column."""
    free = viewport_width - 2 * SIDE
    if cards and viewport_width >= 560:
        free = viewport_width - SIDE - CARDS_WIDTH
    return max(0.01, free / page_points)


def fit_page(size: tuple[float, float], viewport: tuple[int, int]) -> float:
    """Return the scale at which a whole page shows."""
    return max(0.01, min((viewport[0] - 2 * SIDE) / size[0], (viewport[1] - 2 * TOP) / size[1]))
