"""The cards of the notes that show, each beside its highlight."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.library.notes import Note
from app.ui.reader.layout import CARDS_WIDTH
from app.ui.reader.note_card import SHADOW, NoteCard
from app.ui.reader.page_view import PdfView

BESIDE, BETWEEN = 14, 2
LEAST, MOST = 130, 220


class CardShelf(QObject):
    """Makes a card for every visible note with words; only these exist as widgets.

    Where the margin is too narrow only the chosen note has a card, over the page.
    """

    text_changed = Signal(str, str)
    colour_changed = Signal(str, str)
    delete_asked = Signal(str)
    chosen = Signal(str)

    def __init__(self, view: PdfView) -> None:
        super().__init__(view)
        self._view = view
        self._cards: dict[str, NoteCard] = {}
        self._notes: Sequence[Note] = ()
        self._labels: Sequence[str] = ()
        self._chosen: str | None = None
        self._beside = True
        view.moved.connect(self.arrange)

    def show_notes(self, notes: Sequence[Note], labels: Sequence[str]) -> None:
        """Take in the notes as they are now."""
        self._notes, self._labels = notes, labels
        known: dict[str, Note] = {note.note_id: note for note in notes}
        for note_id, card in list(self._cards.items()):
            if note_id not in known:
                self._remove(note_id)
            else:
                card.show_note(known[note_id])
        self.arrange()

    def set_beside(self, beside: bool) -> None:
        """Say whether cards stand in the margin, or only the chosen one shows."""
        self._beside = beside
        self.arrange()

    def choose(self, note_id: str | None) -> None:
        """Let the chosen note have a card even if it has no words yet."""
        self._chosen = note_id
        self.arrange()

    def edit(self, note_id: str) -> None:
        """Open the card of a note to write in it."""
        self.choose(note_id)
        if (card := self._cards.get(note_id)) is not None:
            card.edit()

    @property
    def writing(self) -> bool:
        """True while the person writes on a card."""
        return any(card.editing for card in self._cards.values())

    def finish(self) -> None:
        """Keep what is being written."""
        for card in self._cards.values():
            card.finish()

    def card(self, note_id: str) -> NoteCard | None:
        """Return the card of a note if it shows."""
        return self._cards.get(note_id)

    def arrange(self) -> None:
        """Put every card beside its highlight, one under the other where they would meet."""
        view = self._view
        pages = view.visible_pages() if view.source is not None else range(0)
        shown = [note for note in self._notes if note.anchor.page in pages and self._wanted(note)]
        for note_id in [i for i in self._cards if i not in {note.note_id for note in shown}]:
            if not self._cards[note_id].editing:
                self._remove(note_id)
        floor = -10_000.0
        placed = [
            (rect, note) for note in shown if (rect := view.quads_rect(note.anchor.page, note.anchor.quads))
        ]
        for rect, note in sorted(placed, key=lambda item: item[0].top()):
            page = view.page_rect(note.anchor.page)
            room = view.viewport().width() - page.right() - BESIDE - 4
            card = self._card(note)
            if room >= LEAST:
                card.fit(round(min(MOST, room)))
                top = max(rect.top() - 8 - SHADOW, floor)
                card.move(round(page.right() + BESIDE - SHADOW), round(top))
                floor = top + card.height() + BETWEEN - SHADOW
            else:
                self._float(card, rect.left(), rect.bottom())
            card.show()

    def _wanted(self, note: Note) -> bool:
        if note.note_id == self._chosen:
            return True
        return self._beside and bool(note.text) and self._margin(note.anchor.page) >= LEAST

    def _margin(self, page: int) -> float:
        return self._view.viewport().width() - self._view.page_rect(page).right() - BESIDE - 4

    def _float(self, card: NoteCard, left: float, bottom: float) -> None:
        area = self._view.viewport()
        card.fit(CARDS_WIDTH + 40)
        left = min(max(4.0, left), area.width() - card.width() - 4.0)
        card.move(round(left), round(bottom + 4))
        card.raise_()

    def _card(self, note: Note) -> NoteCard:
        card = self._cards.get(note.note_id)
        if card is None:
            card = NoteCard(note, self._labels, self._view.viewport())
            card.text_changed.connect(self.text_changed)
            card.colour_changed.connect(self.colour_changed)
            card.delete_asked.connect(self.delete_asked)
            card.chosen.connect(self.chosen)
            self._cards[note.note_id] = card
        return card

    def _remove(self, note_id: str) -> None:
        card = self._cards.pop(note_id)
        card.blockSignals(True)  # hidden it would tell of words on a note that is gone
        card.hide()
        card.deleteLater()
