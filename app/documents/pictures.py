"""Which picture of a page is wanted: the words that reader, client and worker share (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_PIXELS = 16_000_000
"""No single picture is larger: 64 MB. The reader asks for tiles long before."""

BYTES_PER_PIXEL = 4

PixelRect = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the whole page."""


@dataclass(frozen=True, slots=True)
class Tint:
    """Soft dark page: white becomes `paper`, black becomes `ink` (0xRRGGBB), hues are kept."""

    paper: int
    ink: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A page at `scale` pixels per point, or the `tile` of it."""

    page: int
    scale: float
    tile: PixelRect | None = None
    tint: Tint | None = None

    def as_params(self) -> dict[str, Any]:
        """Return plain values for the request to the worker."""
        tint = None if self.tint is None else [self.tint.paper, self.tint.ink]
        return {"page": self.page, "scale": self.scale, "tile": self.tile, "tint": tint}

    @classmethod
    def from_params(cls, params: dict[str, Any]) -> Picture:
        """Read what `as_params` gives."""
        tile, tint = params.get("tile"), params.get("tint")
        return cls(
            int(params["page"]),
            float(params["scale"]),
            None if tile is None else (int(tile[0]), int(tile[1]), int(tile[2]), int(tile[3])),
            None if tint is None else Tint(int(tint[0]), int(tint[1])),
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """Size of the picture in the block; `stride` counts bytes per row."""

    width: int
    height: int
    stride: int


def pixel_length(points: float, scale: float) -> int:
    """Return how many pixels a length takes; reader and worker agree on it through this."""
    return max(1, round(points * scale))


def clip(tile: PixelRect, full: PixelRect) -> PixelRect:
    """Return the part of `tile` inside the page, at least one pixel."""
    left, top = min(max(tile[0], 0), full[2] - 1), min(max(tile[1], 0), full[3] - 1)
    return left, top, max(left + 1, min(tile[2], full[2])), max(top + 1, min(tile[3], full[3]))
