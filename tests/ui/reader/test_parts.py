"""The small decisions of the reader: selections, tiles, the picture cache, history, finding, labels."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from app.ui.reader.finding import Hit, Hits, occurrences, page_order
from app.ui.reader.history import History
from app.ui.reader.layout import Place
from app.ui.reader.note_words import day_name, page_name
from app.ui.reader.page_numbers import page_meant
from app.ui.reader.selection import Caret, Selection
from app.ui.reader.text_layer import TextLayer
from app.ui.reader.tiles import TILE, WHOLE_PAGE_PIXELS, PictureCache, TileKey, tiles_of


def test_that_a_selection_reads_the_same_dragged_either_way() -> None:
    ahead = Selection.at(Caret(0, 5)).to(Caret(2, 3))
    back = Selection.at(Caret(2, 3)).to(Caret(0, 5))
    assert (ahead.first, ahead.last) == (back.first, back.last) == (Caret(0, 5), Caret(2, 3))
    assert [ahead.span_on(page, 10) for page in range(4)] == [(5, 10), (0, 10), (0, 3), None]


def test_that_dragging_back_over_the_first_word_keeps_it_whole() -> None:
    word = Selection.at(Caret(0, 10), Caret(0, 16))
    assert word.to(Caret(0, 2), Caret(0, 5)).span_on(0, 99) == (2, 16)
    assert word.to(Caret(0, 20), Caret(0, 25)).span_on(0, 99) == (10, 25)


def test_that_copied_text_of_several_pages_is_joined() -> None:
    layers = {0: TextLayer("end of one\n", []), 1: TextLayer("start of two", [])}
    assert Selection.at(Caret(0, 7)).to(Caret(1, 5)).text(layers) == "one\nstart"


@given(st.integers(1, 9000), st.integers(1, 9000))
def test_that_tiles_cover_a_page_once(width: int, height: int) -> None:
    tiles = list(tiles_of(0, (width, height), 1.0, None))
    area = sum((r - left) * (b - top) for left, top, r, b in (tile.rect for tile in tiles))
    assert area == width * height
    assert len(tiles) == 1 or all((t.rect[2] - t.rect[0]) <= TILE for t in tiles)
    assert (len(tiles) == 1) == tiles[0].whole or width * height > WHOLE_PAGE_PIXELS


def _image() -> QImage:
    return QImage(100, 100, QImage.Format.Format_ARGB32_Premultiplied)


def _key(page: int, scale: float = 1.0, *, whole: bool = True) -> TileKey:
    return TileKey(page, scale, (0, 0, 100, 100), whole)


def test_that_the_cache_never_holds_more_bytes_than_its_limit() -> None:
    cache = PictureCache(limit=5 * 40_000)
    for page in range(20):
        cache.put(_key(page), _image())
        cache.get(_key(0))
    assert cache.bytes <= 5 * 40_000
    assert len(cache) == 5
    assert _key(0) in cache, "what was used last stays"
    assert _key(1) not in cache


def test_that_the_picture_with_the_nearest_scale_stands_in() -> None:
    cache = PictureCache()
    for scale in (0.5, 1.0, 4.0):
        cache.put(_key(3, scale), _image())
    cache.put(_key(3, 2.1, whole=False), _image())
    closest = cache.closest(3, 2.2, None)
    assert closest is not None
    assert closest[0].scale == 4.0
    assert cache.closest(4, 1.0, None) is None


def test_that_back_and_ahead_walk_through_jumps() -> None:
    history = History()
    for page in (0, 10):
        history.leave(Place(page))
    assert history.back(Place(20)) == Place(10)
    assert history.back(Place(10)) == Place(0)
    assert not history.can_go_back
    assert history.ahead(Place(0)) == Place(10)
    history.leave(Place(10))
    assert not history.can_go_ahead


def test_that_finding_ignores_case_hyphens_and_ligatures() -> None:
    text = "Infra-\nred e\ufb03ciency of infrared Efficiency"
    assert [text[slice(*span)] for span in occurrences(text, "efficiency")] == ["e\ufb03ciency", "Efficiency"]
    assert len(list(occurrences(text, "infrared"))) == 2
    assert list(occurrences(text, "i")) == []


def test_that_hits_are_stepped_through_in_reading_order_around_the_ends() -> None:
    hits = Hits()
    for hit in (Hit(5, 1, 2), Hit(0, 3, 4), Hit(5, 0, 1)):
        hits.add(hit)
    assert hits.first_from(4) == Hit(5, 0, 1)
    assert hits.number == 2
    assert [hits.step(True), hits.step(True), hits.step(False)] == [Hit(5, 1, 2), Hit(0, 3, 4), Hit(5, 1, 2)]
    assert list(page_order(4, 2)) == [2, 3, 0, 1]


def test_that_a_typed_page_means_the_printed_label_first() -> None:
    labels = ["i", "ii", "1", "2", "L15"]
    assert page_meant("1", labels, 5) == 2
    assert page_meant("II", labels, 5) == 1
    assert page_meant("l15", labels, 5) == 4
    assert page_meant("5", labels, 5) == 4
    assert page_meant("99", labels, 5) is None
    assert page_meant("two", labels, 5) is None


def test_that_days_and_pages_are_named_as_people_do() -> None:
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert day_name(now, now) == "today"
    assert day_name(now - timedelta(days=1), now) == "yesterday"
    assert page_name(2, ["i", "ii", "1"]) == "p. 1"
    assert page_name(7, []) == "p. 8"
