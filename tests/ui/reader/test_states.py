"""What is shown when there is nothing to read, or it cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.reader.page_problems import PageProblems

Reading = Callable[[], AbstractAsyncContextManager[Any]]
Paper = Callable[[int], bytes]
Wait = Callable[..., Any]

AES_256 = 5
"""`pymupdf.PDF_ENCRYPT_AES_256`, which its type stubs do not know."""


async def test_that_a_locked_paper_asks_for_its_password_in_the_pane(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    source = pymupdf.open("pdf", make_paper(2))
    locked = source.tobytes(encryption=AES_256, user_pw="nebula", owner_pw="owner")
    async with reader() as r:
        r.pane.open_paper(*r.add("locked", locked))
        form = r.tab.password
        await wait_until(form.isVisible)
        QTest.keyClicks(form.field, "wrong")
        QTest.keyClick(form.field, Qt.Key.Key_Return)
        await wait_until(lambda: form.field.text() == "")
        assert form.isVisible()
        QTest.keyClicks(form.field, "nebula")
        QTest.keyClick(form.field, Qt.Key.Key_Return)
        await wait_until(lambda: r.tab.ready and r.view.settled)
        assert len(r.view.column) == 2


async def test_that_a_missing_file_is_said_and_can_be_tried_again(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        paper, file = r.add("gone", make_paper(1))
        path = r.parts.library.files_dir / f"{paper}/gone.pdf"
        data = path.read_bytes()
        path.unlink()
        r.pane.open_paper(paper, file)
        await wait_until(r.tab.problem.isVisible)
        assert "not where it was kept" in r.tab.problem.title.text()
        path.write_bytes(data)
        r.tab.reload()
        await wait_until(lambda: r.tab.ready and r.view.settled)


@pytest.mark.parametrize("data", [b"", b"hello, I am no PDF", b"%PDF-1.7\n1 0 obj\n<<"])
async def test_that_a_damaged_file_is_said(reader: Reading, wait_until: Wait, data: bytes) -> None:
    async with reader() as r:
        r.pane.open_paper(*r.add("damaged", data))
        await wait_until(r.tab.problem.isVisible)
        assert r.tab.problem.title.text()
        assert r.tab.problem.text.text()


async def test_that_a_paper_without_a_file_is_said(reader: Reading, wait_until: Wait) -> None:
    from app.records.paper import PaperRecord

    async with reader() as r:
        r.pane.open_paper(r.parts.library.papers.add(PaperRecord(title="Only a record")))
        await wait_until(r.tab.problem.isVisible)
        assert "no file" in r.tab.problem.title.text()


async def test_that_a_markdown_paper_is_read_and_its_citation_marked(
    reader: Reading, wait_until: Wait
) -> None:
    text = "# On dust\n\n## Results\n\nDust is **everywhere** in the disc of the galaxy.\n"
    async with reader() as r:
        paper, file = r.add("dust.md", text.encode())
        r.pane.open_citation(
            {"paper_id": paper, "file_id": file, "page": 0, "quote": "everywhere in the disc", "quads": []}
        )
        await wait_until(lambda: r.tab.text_pages.isVisible() and r.tab.text_pages.extraSelections())
        assert r.tab.text_pages.extraSelections()[0].cursor.selectedText() == "everywhere in the disc"


@pytest.mark.slow
async def test_that_a_page_that_never_ends_is_set_aside_and_the_rest_goes_on(
    reader: Reading, shared: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ui.reader.paper_source.PaperSource.draw_timeout_s", 2.0)
    async with reader() as r:
        data = (shared / "corpus/nasty/test_2548.pdf").read_bytes()
        r.pane.open_paper(*r.add("endless", data))
        await wait_until(lambda: r.tab.ready and r.view.queue is not None and r.view.queue.failed)
        problems: PageProblems = r.tab.page_problems
        page = next(iter(r.view.queue.failed))
        await wait_until(lambda: page in problems.shown)
        assert "too heavy" in problems.shown[page].title.text()
        assert r.parts.render.restarts >= 1
        others = [p for p in range(len(r.view.column)) if p != page]
        if others:
            r.view.go_to_page(others[-1])
            await wait_until(lambda: r.view.settled)
        r.view.retry(page)
        assert page not in r.view.queue.failed


@pytest.mark.slow
async def test_that_five_thousand_pages_open_and_scroll(
    reader: Reading, make_long_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("long", make_long_paper(5000))
        await r.open("long")
        assert len(r.view.column) == 5000
        r.tab.jump(4321)
        await wait_until(lambda: r.view.column.known[4321] and r.view.settled)
        assert r.view.current_page == 4321
        top = r.view.page_rect(4321).top()
        await wait_until(lambda: all(r.view.column.known))
        assert r.view.page_rect(4321).top() == pytest.approx(top, abs=1)
        assert r.view.queue.drawn < 20
        r.view.verticalScrollBar().setValue(r.view.verticalScrollBar().maximum())
        assert r.view.current_page >= 4998
