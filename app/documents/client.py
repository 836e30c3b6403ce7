"""PDF files from the application's side: every call runs in a worker; MuPDF is never imported here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.documents.batches import PageBatch, PageNote, PageState
from app.documents.geometry import PageGeometry
from app.documents.inspection import Inspection, OutlineItem
from app.documents.page_text import PageText, Word
from app.documents.pictures import Drawn, Picture
from app.documents.records import record_from_json
from app.errors import WorkerCrashedError, WorkerTimeoutError
from app.records.paper import PaperRecord
from app.workers.host import Worker
from app.workers.pool import WorkerPool
from app.workers.protocol import JSON
from app.workers.request import Priority

__all__ = ["PageBatch", "PageNote", "PageState", "PageText", "PdfClient", "Word"]

OPEN_TIMEOUT_S = 60.0
PAGE_TIMEOUT_S = 25.0
"""The longest silence while pages are read; each page reports when it starts."""
DRAW_TIMEOUT_S = 20.0
MOST_BAD_PAGES = 4
"""A file with more pages that kill the worker is given up."""


@dataclass(slots=True)
class _Progress:
    """How far an extraction came, over restarts of the worker."""

    page: int
    skip: list[int]
    plain: list[int]
    at: int | None = None
    in_model: bool = False
    done: bool = False


class PdfClient:
    """Reads and draws PDF files. `pool` reads whole files, `render` serves the page on the screen.

    All methods raise DocumentError for files that cannot be read (`not_pdf`, `empty`,
    `damaged`, `needs_password`, `no_pages`) and WorkerError when the worker fails.
    """

    def __init__(self, pool: Worker | WorkerPool, render: Worker | WorkerPool) -> None:
        self._pool = pool
        self._render = render

    async def inspect(self, path: Path, password: str | None = None) -> Inspection:
        """Return metadata, outline, labels and the first printed lines."""
        return Inspection.from_json(await self._read("inspect", path, password))

    async def look_into(self, path: Path, password: str | None = None) -> Inspection:
        """Return the same as `inspect` from the worker of the screen, which no import keeps busy."""
        reply = await self._render.call(
            "inspect", _params(path, password), timeout=OPEN_TIMEOUT_S, priority=Priority.USER
        )
        return Inspection.from_json(reply.value)

    async def recognise(self, path: Path, password: str | None = None) -> PaperRecord:
        """Return what the file says of the paper it holds: title, authors, year, identifiers."""
        return record_from_json(await self._read("recognise", path, password))

    async def outline(self, path: Path, password: str | None = None) -> tuple[OutlineItem, ...]:
        """Return the bookmarks in order; headings found in the text where the file has none."""
        return tuple(OutlineItem(*item) for item in await self._read("outline", path, password))

    async def extract(
        self, path: Path, password: str | None = None, start_page: int = 0
    ) -> AsyncGenerator[PageBatch, None]:
        """Yield the passages from a page on, a few pages at a time.

        A page that hangs or kills the worker is left out and noted as FAILED, and reading
        goes on behind it in a new worker. Raises WorkerError if that happens too often.
        """
        progress = _Progress(start_page, [], [])
        while not progress.done:
            try:
                async with aclosing(self._batches(path, password, progress)) as batches:
                    async for batch in batches:
                        yield batch
            except (WorkerTimeoutError, WorkerCrashedError):
                bad = len(progress.skip) + len(progress.plain)
                if progress.at is None or bad >= MOST_BAD_PAGES:
                    raise
                # A page that only the layout model trips over is read without it.
                (progress.plain if progress.in_model else progress.skip).append(progress.at)
                progress.at = None

    async def page_text(self, path: Path, page: int, password: str | None = None) -> PageText:
        """Return the clean text of a page with the place of every word."""
        params = {**_params(path, password), "page": page}
        reply = await self._render.call("page_text", params, timeout=PAGE_TIMEOUT_S, priority=Priority.NORMAL)
        return PageText.from_json(reply.value)

    async def markdown(self, path: Path, password: str | None = None) -> str:
        """Return the whole paper as Markdown: headings, tables, formulas."""
        pages = [page async for batch in self.extract(path, password) for page in batch.markdown]
        return "\n\n".join(page for page in pages if page)

    async def geometries(
        self, path: Path, first: int, last: int, password: str | None = None
    ) -> Sequence[PageGeometry]:
        """Return where the pages `[first, last)` lie."""
        params = {**_params(path, password), "first": first, "last": last}
        reply = await self._render.call("geometries", params, timeout=OPEN_TIMEOUT_S, priority=Priority.USER)
        return [PageGeometry.of(row[:4], row[4], row[5]) for row in reply.value]

    async def render(
        self,
        path: Path,
        picture: Picture,
        block: str,
        password: str | None = None,
        *,
        timeout: float = DRAW_TIMEOUT_S,
        priority: int = Priority.USER,
    ) -> Drawn:
        """Draw a page or a tile of it into the shared memory block of this name, which the caller owns.

        Raises WorkerTimeoutError for a page that takes too long; the worker is then replaced.
        """
        params = {**_params(path, password), "block": block, **picture.as_params()}
        reply = await self._render.call("render", params, timeout=timeout, priority=priority)
        return Drawn(*reply.value)

    async def _read(self, method: str, path: Path, password: str | None) -> Any:
        reply = await self._pool.call(method, _params(path, password), timeout=OPEN_TIMEOUT_S)
        return reply.value

    async def _batches(
        self, path: Path, password: str | None, progress: _Progress
    ) -> AsyncGenerator[PageBatch, None]:
        params = {
            **_params(path, password),
            "start_page": progress.page,
            "skip": list(progress.skip),
            "plain": list(progress.plain),
        }
        stream = self._pool.stream("extract", params, timeout=PAGE_TIMEOUT_S, priority=Priority.BULK)
        async with aclosing(stream) as parts:
            async for part in parts:
                match part:
                    case {"at": int(page)}:
                        progress.at, progress.in_model = page, bool(part.get("model"))
                    case {"first": int()}:
                        batch = _with_hung(PageBatch.from_json(part), progress.skip)
                        progress.page = batch.last + 1
                        yield batch
                    case _:
                        progress.done = True


def _with_hung(batch: PageBatch, skip: Sequence[int]) -> PageBatch:
    """Say of pages that were left out that reading them did not end."""
    notes = tuple(
        replace(note, message="Reading this page did not end.") if note.page in skip else note
        for note in batch.notes
    )
    return replace(batch, notes=notes)


def _params(path: Path, password: str | None) -> dict[str, JSON]:
    return {"path": str(path), "password": password}
