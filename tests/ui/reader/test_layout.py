"""Pages in a column: guessed sizes, corrections that do not jump, room for cards."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.documents.geometry import PageGeometry
from app.ui.reader.layout import (
    CARDS_WIDTH,
    GAP,
    SIDE,
    TOP,
    PageColumn,
    Place,
    fit_page,
    fit_width,
    left_of_page,
)

sizes = st.lists(st.tuples(st.integers(50, 3000), st.integers(50, 3000)), min_size=1, max_size=40)


def pages(*size: tuple[int, int]) -> list[PageGeometry]:
    return [PageGeometry.of((0, 0, width, height)) for width, height in size]


def test_that_pages_follow_one_another_with_a_gap() -> None:
    column = PageColumn(3)
    column.learn(0, pages((600, 800), (600, 400), (600, 800)))
    assert [column.top(page) for page in range(3)] == [TOP, TOP + 800 + GAP, TOP + 1200 + 2 * GAP]


def test_that_the_first_size_is_the_guess_for_the_rest() -> None:
    column = PageColumn(5000)
    column.learn(0, pages((500, 700)))
    assert column.height(4999) == 700
    assert not column.known[4999]


@given(sizes, st.floats(0.1, 8), st.floats(0, 1))
def test_that_a_place_comes_back_after_a_change_of_scale(
    given_sizes: list[tuple[int, int]], scale: float, share: float
) -> None:
    column = PageColumn(len(given_sizes))
    column.learn(0, pages(*given_sizes))
    place = Place(len(given_sizes) // 2, share)
    column.rescale(scale)
    back = column.place_at(column.y_of(place))
    height = column.height(place.page)
    assert abs((back.page - place.page) * (height + GAP) + (back.down - share) * height) <= height * 0.01 + 1


@given(sizes, st.integers(0, 39), st.floats(0, 0.99))
def test_that_learning_sizes_above_keeps_the_place(
    given_sizes: list[tuple[int, int]], page: int, share: float
) -> None:
    column = PageColumn(40)
    column.learn(page, pages((600, 800)))
    place = column.place_at(column.y_of(Place(page, share)))
    column.learn(0, pages(*given_sizes[:page]))
    again = column.place_at(column.y_of(place))
    assert again.page == place.page


@given(st.integers(1, 60), st.integers(0, 59), st.integers(1, 20))
def test_that_asking_for_unknown_sizes_ends_with_all_known(count: int, near: int, span: int) -> None:
    column, asked = PageColumn(count), 0
    while (stretch := column.unknown_near(min(near, count - 1), span)) is not None:
        first, last = stretch
        assert 0 <= first < last <= count
        assert last - first <= span
        column.learn(first, pages(*[(600, 800)] * (last - first)))
        asked += last - first
    assert asked == count
    assert all(column.known)


def test_that_the_page_under_the_reader_is_asked_for_first() -> None:
    assert PageColumn(5000).unknown_near(4000, 8) == (4000, 4008)


def test_that_only_pages_in_sight_are_visible() -> None:
    column = PageColumn(5000)
    column.learn(0, pages(*[(600, 800)] * 5000))
    top = column.top(2500)
    assert column.visible(top, top + 900) == range(2500, 2502)


def test_that_a_page_moves_aside_for_cards_only_where_there_is_room() -> None:
    assert left_of_page(400, 664, cards=False) == (664 - 400) // 2
    beside = left_of_page(440, 664, cards=True)
    assert beside >= SIDE
    assert 664 - beside - 440 >= CARDS_WIDTH
    assert left_of_page(640, 664, cards=True) == 12
    assert left_of_page(900, 664, cards=True) == 0


def test_that_fits_leave_margins() -> None:
    assert fit_width(612, 664, cards=False) * 612 == 664 - 2 * SIDE
    assert fit_width(612, 664, cards=True) * 612 == 664 - SIDE - CARDS_WIDTH
    assert fit_width(612, 400, cards=True) * 612 == 400 - 2 * SIDE
    scale = fit_page((600, 800), (664, 780))
    assert scale * 800 == 780 - 2 * TOP
