"""The notes of the open file: made from selections, changed, deleted, brought back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.library.notes import Note
from app.records.anchor import Anchor, anchor_at
from app.records.ids import NoteId, PageIndex
from app.ui.reader.marks import Mark, MarkKind
from app.ui.reader.opened import OpenFile
from app.ui.reader.page_source import TextStore
from app.ui.reader.selection import Selection

if TYPE_CHECKING:
    from app.services.notes import NotesService


class NoteKeeper(QObject):
    """Keeps the list of notes as it is in the library; `changed` after each difference.

    A selection over several pages makes one note on each page: a note is anchored on one
    page, and survives there even if the other page changes. The words go to the first.
    """

    changed = Signal()

    def __init__(self, service: NotesService, file: OpenFile) -> None:
        super().__init__()
        self.notes: list[Note] = []
        self._service, self._file = service, file
        self._deleted: list[Note] = []
        self._in_order = asyncio.Lock()

    def get(self, note_id: str) -> Note | None:
        """Return a note of this file."""
        return next((note for note in self.notes if note.note_id == note_id), None)

    def marks(self) -> list[Mark]:
        """Return the highlights of all notes."""
        return [
            Mark(MarkKind.NOTE, note.anchor.page, note.anchor.quads, note.color, note.note_id)
            for note in self.notes
        ]

    @property
    def can_undo(self) -> bool:
        """Whether a deleted note can be brought back."""
        return bool(self._deleted)

    async def load(self) -> None:
        """Read the notes of the file again."""
        self.notes = await self._service.of_file(self._file.file_id)
        self.changed.emit()

    async def add(self, selection: Selection, texts: TextStore, colour: str) -> list[Note]:
        """Highlight a selection."""
        anchors = [
            anchor
            for page in selection.pages()
            if (anchor := await self._anchor(selection, texts, page)) is not None
        ]
        made = [
            await self._service.mark(self._file.paper_id, self._file.file_id, anchor, color=colour)
            for anchor in anchors
        ]
        await self.load()
        return made

    async def change(self, note_id: str, *, text: str | None = None, colour: str | None = None) -> None:
        """Change what is written on a note, or its colour; changes are kept in the order of the calls."""
        async with self._in_order:
            await self._service.update(NoteId(note_id), text=text, color=colour)
            await self.load()

    async def delete(self, note_id: str) -> None:
        """Delete a note; `undo` brings it back."""
        async with self._in_order:
            self._deleted.append(await self._service.delete(NoteId(note_id)))
            await self.load()

    async def undo(self) -> Note | None:
        """Bring back the note deleted last."""
        if not self._deleted:
            return None
        note = await self._service.restore(self._deleted.pop())
        await self.load()
        return note

    async def _anchor(self, selection: Selection, texts: TextStore, page: int) -> Anchor | None:
        layer = await texts.load(page)
        span = selection.span_on(page, layer.body_end)
        span = _trimmed(layer.text, span) if span else None
        if span is None:
            return None
        anchor = anchor_at(PageIndex(page), layer.text, *span)
        return replace(anchor, quads=layer.quads(*span))


def _trimmed(text: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """Return the span without white space at its ends."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
