"""The rows of a large library: ordered by SQL, fetched in blocks where they are seen."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

import pytest
from PySide6.QtWidgets import QApplication

from app.library import Library
from app.library.listing import PaperRow
from app.ui.library.delegate import ROW_HEIGHT, PaperDelegate
from app.ui.library.model import BLOCK, KEPT_BLOCKS, LibraryModel, RowRole
from app.ui.library.view import PaperList
from app.ui.tasks import Tasks
from tests.benchmarks import synthetic
from tests.ui.conftest import until

PAPERS = 10_000


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    home = tmp_path_factory.mktemp("large") / "home"
    synthetic.build(home, PAPERS, 0)
    return Library.open(home)


class Rows:
    """A model over the library that counts what it is asked for."""

    def __init__(self, library: Library) -> None:
        self.asked: list[int] = []
        self.errors: list[BaseException] = []
        self._library = library
        self.model = LibraryModel(self._fetch, Tasks(self.errors.append))

    def _fetch(self, ids: Sequence[int]) -> list[PaperRow]:
        self.asked.append(len(ids))
        return self._library.papers.rows(ids)

    async def row(self, place: int) -> PaperRow:
        self.model.row_at(place)
        await until(self.model.settled)
        row = self.model.row_at(place)
        assert row is not None
        return row


async def test_that_only_the_blocks_that_are_seen_are_fetched(qapp: QApplication, library: Library) -> None:
    rows = Rows(library)
    rows.model.set_ids(library.papers.order())
    assert rows.model.rowCount() == PAPERS
    assert rows.model.row_at(0) is None
    assert (await rows.row(0)).row_id == PAPERS
    assert (await rows.row(5000)).row_id == PAPERS - 5000
    assert rows.asked == [BLOCK, BLOCK]


async def test_that_memory_is_bounded_while_one_scrolls_through_all(
    qapp: QApplication, library: Library
) -> None:
    rows = Rows(library)
    rows.model.set_ids(library.papers.order())
    for place in range(0, PAPERS, BLOCK):
        await rows.row(place)
    kept = sum(rows.model._blocks.get(block) is not None for block in range(PAPERS // BLOCK))
    assert kept <= KEPT_BLOCKS


async def test_that_order_and_search_are_sqls(qapp: QApplication, library: Library) -> None:
    rows = Rows(library)
    rows.model.set_ids(library.papers.order(sort="-year"))
    first, last = await rows.row(0), await rows.row(PAPERS - 1)
    assert (first.year, last.year) == (2026, 1970)
    found = library.papers.order("supernova year:2000..2010")
    rows.model.set_ids(found)
    assert 0 < rows.model.rowCount() == len(found) < PAPERS
    year = (await rows.row(0)).year
    assert year is not None
    assert 2000 <= year <= 2010


async def test_that_rows_stay_visible_while_they_are_read_again(qapp: QApplication, library: Library) -> None:
    rows = Rows(library)
    ids = library.papers.order()
    rows.model.set_ids(ids)
    await rows.row(0)
    rows.model.refresh()
    assert rows.model.row_at(0) is not None
    await until(rows.model.settled)
    assert len(rows.asked) == 2


async def test_that_selection_outlives_a_new_order(qapp: QApplication, library: Library) -> None:
    rows = Rows(library)
    view = PaperList(rows.model)
    view.show_ids(library.papers.order(), keep_place=False)
    view.select_ids([7, 9000])
    view.show_ids(library.papers.order(sort="title"), keep_place=False)
    assert sorted(view.selected_ids()) == [7, 9000]
    view.show_ids(library.papers.order("supernova"), keep_place=False)
    assert not set(view.selected_ids()) - {7, 9000}


async def test_that_the_list_paints_rows_and_asks_for_what_it_shows(
    qapp: QApplication, library: Library
) -> None:
    rows = Rows(library)
    view = PaperList(rows.model)
    view.resize(332, 600)
    view.show_ids(library.papers.order(), keep_place=False)
    view.show()
    view.grab()
    await until(rows.model.settled)
    picture = view.grab().toImage()
    assert picture.height() >= 600
    assert rows.asked == [BLOCK]
    view.verticalScrollBar().setValue(ROW_HEIGHT * 4000)
    view.grab()
    await until(rows.model.settled)
    assert rows.model.data(rows.model.index(4001), RowRole) is not None
    view.close()


async def test_that_a_failing_library_is_reported_and_asked_again(
    qapp: QApplication, library: Library
) -> None:
    errors: list[BaseException] = []

    def fail(ids: Sequence[int]) -> list[PaperRow]:
        raise OSError("disk")

    model = LibraryModel(fail, Tasks(errors.append))
    model.set_ids([1, 2])
    model.row_at(0)
    await until(lambda: errors)
    await asyncio.sleep(0)
    assert model.settled()


def test_that_chips_say_what_a_paper_lacks(qapp: QApplication, library: Library) -> None:
    (row,) = library.papers.rows([1])
    delegate = PaperDelegate()
    assert ("PDF", "ok") in delegate.chips(row)
    assert ("no PDF", "plain") in delegate.chips(dataclasses.replace(row, file_count=0))
    assert ("needs OCR", "warn") in delegate.chips(dataclasses.replace(row, status="no_text"))
    delegate.indexing = frozenset({row.paper_id})
    assert delegate.chips(row) == [("indexing…", "warn")]
