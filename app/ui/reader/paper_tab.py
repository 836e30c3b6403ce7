"""One open paper: its pages with outline, notes and find bar, or what is shown instead of them."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.errors import AppError
from app.records.anchor import find_quote
from app.records.answer import Citation
from app.records.ids import FileId, PaperId
from app.services.threads import off_loop
from app.ui.reader.card_shelf import CardShelf
from app.ui.reader.find_bar import FindBar
from app.ui.reader.find_control import FindControl
from app.ui.reader.history import History
from app.ui.reader.layout import Place
from app.ui.reader.markdown_pages import MarkdownPages
from app.ui.reader.marks import Mark, MarkKind
from app.ui.reader.note_keeping import NoteKeeper
from app.ui.reader.notes_panel import NotesPanel
from app.ui.reader.opened import OpenFile, find_file, headings
from app.ui.reader.outline_panel import OutlinePanel
from app.ui.reader.page_problems import PageProblems
from app.ui.reader.page_view import Fit, PdfView
from app.ui.reader.paper_source import PaperSource
from app.ui.reader.problems import Loading, PasswordForm, Problem
from app.ui.reader.selection_bar import SelectionBar
from app.ui.tasks import Tasks
from app.ui.widgets.notices import Message, Notices

if TYPE_CHECKING:
    from app.application import Application

OUTLINE_WIDTH, NOTES_WIDTH = 216, 248
POSITION_PAUSE_MS = 1500
NEEDS_PASSWORD = "needs_password"  # noqa: S105  (an error code)


class PaperTab(QWidget):
    """Opens one file and lets it be read. `close_paper` must be awaited before it goes away."""

    named = Signal(str, str)
    changed = Signal()
    """Page, zoom, history or readiness changed: the toolbar reads them anew."""
    note_changed = Signal(str)
    question_asked = Signal(str, str, int)

    def __init__(self, application: Application) -> None:
        super().__init__()
        self.file: OpenFile | None = None
        self.keeper: NoteKeeper | None = None
        self.history = History()
        self.colour = "yellow"
        self.pen = False
        self._application = application
        self._wanted: tuple[PaperId, FileId | None] | None = None
        self._citation: Citation | None = None
        self._source: PaperSource | None = None
        self._tasks = Tasks(self._report)
        self.view = PdfView()
        self.outline, self.notes = OutlinePanel(), NotesPanel()
        self.text_pages = MarkdownPages()
        self.loading, self.password = Loading(), PasswordForm()
        self.problem = Problem(self.reload)
        self.find_bar = FindBar(self.view)
        self.finder = FindControl(self.find_bar, self.view, self._tasks)
        self.cards, self.page_problems = CardShelf(self.view), PageProblems(self.view)
        self.selection_bar = SelectionBar(self.view.viewport())
        self._notices = Notices(self)
        self._save_soon = QTimer(self, singleShot=True, interval=POSITION_PAUSE_MS)
        self._lay_out()
        self._connect()

    # -- what it offers

    @property
    def ready(self) -> bool:
        """True once pages can show."""
        return self._stack.currentWidget() is self._reading and self.view.source is not None

    @property
    def settled(self) -> bool:
        """True when what shows will not change by itself any more."""
        return self.view.settled if self.ready else self._stack.currentWidget() is not self.loading

    def open(self, paper_id: PaperId, file_id: FileId | None = None) -> None:
        """Open a paper (its first file, or the one named)."""
        self._wanted = (paper_id, file_id)
        self.reload()

    def reload(self) -> None:
        """Open the paper again, after an error."""
        if self._wanted is not None:
            self._show(self.loading)
            self.loading.begin()
            self._tasks.start(self._open(*self._wanted), "open")

    def show_citation(self, citation: Citation) -> None:
        """Jump to the quote of a citation and mark it; it waits until the pages are there."""
        self._citation = citation
        if self.ready or self._stack.currentWidget() is self.text_pages:
            self._tasks.start(self._mark_citation(citation), "citation")

    def jump(self, page: int) -> None:
        """Go to a page; Back returns to where this started."""
        self.history.leave(self.view.place())
        self.view.go_to_page(page)
        self.changed.emit()

    def go_back(self) -> None:
        """Return to where the last jump started."""
        place = self.history.back(self.view.place())
        if place is not None:
            self.view.go_to(place)
        self.changed.emit()

    def go_ahead(self) -> None:
        """Undo a step back."""
        place = self.history.ahead(self.view.place())
        if place is not None:
            self.view.go_to(place)
        self.changed.emit()

    def highlight(self, colour: str | None = None, *, write: bool = False) -> None:
        """Highlight the selection; with `write` its card opens for a note."""
        selection = self.view.selection
        if selection and self.keeper is not None and self.view.texts is not None:
            self.start(self._highlight(self.keeper, colour or self.colour, write))

    def copy(self) -> None:
        """Put the selected words on the clipboard, clean."""
        self.start(self._copy())

    def ask(self) -> None:
        """Ask about the selected words."""
        selection, words = self.view.selection, self.view.selected_text()
        if selection and words and self.file is not None:
            self.question_asked.emit(words, self.file.paper_id, selection.first.page)

    def delete_note(self, note_id: str | None = None) -> None:
        """Delete a note, the chosen one by default, offering to undo it."""
        note_id = note_id or self.view.chosen_note
        if note_id and self.keeper is not None:
            self.start(self._delete(self.keeper, note_id))

    def undo(self) -> None:
        """Bring back the note deleted last."""
        if self.keeper is not None and self.keeper.can_undo:
            self.start(self._undo(self.keeper))

    def escape(self) -> None:
        """Take away what lies over the page: find bar, selection, citation, chosen note."""
        if self.find_bar.isVisible():
            self.find_bar.dismiss()
        elif self.view.selection:
            self.view.selecting.clear()
        else:
            self.view.set_marks([MarkKind.CITATION], ())
            self._choose(None)

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Run something that ends with this tab; its errors are shown here."""
        self._tasks.start(work)

    async def close_paper(self) -> None:
        """Keep the reading position and end all work."""
        await self._save_position()
        await self._tasks.close()
        self._release()

    # -- opening

    async def _open(self, paper_id: PaperId, file_id: FileId | None, password: str | None = None) -> None:
        try:
            self.file = await find_file(self._application, paper_id, file_id)
            self.named.emit(self.file.label, self.file.title)
            self.keeper = NoteKeeper(self._application.notes, self.file)
            self.keeper.changed.connect(self._notes_changed)
            if self.file.is_pdf:
                await self._open_pdf(self.file, password)
            else:
                self.text_pages.show_text(await off_loop(self.file.path.read_text, "utf-8", "replace"))
                self._show(self.text_pages)
        except AppError as error:
            if error.code == NEEDS_PASSWORD:
                self._show(self.password)
                self.password.ask(again=password is not None)
            else:
                self.problem.show_error(error)
                self._show(self.problem)
            return
        await self.keeper.load()
        if self._citation is not None:
            await self._mark_citation(self._citation)

    async def _open_pdf(self, file: OpenFile, password: str | None) -> None:
        inspection = await self._application.pdf.look_into(file.path, password)
        position = await off_loop(self._application.library.state.get, _position_key(file.file_id)) or {}
        self._release()
        self._source = PaperSource(self._application.pdf, file.path, inspection, password)
        if position.get("fit") in {"width", "page"}:
            self.view.fit = Fit(position["fit"])
        elif isinstance(position.get("zoom"), float):
            self.view.set_zoom(position["zoom"])
        page = min(int(position.get("page", 0)), self._source.pages - 1)
        place = Place(page, float(position.get("down", 0.0))) if position else None
        self._show(self._reading)
        self.view.show_source(self._source, place)
        outline = inspection.outline or await headings(self._application, file.file_id, self._source.pages)
        self.outline.show_items(outline, self._source.labels)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def _release(self) -> None:
        self.view.close_source()
        if self._source is not None:
            self._source.close()
            self._source = None

    async def _save_position(self) -> None:
        if self.file is None or not self.ready or not any(self.view.column.known):
            return
        place = self.view.place()
        position = {
            "page": place.page,
            "down": place.down,
            "zoom": self.view.zoom,
            "fit": self.view.fit.value,
        }
        await off_loop(self._application.library.state.set, _position_key(self.file.file_id), position)

    async def _mark_citation(self, citation: Citation) -> None:
        """Mark the quote where it stands on the page as it is now; else where the index saw it."""
        self._citation = None
        if self._stack.currentWidget() is self.text_pages:
            self.text_pages.mark(citation.quote)
            return
        texts, source = self.view.texts, self._source
        if texts is None or source is None or not 0 <= citation.page < source.pages:
            return
        self.history.leave(self.view.place())
        self.view.go_to_page(citation.page)
        layer = await texts.load(citation.page)
        span = find_quote(layer.text, citation.quote)
        quads = layer.quads(*span) if span else citation.quads
        self.view.set_marks([MarkKind.CITATION], [Mark(MarkKind.CITATION, citation.page, tuple(quads))])
        await self.view.page_known(citation.page)
        self.view.go_to_quads(citation.page, quads)
        self.changed.emit()

    # -- notes and selection

    async def _highlight(self, keeper: NoteKeeper, colour: str, write: bool) -> None:
        selection, texts = self.view.selection, self.view.texts
        if not selection or texts is None:
            return
        made = await keeper.add(selection, texts, colour)
        self.view.selecting.clear()
        if made:
            self._choose(made[0].note_id)
            if write:
                self.cards.edit(made[0].note_id)

    async def _copy(self) -> None:
        selection, texts = self.view.selection, self.view.texts
        if selection and texts is not None:
            for page in selection.pages():
                await texts.load(page)
            QGuiApplication.clipboard().setText(self.view.selected_text())

    async def _delete(self, keeper: NoteKeeper, note_id: str) -> None:
        await keeper.delete(note_id)
        self._choose(None)
        self._notices.post(
            Message("info", self.tr("The note was deleted."), action=self.tr("Undo")), self.undo
        )

    async def _undo(self, keeper: NoteKeeper) -> None:
        note = await keeper.undo()
        if note is not None:
            self.jump_to_note(note.note_id)

    def jump_to_note(self, note_id: str) -> None:
        """Show a note's highlight."""
        note = self.keeper.get(note_id) if self.keeper is not None else None
        if note is not None:
            self.history.leave(self.view.place())
            self.view.go_to_quads(note.anchor.page, note.anchor.quads)
            self._choose(note_id)
            self.changed.emit()

    def edit_chosen(self) -> None:
        """Write on the chosen note."""
        if self.view.chosen_note:
            self.cards.edit(self.view.chosen_note)

    def _edit_note(self, note_id: str) -> None:
        self.jump_to_note(note_id)
        self.cards.edit(note_id)

    def _choose(self, note_id: str | None) -> None:
        note = self.keeper.get(note_id) if self.keeper is not None and note_id else None
        self.view.choose_note(note.note_id if note else None)
        self.cards.choose(note.note_id if note else None)
        self.notes.choose(note.note_id if note else None)

    def _note_clicked(self, note_id: str) -> None:
        self._choose(note_id or None)
        if note_id and (card := self.cards.card(note_id)) is not None:
            card.raise_()

    def _notes_changed(self) -> None:
        if self.keeper is None or self.file is None:
            return
        labels = self._source.labels if self._source is not None else ()
        self.view.set_marks([MarkKind.NOTE], self.keeper.marks())
        self._make_room_for_cards()
        self.cards.show_notes(self.keeper.notes, labels)
        self.notes.show_notes(self.keeper.notes, labels)
        self.note_changed.emit(self.file.paper_id)

    def show_notes_panel(self, on: bool) -> None:
        """Show or fold the list of notes; while it shows, the margin needs no cards."""
        if self.notes.isHidden() == on:
            self.notes.setVisible(on)
            self._make_room_for_cards()

    def _make_room_for_cards(self) -> None:
        notes = self.keeper.notes if self.keeper is not None else []
        beside = self.notes.isHidden()
        self.cards.set_beside(beside)
        self.view.set_cards(beside and any(note.text for note in notes))

    def _selection_changed(self) -> None:
        selection = self.view.selection
        if not selection or self.view.selecting.dragging:
            self.selection_bar.hide()
            return
        if self.pen:
            self.highlight()
            return
        self._place_selection_bar()

    def _place_selection_bar(self) -> None:
        selection = self.view.selection
        if not selection or self.pen or self.view.selecting.dragging:
            self.selection_bar.hide()
            return
        page = selection.last.page
        words = self.view.quads_rect(page, self.view.selecting.quads_on(page)[-1:])
        if words is None or not words.intersects(self.view.viewport().rect().toRectF()):
            self.selection_bar.hide()
        else:
            self.selection_bar.show_under(words)

    def _report(self, error: BaseException) -> None:
        if isinstance(error, AppError):
            self._notices.post(Message("error", error.message, error.hint))
        else:
            raise error

    # -- how it is put together

    def _show(self, widget: QWidget) -> None:
        self._stack.setCurrentWidget(widget)
        self.changed.emit()

    def _lay_out(self) -> None:
        self._reading = QSplitter(Qt.Orientation.Horizontal)
        self._reading.setHandleWidth(1)
        self._reading.setChildrenCollapsible(False)
        for part in (self.outline, self.view, self.notes):
            self._reading.addWidget(part)
        self._reading.setStretchFactor(1, 1)
        self._reading.setSizes([OUTLINE_WIDTH, 600, NOTES_WIDTH])
        self.view.setMinimumWidth(200)
        self.outline.setMinimumWidth(140)
        self.notes.setMinimumWidth(160)
        self.outline.hide()
        self.notes.hide()
        self._stack = QStackedWidget()
        for page in (self.loading, self._reading, self.text_pages, self.password, self.problem):
            self._stack.addWidget(page)
        self.setProperty("pane", "reader")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._stack)

    def _connect(self) -> None:
        view = self.view
        view.page_changed.connect(self._page_changed)
        view.zoom_changed.connect(lambda _: self.changed.emit())
        view.moved.connect(self._place_selection_bar)
        view.moved.connect(self._save_soon.start)
        view.selection_changed.connect(self._selection_changed)
        view.note_clicked.connect(self._note_clicked)
        view.failed.connect(self._report)
        self._save_soon.timeout.connect(lambda: self.start(self._save_position()))
        self.outline.page_asked.connect(self.jump)
        self.notes.note_asked.connect(self.jump_to_note)
        self.notes.edit_asked.connect(self._edit_note)
        self.notes.delete_asked.connect(self.delete_note)
        self.cards.delete_asked.connect(self.delete_note)
        self.cards.chosen.connect(self._choose)
        self.cards.text_changed.connect(self._card_text)
        self.cards.colour_changed.connect(self._card_colour)
        self.password.entered.connect(self._password_entered)
        self.selection_bar.colour_asked.connect(self.highlight)
        self.selection_bar.note_asked.connect(lambda: self.highlight(write=True))
        self.selection_bar.copy_asked.connect(self.copy)
        self.selection_bar.question_asked.connect(self.ask)

    def _page_changed(self, page: int) -> None:
        self.outline.follow(page)
        self.changed.emit()

    def _card_text(self, note_id: str, text: str) -> None:
        if self.keeper is not None:
            self.start(self.keeper.set_text(note_id, text))

    def _card_colour(self, note_id: str, colour: str) -> None:
        if self.keeper is not None:
            self.start(self.keeper.set_colour(note_id, colour))

    def _password_entered(self, password: str) -> None:
        if self._wanted is not None:
            self._tasks.start(self._open(*self._wanted, password), "open")


def _position_key(file_id: FileId) -> str:
    return f"reader.position.{file_id}"
