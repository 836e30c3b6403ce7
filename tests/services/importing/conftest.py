"""A library of its own for each test, real workers, and PDFs made on the spot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pymupdf
import pytest

from app.documents.client import PdfClient
from app.library import Library
from app.llm.embeddings import Embedder
from app.services.changes import Change
from app.services.importing import Importer
from app.workers.host import Worker
from app.workers.pool import WorkerPool

MakePdf = Callable[..., Path]

AES_256 = 5
"""What PyMuPDF calls PDF_ENCRYPT_AES_256."""

SENTENCE = "The pulsation period of the variable star number {n} is {n}.5 days in the infrared band. "


@pytest.fixture
def make_pdf(tmp_path: Path) -> MakePdf:
    """Write a PDF with a title, an author line and as many text pages as asked."""

    def make(
        name: str = "paper.pdf",
        *,
        title: str = "",
        author: str = "Ada Nakamura",
        pages: int = 2,
        text: str | None = None,
        extra: str = "",
        password: str = "",
    ) -> Path:
        path = tmp_path / "papers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        document = pymupdf.open()
        title = title or f"On the light curve of {path.stem}"
        for number in range(pages):
            page = document.new_page()
            if number == 0 and text != "":
                page.insert_textbox((72, 60, 520, 110), title, fontsize=18, fontname="hebo")
                page.insert_textbox((72, 120, 520, 140), author, fontsize=11)
                page.insert_textbox((72, 140, 520, 180), extra, fontsize=9)
            body = text if text is not None else f"{path.stem}. " + SENTENCE.format(n=number + 1) * 12
            page.insert_textbox((72, 190, 520, 780), body, fontsize=10)
        document.set_metadata({"title": title, "author": author} if text is None else {})
        if password:
            document.save(path, encryption=AES_256, user_pw=password, owner_pw="owner")
        else:
            document.save(path)
        document.close()
        return path

    return make


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    with Library.open(home) as opened:
        yield opened


class Imports:
    """An importer with everything it told."""

    def __init__(self, importer: Importer, changes: list[Change], pool: WorkerPool) -> None:
        self.importer = importer
        self.changes = changes
        self.pool = pool

    async def add(self, *paths: Path, passwords: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Import and return (file name, status) of each, sorted by name."""
        return sorted(
            [(r.path.name, r.status.value) async for r in self.importer.add(paths, passwords=passwords)]
        )


OpenImporter = Callable[..., AbstractAsyncContextManager[Imports]]


@pytest.fixture
def open_importer(library: Library, home: Path) -> OpenImporter:
    """Open an importer over the test's library; as a context manager, so that a test can have two in turn."""

    @asynccontextmanager
    async def opened(embedder: Embedder | None = None) -> AsyncIterator[Imports]:
        pool, render = WorkerPool("pdf", 2), Worker("render")
        changes: list[Change] = []
        importer = Importer(
            library, PdfClient(pool, render), lambda: embedder, home=home, on_change=changes.append
        )
        try:
            yield Imports(importer, changes, pool)
        finally:
            await importer.close()
            await pool.close()
            await render.close()

    return opened


@pytest.fixture
async def imports(open_importer: OpenImporter) -> AsyncIterator[Imports]:
    """One importer without an embedding model."""
    async with open_importer() as opened:
        yield opened
