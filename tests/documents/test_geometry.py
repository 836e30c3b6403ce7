"""User space, page space and pixels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.documents.geometry import FALLBACK_BOX, PageGeometry, map_quad, quad_bounds, scale_for_zoom
from app.records.passage import Quad

numbers = st.floats(-2000, 2000, allow_nan=False).map(lambda value: round(value, 3))
lengths = st.floats(5, 15000).map(lambda value: round(value, 3))


@st.composite
def geometries(draw: st.DrawFn) -> PageGeometry:
    left, low, width, height = draw(numbers), draw(numbers), draw(lengths), draw(lengths)
    rotation = draw(st.sampled_from([0, 90, 180, 270, -90, 450]))
    unit = draw(st.sampled_from([1.0, 0.5, 2.0, 10.0]))
    return PageGeometry.of((left, low, left + width, low + height), rotation, unit)


scales = st.floats(0.05, 32).map(lambda value: round(value, 4))
shares = st.tuples(st.floats(0, 1), st.floats(0, 1))


@given(geometries(), scales, shares)
def test_that_a_point_comes_back_from_pixels(
    geometry: PageGeometry, scale: float, share: tuple[float, float]
) -> None:
    left, low, right, high = geometry.box
    point = (left + share[0] * (right - left), low + share[1] * (high - low))
    there = geometry.to_pixels(scale).apply(point)
    back = geometry.from_pixels(scale).apply(there)
    tolerance = 1e-6 * max(1.0, *map(abs, (*geometry.box, *point)))
    assert abs(back[0] - point[0]) <= tolerance
    assert abs(back[1] - point[1]) <= tolerance


@given(geometries(), scales, shares)
def test_that_every_visible_point_lies_inside_the_page(
    geometry: PageGeometry, scale: float, share: tuple[float, float]
) -> None:
    left, low, right, high = geometry.box
    x, y = geometry.to_pixels(scale).apply((left + share[0] * (right - left), low + share[1] * (high - low)))
    width, height = (length * scale for length in geometry.size)
    assert -1e-6 * width <= x <= width * (1 + 1e-6) + 1e-6
    assert -1e-6 * height <= y <= height * (1 + 1e-6) + 1e-6


@given(geometries(), scales)
def test_that_the_corners_of_the_box_are_the_corners_of_the_page(
    geometry: PageGeometry, scale: float
) -> None:
    left, low, right, high = geometry.box
    whole = Quad((left, high), (right, high), (left, low), (right, low))
    x0, y0, x1, y1 = quad_bounds(geometry.to_pixels(scale), whole)
    width, height = geometry.size
    slack = 1e-6 * max(width, height, abs(left), abs(high), 1) * scale * geometry.user_unit
    assert abs(x0) <= slack
    assert abs(y0) <= slack
    assert abs(x1 - width * scale) <= slack
    assert abs(y1 - height * scale) <= slack


@given(geometries())
def test_that_turning_keeps_the_area(geometry: PageGeometry) -> None:
    upright = PageGeometry.of(geometry.box, 0, geometry.user_unit)
    assert sorted(geometry.size) == sorted(upright.size)


def test_that_upright_text_on_a_turned_page_runs_where_the_page_shows_it() -> None:
    word = Quad((100, 712), (150, 712), (100, 700), (150, 700))
    expected = {
        0: ((100, 88), (150, 88), (150, 100), (100, 100)),
        90: ((712, 100), (712, 150), (700, 150), (700, 100)),
    }
    for turn, corners in expected.items():
        assert map_quad(PageGeometry.of((0, 0, 600, 800), turn).to_page(), word) == corners


def test_that_boxes_given_backwards_or_empty_are_still_pages() -> None:
    assert PageGeometry.of((600, 800, 0, 0)).box == (0, 0, 600, 800)
    assert PageGeometry.of((5, 5, 5, 5)).box == FALLBACK_BOX
    assert PageGeometry.of((0, 0, 10, 10), 45.0, -3).user_unit == 1.0


def test_that_zoom_one_is_the_size_on_paper() -> None:
    assert scale_for_zoom(1.0) * 72 == 96
