"""Pages of an open document to batches of passages (worker side)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.documents.batches import PageBatch, PageNote, PageState
from app.documents.chunk import PageContent, chunk_page
from app.documents.headings import SectionPath
from app.documents.layout import MOST_PAGES, LayoutBox, in_doubt, relabelled
from app.documents.markdown import page_markdown
from app.documents.page_text import text_lines
from app.documents.quality import PageQuality
from app.documents.reading import DocumentReader, ReadPage
from app.errors import DocumentError
from app.records.ids import PageIndex
from app.records.passage import Passage

AskModel = Callable[[int], Sequence[LayoutBox]]
"""Return what the layout model sees on a page; nothing where it cannot help."""

CATCH_UP_PAGES = 40
"""How far back headings are looked for when reading starts in the middle."""


class Extraction:
    """Reads one document page after page, carrying the open sections along."""

    def __init__(self, reader: DocumentReader, ask_model: AskModel | None = None) -> None:
        self._reader = reader
        self._path = SectionPath()
        self._ask_model = ask_model
        self._asked = 0

    def catch_up(self, start: int) -> None:
        """Find the sections that are open where page `start` begins."""
        for page in range(max(0, start - CATCH_UP_PAGES), start):
            self._page(page)

    def batch(self, first: int, end: int) -> PageBatch:
        """Return the passages of the pages `[first, end)`. Pages that cannot be read are noted."""
        passages: list[Passage] = []
        notes: list[PageNote] = []
        markdown: list[str] = []
        lengths: list[int] = []
        for page in range(first, end):
            found, note, read = self._page(page)
            passages += found
            notes += [note] if note is not None else []
            usable = read is not None and note is None
            markdown.append(page_markdown(read) if read is not None and usable else "")
            lengths.append(len("".join(read.body.split())) if read is not None else 0)
        return PageBatch(
            first=PageIndex(first),
            last=PageIndex(end - 1),
            total=self._reader.pages,
            passages=tuple(passages),
            notes=tuple(notes),
            markdown=tuple(markdown),
            lengths=tuple(lengths),
        )

    def _page(self, page: int) -> tuple[list[Passage], PageNote | None, ReadPage | None]:
        index = PageIndex(page)
        try:
            read = self._reader.read(page)
        except DocumentError as error:
            return [], PageNote(index, PageState.FAILED, error.message), None
        if read.quality is not PageQuality.OK:
            return [], PageNote(index, PageState(read.quality.value)), read
        read = self._refined(read)
        to_user = read.glyphs.to_user
        content = PageContent(
            page=read.page,
            label=read.label,
            text=read.body,
            blocks=[block for block in read.flow.blocks if block.end <= read.body_end],
            lines=lambda start, end: text_lines(read.flow, start, end, to_user),
        )
        return chunk_page(content, self._path), None, read

    def _refined(self, read: ReadPage) -> ReadPage:
        """Ask the layout model where our own reading is in doubt, a few times a document."""
        if self._ask_model is None or self._asked >= MOST_PAGES or not in_doubt(read.flow):
            return read
        self._asked += 1
        boxes = self._ask_model(read.page) if read.glyphs.upright else ()
        return replace(read, flow=relabelled(read.flow, boxes)) if boxes else read
