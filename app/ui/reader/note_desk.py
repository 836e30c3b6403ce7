"""Everything a person does with notes on one paper: highlight, write, choose, delete, undo."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.library.notes import Note
from app.ui.reader.card_shelf import CardShelf
from app.ui.reader.marks import MarkKind
from app.ui.reader.note_keeping import NoteKeeper
from app.ui.reader.notes_panel import NotesPanel
from app.ui.reader.page_view import PdfView
from app.ui.tasks import Tasks
from app.ui.widgets.notices import Message, Notices

KEEP_S = 3.0
"""Closing waits no longer than this for the last words to be kept."""


class NoteDesk(QObject):
    """Keeps highlights, cards and list in step with the notes of the file."""

    edited = Signal()
    """A note was made, changed, deleted or brought back."""
    shown = Signal(str)
    """A note was asked for: whoever keeps the history lets the view jump to it."""

    def __init__(self, view: PdfView, panel: NotesPanel, notices: Notices, tasks: Tasks) -> None:
        super().__init__(view)
        self.keeper: NoteKeeper | None = None
        self.cards = CardShelf(view)
        self._view, self._panel, self._notices, self._tasks = view, panel, notices, tasks
        self._saving: asyncio.Task[Any] | None = None
        panel.note_asked.connect(self.shown)
        panel.edit_asked.connect(self._edit)
        panel.delete_asked.connect(self.delete)
        view.note_clicked.connect(self._clicked)
        self.cards.chosen.connect(self.choose)
        self.cards.delete_asked.connect(self.delete)
        self.cards.text_changed.connect(self._set_text)
        self.cards.colour_changed.connect(self._set_colour)

    def take(self, keeper: NoteKeeper) -> None:
        """Show the notes of a file."""
        self.keeper = keeper
        keeper.changed.connect(self.refresh)

    async def close(self) -> None:
        """Keep what is being written, and wait until it is kept."""
        self.cards.finish()
        if self._saving is not None:
            await asyncio.wait([self._saving], timeout=KEEP_S)

    def reload(self) -> None:
        """Read the notes again: somebody else may have changed them."""
        if self.keeper is not None:
            self._tasks.start(self.keeper.load(), "notes")

    @property
    def notes(self) -> Sequence[Note]:
        """The notes as they are."""
        return self.keeper.notes if self.keeper is not None else ()

    def highlight(self, colour: str, *, write: bool) -> None:
        """Highlight the selection; with `write` its card opens for a note."""
        if self.keeper is not None and self._view.selection and self._view.texts is not None:
            self._tasks.start(self._highlight(self.keeper, colour, write=write))

    def delete(self, note_id: str | None = None) -> None:
        """Delete a note, the chosen one by default, offering to undo it."""
        note_id = note_id or self._view.chosen_note
        if note_id and self.keeper is not None:
            self._tasks.start(self._delete(self.keeper, note_id))

    def undo(self) -> None:
        """Bring back the note deleted last."""
        if self.keeper is not None and self.keeper.can_undo:
            self._tasks.start(self._undo(self.keeper))

    def choose(self, note_id: str | None) -> None:
        """Mark a note as the chosen one, everywhere."""
        note = self.keeper.get(note_id) if self.keeper is not None and note_id else None
        chosen = note.note_id if note else None
        self._view.choose_note(chosen)
        self.cards.choose(chosen)
        self._panel.choose(chosen)

    def edit_chosen(self) -> None:
        """Write on the chosen note."""
        if self._view.chosen_note:
            self.cards.edit(self._view.chosen_note)

    def show_panel(self, on: bool) -> None:
        """Show or fold the list; while it shows, the margin needs no cards."""
        if self._panel.isHidden() == on:
            self._panel.setVisible(on)
            self._make_room()

    def refresh(self) -> None:
        """Show the notes as they are now; the pages do not move under somebody who writes."""
        if self.keeper is None:
            return
        labels = self._view.source.labels if self._view.source is not None else ()
        self._view.set_marks([MarkKind.NOTE], self.keeper.marks())
        if not self.cards.writing:
            self._make_room()
        self.cards.show_notes(self.keeper.notes, labels)
        self._panel.show_notes(self.keeper.notes, labels)

    def _make_room(self) -> None:
        beside = self._panel.isHidden()
        self.cards.set_beside(beside)
        self._view.set_cards(beside and any(note.text for note in self.notes))

    def _clicked(self, note_id: str) -> None:
        self.choose(note_id or None)
        card = self.cards.card(note_id) if note_id else None
        if card is not None:
            card.raise_()

    def _edit(self, note_id: str) -> None:
        self.shown.emit(note_id)
        self.cards.edit(note_id)

    def _set_text(self, note_id: str, text: str) -> None:
        if self.keeper is not None:
            self._saving = self._tasks.start(self._change(self.keeper, note_id, text=text))

    def _set_colour(self, note_id: str, colour: str) -> None:
        if self.keeper is not None:
            self._tasks.start(self._change(self.keeper, note_id, colour=colour))

    async def _highlight(self, keeper: NoteKeeper, colour: str, *, write: bool) -> None:
        selection, texts = self._view.selection, self._view.texts
        if not selection or texts is None:
            return
        made = await keeper.add(selection, texts, colour)
        self._view.selecting.clear()
        if made:
            self.choose(made[0].note_id)
            if write:
                self.cards.edit(made[0].note_id)
            self.edited.emit()

    async def _change(
        self, keeper: NoteKeeper, note_id: str, *, text: str | None = None, colour: str | None = None
    ) -> None:
        await keeper.change(note_id, text=text, colour=colour)
        self.edited.emit()

    async def _delete(self, keeper: NoteKeeper, note_id: str) -> None:
        await keeper.delete(note_id)
        self.choose(None)
        said = Message("info", self.tr("The note was deleted."), action=self.tr("Undo"))
        self._notices.post(said, self.undo)
        self.edited.emit()

    async def _undo(self, keeper: NoteKeeper) -> None:
        note = await keeper.undo()
        if note is not None:
            self.shown.emit(note.note_id)
            self.edited.emit()
