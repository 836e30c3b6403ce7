"""PDF files through the workers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from pathlib import Path
from typing import Any, cast

import pymupdf
import pytest
import pytest_asyncio

from app.documents.batches import PageBatch, PageNote, PageState
from app.documents.client import PdfClient
from app.errors import DocumentError, WorkerCrashedError, WorkerTimeoutError
from app.records.ids import PageIndex
from app.workers.host import Worker
from app.workers.pool import WorkerPool
from tests.documents.made import minimal_pdf, prose, saved, two_columns, write_lines


@pytest_asyncio.fixture
async def client() -> AsyncIterator[PdfClient]:
    pool, render = WorkerPool("pdf", 1), Worker("render")
    yield PdfClient(pool, render)
    await pool.close()
    await render.close()


def many_pages(path: Path, count: int) -> Path:
    document = pymupdf.open()
    for i in range(count):
        write_lines(document.new_page(), 72, 100, prose(f"page{i}", 30))
    return saved(document, path)


async def test_that_a_paper_is_read_in_batches_that_cover_every_page(
    client: PdfClient, tmp_path: Path
) -> None:
    path = many_pages(tmp_path / "long.pdf", 21)
    batches = [batch async for batch in client.extract(path)]
    assert [batch.first for batch in batches] == [0, *(batch.last + 1 for batch in batches[:-1])]
    assert batches[-1].last == 20
    assert all(batch.total == 21 for batch in batches)
    text = " ".join(p.text for batch in batches for p in batch.passages)
    assert all(f"page{i} line 29" in text for i in range(21))


async def test_that_reading_starts_where_it_is_asked_to(client: PdfClient, tmp_path: Path) -> None:
    path = many_pages(tmp_path / "long.pdf", 12)
    batches = [batch async for batch in client.extract(path, start_page=7)]
    assert batches[0].first == 7
    assert {p.page for batch in batches for p in batch.passages} == set(range(7, 12))


async def test_that_a_page_gives_the_text_that_its_passages_point_into(
    client: PdfClient, tmp_path: Path
) -> None:
    path = two_columns(tmp_path / "two.pdf")
    page = await client.page_text(path, 0)
    passages = [p async for batch in client.extract(path) for p in batch.passages]
    assert passages
    assert all(page.text[p.start : p.end] == p.text for p in passages)
    assert page.size == (612, 792)


async def test_that_bad_files_keep_their_codes_on_the_way(client: PdfClient, tmp_path: Path) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(b"not a pdf at all")
    for call in (client.inspect(path), client.page_text(path, 0), client.outline(path)):
        with pytest.raises(DocumentError) as caught:
            await call
        assert caught.value.code == "not_pdf"
    path.write_bytes(b"")
    with pytest.raises(DocumentError) as caught:
        _ = [batch async for batch in client.extract(path)]
    assert caught.value.code == "empty"


async def test_that_a_page_that_is_not_there_is_an_error(client: PdfClient, tmp_path: Path) -> None:
    path = tmp_path / "one.pdf"
    path.write_bytes(minimal_pdf("BT /F1 12 Tf 72 700 Td (Some text) Tj ET"))
    with pytest.raises(DocumentError) as caught:
        await client.page_text(path, 5)
    assert caught.value.code == "page"


async def test_that_geometries_are_those_of_the_file(client: PdfClient, tmp_path: Path) -> None:
    path = tmp_path / "one.pdf"
    path.write_bytes(minimal_pdf("", crop=(10, 20, 300, 400), rotate=90))
    (geometry,) = await client.geometries(path, 0, 1)
    assert geometry.box == pytest.approx((10, 20, 300, 400))
    assert geometry.rotation == 90


async def test_that_markdown_is_the_whole_paper(client: PdfClient, tmp_path: Path) -> None:
    text = await client.markdown(many_pages(tmp_path / "long.pdf", 3))
    assert text.index("page0 line 0") < text.index("page2 line 29")


# -- pages that hang or crash the worker


class FlakyPool:
    """Behaves like a pool whose worker ends at some pages, each time it touches them."""

    def __init__(self, pages: int, bad: dict[int, type[Exception]]) -> None:
        self.pages, self.bad = pages, bad
        self.starts: list[int] = []

    async def stream(self, method: str, params: Mapping[str, Any], **_: Any) -> AsyncGenerator[Any, None]:
        self.starts.append(params["start_page"])
        for page in range(params["start_page"], self.pages):
            skipped = page in params["skip"]
            if not skipped:
                yield {"at": page}
                if page in self.bad:
                    raise self.bad[page]("gone")
            notes = (PageNote(PageIndex(page), PageState.FAILED, "left out"),) if skipped else ()
            index = PageIndex(page)
            yield PageBatch(index, index, self.pages, (), notes, ("",), (0,)).as_json()
        yield {"done": True}


def flaky_client(pool: object) -> PdfClient:
    return PdfClient(cast(WorkerPool, pool), cast(Worker, None))


async def test_that_a_page_that_hangs_or_crashes_is_noted_and_the_rest_is_read() -> None:
    pool = FlakyPool(6, {2: WorkerTimeoutError, 4: WorkerCrashedError})
    batches = [batch async for batch in flaky_client(pool).extract(Path("x.pdf"))]
    assert [batch.first for batch in batches] == list(range(6))
    failed = [note.page for batch in batches for note in batch.notes if note.state is PageState.FAILED]
    assert failed == [2, 4]
    assert pool.starts == [0, 2, 4]


async def test_that_a_file_with_many_such_pages_is_given_up() -> None:
    pool = FlakyPool(20, dict.fromkeys(range(20), WorkerTimeoutError))
    with pytest.raises(WorkerTimeoutError):
        _ = [batch async for batch in flaky_client(pool).extract(Path("x.pdf"))]
    assert len(pool.starts) < 10
