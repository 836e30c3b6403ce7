"""A reader over a real library, real workers and real files, on the window's loop."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pymupdf
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.documents.client import PdfClient
from app.library.library import Library
from app.records.ids import FileId, PaperId
from app.records.paper import PaperRecord
from app.services.notes import NotesService
from app.ui.reader.page_view import PdfView
from app.ui.reader.pane import ReaderPane
from app.ui.reader.paper_tab import PaperTab
from app.ui.reader.selection import Caret, Selection
from app.ui.theme import Scheme, theme
from app.workers.host import Worker

PATIENCE_S = 40.0


@dataclass
class Parts:
    """What the reader uses of an application."""

    home: Path
    library: Library
    render: Worker
    pdf: PdfClient
    notes: NotesService


@dataclass
class Reader:
    """The pane under test and what a person does with it."""

    parts: Parts
    pane: ReaderPane
    papers: dict[str, tuple[PaperId, FileId]] = field(default_factory=dict)

    def add(self, name: str, data: bytes, pages: int = 1) -> tuple[PaperId, FileId]:
        """Put a file into the library."""
        library = self.parts.library
        suffix = ".pdf" if "." not in name else ""
        paper = library.papers.add(PaperRecord(title=f"On {name}", authors=("Ada Writer",), year=2020))
        relative = f"{paper}/{name}{suffix}"
        path = library.files_dir / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        file = library.files.add(
            paper,
            sha256=digest,
            path=relative,
            original_name=name,
            size=len(data),
            pages=pages,
            status="added",
        )
        self.papers[name] = (paper, file)
        return paper, file

    @property
    def tab(self) -> PaperTab:
        assert self.pane.current is not None
        return self.pane.current

    @property
    def view(self) -> PdfView:
        return self.tab.view

    async def open(self, name: str) -> PaperTab:
        """Open a paper and wait until it shows."""
        self.pane.open_paper(*self.papers[name])
        await until(lambda: (self.tab.ready and self.view.settled) or self.tab.problem.isVisible())
        assert not self.tab.problem.isVisible(), self.tab.problem.title.text()
        await until(lambda: self.view.texts is not None and self.view.current_page in self.view.texts)
        return self.tab

    def select(self, words: str, page: int = 0, until_words: str | None = None) -> None:
        """Select words as a drag would."""
        texts = self.view.texts
        layer = texts.get(page) if texts is not None else None
        assert layer is not None
        start = layer.text.index(words)
        last = words if until_words is None else until_words
        end = layer.text.index(last, start) + len(last)
        self.view.selecting.set(Selection.at(Caret(page, start)).to(Caret(page, end)))

    def spot(self, words: str, page: int = 0, *, end: bool = False) -> QPoint:
        """Return where words stand in the viewport."""
        texts = self.view.texts
        layer = texts.get(page) if texts is not None else None
        assert layer is not None
        start = layer.text.index(words)
        box = self.view.quads_rect(page, layer.quads(start, start + len(words)))
        assert box is not None
        x = box.right() - 0.5 if end else box.left() + 0.5
        return QPoint(round(x), round(box.center().y()))

    def drag(self, start: QPoint, end: QPoint) -> None:
        """Drag with the mouse."""
        left, area = Qt.MouseButton.LeftButton, self.view.viewport()
        QTest.mousePress(area, left, pos=start)
        QTest.mouseMove(area, (start + end) / 2)
        QTest.mouseMove(area, end)
        QTest.mouseRelease(area, left, pos=end)

    def picture(self) -> QImage:
        """Return what the viewport shows."""
        return self.view.viewport().grab().toImage()


async def until(condition: Callable[[], object], patience: float = PATIENCE_S) -> None:
    """Wait for something to become true, letting the window live meanwhile."""
    async with asyncio.timeout(patience):
        while not condition():  # noqa: ASYNC110  (conditions of widgets send no event)
            await asyncio.sleep(0.01)


def two_columns(pages: int = 1) -> bytes:
    """Return a paper in two columns, each page with words of its own."""
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=612, height=792)
        page.insert_text((72, 60), f"Title of page {number}", fontsize=18)
        for row in range(20):
            y = 110 + row * 16
            page.insert_text((72, y), f"left {number} row {row} of the first column", fontsize=10)
            page.insert_text((330, y), f"right {number} row {row} of the other column", fontsize=10)
    document.set_toc([[1, f"Section {n}", n] for n in range(1, pages + 1)])
    return bytes(document.tobytes())


def plain_pages(count: int, width: int = 595, height: int = 842) -> bytes:
    """Return a paper of many pages, quickly: all share one line of text."""
    content = b"BT /F 20 Tf 72 700 Td (one line of text) Tj ET"
    kids = b" ".join(b"%d 0 R" % (5 + page) for page in range(count))
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R" % (width, height)
    parts += [page + b" /Resources << /Font << /F 3 0 R >> >> >>"] * count
    chunks, offsets, at = [b"%PDF-1.7\n"], [], 9
    for number, part in enumerate(parts, 1):
        offsets.append(at)
        chunks.append(b"%d 0 obj\n%s\nendobj\n" % (number, part))
        at += len(chunks[-1])
    chunks.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1))
    chunks += [b"%010d 00000 n \n" % offset for offset in offsets]
    chunks.append(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, at))
    return b"".join(chunks)


def near(colour: QColor, other: QColor, slack: int = 24) -> bool:
    """Say whether two colours look the same."""
    parts = zip(colour.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return all(abs(a - b) <= slack for a, b in parts)


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> Iterator[None]:
    qapp.setQuitOnLastWindowClosed(False)
    theme().apply(qapp, Scheme.LIGHT)
    yield
    theme().apply(qapp, Scheme.LIGHT)


@asynccontextmanager
async def running(home: Path) -> AsyncIterator[Reader]:
    """Run a pane over a new library and take it down again."""
    library, render = Library.open(home), Worker("render")
    pdf = PdfClient(render, render)
    parts = Parts(home, library, render, pdf, NotesService(library, pdf))
    pane = ReaderPane(parts)  # type: ignore[arg-type]
    pane.resize(900, 800)
    pane.show()
    try:
        yield Reader(parts, pane)
    finally:
        await pane.close_all()
        pane.close()
        pane.deleteLater()
        await render.close()
        library.close()


@pytest.fixture
def reader(qapp: QApplication, home: Path) -> Callable[[], AbstractAsyncContextManager[Reader]]:
    """Return a factory: `async with reader() as r:`."""
    return lambda: running(home)


@pytest.fixture
def make_paper() -> Callable[[int], bytes]:
    return two_columns


@pytest.fixture
def make_long_paper() -> Callable[[int], bytes]:
    return plain_pages


@pytest.fixture
def wait_until() -> Callable[..., object]:
    return until


@pytest.fixture
def looks_like() -> Callable[..., bool]:
    return near
