"""From PDF user space to the pixels of a page and back.

Three spaces, never mixed:

* *user space*: what the file uses and what we store (points times UserUnit, origin
  bottom left, before /Rotate, unaware of the CropBox);
* *page space*: points of 1/72 inch from the upper left corner of the page as it is
  seen (cropped, turned by /Rotate, scaled by /UserUnit): MuPDF's page coordinates;
* *pixels*: page space times a scale (pixels per point).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.records.passage import Point, Quad

Box = tuple[float, float, float, float]
"""Left, low y, right, high y."""

POINTS_PER_INCH = 72.0
SCREEN_DPI = 96.0
FALLBACK_BOX: Box = (0.0, 0.0, 612.0, 792.0)
"""US letter, which readers take for a page without a usable box."""


@dataclass(frozen=True, slots=True)
class Affine:
    """The map (x, y) -> (a x + c y + e, b x + d y + f), as PDF writes matrices."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def apply(self, point: Point) -> Point:
        """Return the image of a point."""
        x, y = point
        return (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)

    def then(self, after: Affine) -> Affine:
        """Return the map that does this one first and `after` second."""
        return Affine(
            self.a * after.a + self.b * after.c,
            self.a * after.b + self.b * after.d,
            self.c * after.a + self.d * after.c,
            self.c * after.b + self.d * after.d,
            self.e * after.a + self.f * after.c + after.e,
            self.e * after.b + self.f * after.d + after.f,
        )

    def inverse(self) -> Affine:
        """Return the map back. Raises ZeroDivisionError for a flat map, which no page has."""
        det = self.a * self.d - self.b * self.c
        a, b, c, d = self.d / det, -self.b / det, -self.c / det, self.a / det
        return Affine(a, b, c, d, -(self.e * a + self.f * c), -(self.e * b + self.f * d))


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """Where a page lies: its visible box in user space, how it is turned, its unit.

    `box` is the CropBox cut to the MediaBox, in user space units; `rotation` is
    clockwise, one of 0, 90, 180, 270; `user_unit` is the size of a unit in points.
    """

    box: Box
    rotation: int = 0
    user_unit: float = 1.0

    @classmethod
    def of(cls, box: Iterable[float], rotation: float = 0, user_unit: float = 1.0) -> PageGeometry:
        """Build one from what a file says: corners in any order, odd rotations, silly units."""
        x0, y0, x1, y1 = box
        left, right = sorted((x0, x1))
        low, high = sorted((y0, y1))
        if right - left < 1e-3 or high - low < 1e-3:
            left, low, right, high = FALLBACK_BOX
        turns = round(rotation / 90.0) * 90 % 360
        return cls((left, low, right, high), turns, user_unit if user_unit > 0 else 1.0)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points as the page is seen."""
        left, low, right, high = self.box
        width, height = (right - left) * self.user_unit, (high - low) * self.user_unit
        return (height, width) if self.rotation in (90, 270) else (width, height)

    def to_page(self) -> Affine:
        """Return the map from user space to page space."""
        left, low, right, high = self.box
        unit = self.user_unit
        match self.rotation:
            case 90:
                return Affine(0, unit, unit, 0, -low * unit, -left * unit)
            case 180:
                return Affine(-unit, 0, 0, unit, right * unit, -low * unit)
            case 270:
                return Affine(0, -unit, -unit, 0, high * unit, right * unit)
            case _:
                return Affine(unit, 0, 0, -unit, -left * unit, high * unit)

    def to_pixels(self, scale: float) -> Affine:
        """Return the map from user space to pixels at `scale` pixels per point."""
        return self.to_page().then(Affine(scale, 0, 0, scale, 0, 0))

    def from_pixels(self, scale: float) -> Affine:
        """Return the map from pixels at `scale` pixels per point to user space."""
        return self.to_pixels(scale).inverse()


def scale_for_zoom(zoom: float) -> float:
    """Return logical pixels per point; zoom 1.0 shows an inch of paper as 96 pixels."""
    return zoom * SCREEN_DPI / POINTS_PER_INCH


def map_quad(affine: Affine, quad: Quad) -> tuple[Point, Point, Point, Point]:
    """Return the mapped corners in drawing order: upper left, upper right, lower right, lower left."""
    return (affine.apply(quad.ul), affine.apply(quad.ur), affine.apply(quad.lr), affine.apply(quad.ll))


def bounds(points: Iterable[Point]) -> Box:
    """Return the smallest upright box around the points."""
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def quad_bounds(affine: Affine, quad: Quad) -> Box:
    """Return the upright box around a quad after mapping it."""
    return bounds(map_quad(affine, quad))
