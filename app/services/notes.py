"""Notes: mark a stretch of a page, add words to it, find it again when the file changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.errors import NotFoundError, UsageError
from app.library.notes import Note
from app.records.anchor import Anchor, anchor_at, find_quote
from app.records.ids import FileId, NoteId, PageIndex, PaperId
from app.records.passage import Quad
from app.services.changes import LibraryChanged, LibraryChangeKind
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.library.files import FileRow
    from app.library.library import Library


SCANNED_AT_MOST = 200
"""Pages of a file that are read for a quote which its index does not hold."""


class PageWords(Protocol):
    """The clean text of a page and where it stands (`app.documents.page_text.PageText`)."""

    @property
    def text(self) -> str: ...
    def quads(self, start: int, end: int) -> tuple[Quad, ...]: ...


class PageReader(Protocol):
    """What notes need of the PDF client."""

    async def page_text(self, path: Path, page: int, password: str | None = None) -> PageWords: ...


class NotesService:
    """Adds, changes and lists notes; everything it returns is on the disk."""

    def __init__(
        self,
        library: Library,
        pdf: PageReader,
        on_change: Callable[[LibraryChanged], None] = lambda _: None,
    ) -> None:
        self._library = library
        self._pdf = pdf
        self._on_change = on_change

    async def add(
        self,
        paper_id: PaperId,
        quote: str,
        *,
        text: str = "",
        color: str = "yellow",
        page: PageIndex | None = None,
        file_id: FileId | None = None,
    ) -> Note:
        """Mark a quote that is given in words alone: it is looked for on `page`, or in the whole paper.

        Raises NotFoundError when the quote stands nowhere: a note is never put on a guess.
        """
        if not quote.strip():
            raise UsageError("A note needs the words it is about.", hint="Give a quote from the paper.")
        files = [
            file
            for file in (await off_loop(self._library.papers.get, paper_id)).files
            if file_id in (None, file.file_id)
        ]
        for file in files:
            for candidate in await self._likely_pages(file, quote, page):
                anchor = await self._anchor_on(file, candidate, quote)
                if anchor is not None:
                    return await self.mark(paper_id, file.file_id, anchor, color=color, text=text)
        where = "" if page is None else f" on page {page + 1}"
        raise NotFoundError(
            f"These words are not in the paper{where}.", hint="Quote the paper word for word."
        )

    async def mark(
        self, paper_id: PaperId, file_id: FileId | None, anchor: Anchor, *, color: str, text: str = ""
    ) -> Note:
        """Keep a note on an anchor that is known already, such as a selection in the reader."""
        note = await off_loop(self._library.notes.add, paper_id, file_id, anchor, color, text)
        self._changed(paper_id)
        return note

    async def update(self, note_id: NoteId, *, color: str | None = None, text: str | None = None) -> Note:
        """Change colour or words."""
        note = await off_loop(self._library.notes.update, note_id, color=color, text=text)
        self._changed(note.paper_id)
        return note

    async def delete(self, note_id: NoteId) -> Note:
        """Delete a note and return it, for `restore`."""
        note = await off_loop(self._library.notes.get, note_id)
        await off_loop(self._library.notes.delete, note_id)
        self._changed(note.paper_id)
        return note

    async def restore(self, note: Note) -> Note:
        """Bring back what `delete` returned (under a new id)."""
        return await self.mark(note.paper_id, note.file_id, note.anchor, color=note.color, text=note.text)

    async def of_paper(self, paper_id: PaperId) -> list[Note]:
        """Return the notes of a paper in reading order."""
        return await off_loop(self._library.notes.of_paper, paper_id)

    async def of_file(self, file_id: FileId) -> list[Note]:
        """Return the notes in a file in reading order."""
        return await off_loop(self._library.notes.of_file, file_id)

    async def reanchor(self, paper_id: PaperId, file_id: FileId) -> tuple[list[Note], list[Note]]:
        """Move the notes of a paper to another file of it; return (moved, those that need a look).

        A note is looked for on its own page first, then on the pages around it. One that
        is not found keeps its old anchor: none is dropped.
        """
        row = await off_loop(self._library_file, paper_id, file_id)
        moved, left = [], []
        for note in await self.of_paper(paper_id):
            if note.file_id == file_id:
                continue
            found = await self._found_again(row, note)
            if found is None:
                left.append(note)
                continue
            moved.append(
                await off_loop(self._library.notes.update, note.note_id, anchor=found, file_id=file_id)
            )
        if moved:
            self._changed(paper_id)
        return moved, left

    async def _found_again(self, row: FileRow, note: Note) -> Anchor | None:
        pages = sorted(range(row.pages), key=lambda page: abs(page - note.anchor.page))
        for page in pages[:9]:
            found = await self._anchor_on(row, PageIndex(page), note.anchor.quote, like=note.anchor)
            if found is not None:
                return found
        return None

    async def _likely_pages(self, file: FileRow, quote: str, page: PageIndex | None) -> list[PageIndex]:
        """Return the page asked for, or those whose indexed passages hold the quote or its beginning."""
        if page is not None:
            return [page]
        hits = await off_loop(self._library.passages.of_file, file.file_id)
        whole = [hit.passage.page for hit in hits if find_quote(hit.passage.text, quote)]
        begun = [hit.passage.page for hit in hits if find_quote(hit.passage.text, quote[:60], min_score=1)]
        return list(dict.fromkeys([*whole, *begun])) or [
            PageIndex(index) for index in range(min(file.pages, SCANNED_AT_MOST))
        ]

    async def _anchor_on(
        self, file: FileRow, page: PageIndex, quote: str, like: Anchor | None = None
    ) -> Anchor | None:
        if not 0 <= page < max(1, file.pages):
            raise UsageError(f"The file has {file.pages} pages.", hint="Pages are counted from 0.")
        if not file.path.endswith(".pdf"):
            return await off_loop(self._anchor_in_passages, file, quote)
        words = await self._pdf.page_text(stored_path(self._library.files_dir, file.path), page)
        prefix, suffix = (like.prefix, like.suffix) if like else ("", "")
        span = find_quote(words.text, quote, prefix=prefix, suffix=suffix)
        if span is None:
            return None
        return replace(anchor_at(page, words.text, *span), quads=words.quads(*span))

    def _anchor_in_passages(self, file: FileRow, quote: str) -> Anchor | None:
        """Anchor in a paper without pages (Markdown): its passages are its text."""
        for hit in self._library.passages.of_file(file.file_id):
            span = find_quote(hit.passage.text, quote)
            if span is not None:
                inner = anchor_at(hit.passage.page, hit.passage.text, *span)
                shift = hit.passage.start
                return replace(inner, start=inner.start + shift, end=inner.end + shift)
        return None

    def _library_file(self, paper_id: PaperId, file_id: FileId) -> FileRow:
        files = self._library.papers.get(paper_id).files
        found = next((file for file in files if file.file_id == file_id), None)
        if found is None:
            raise NotFoundError("That file does not belong to the paper.")
        return found

    def _changed(self, paper_id: PaperId) -> None:
        self._on_change(LibraryChanged(LibraryChangeKind.NOTES_CHANGED, (paper_id,)))


def stored_path(files_dir: Path, relative: str) -> Path:
    """Return where a file of the library lies; `relative` may or may not begin with "files/"."""
    path = files_dir / relative
    return path if path.exists() or not relative.startswith("files/") else files_dir.parent / relative
