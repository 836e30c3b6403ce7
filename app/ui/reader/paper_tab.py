"""One open paper: its pages with outline, notes and find bar, or what is shown instead of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.errors import AppError
from app.records.anchor import find_quote
from app.records.answer import Citation
from app.records.ids import FileId, PaperId
from app.services.threads import off_loop
from app.ui.reader.find_bar import FindBar
from app.ui.reader.find_control import FindControl
from app.ui.reader.history import History
from app.ui.reader.layout import Place
from app.ui.reader.markdown_pages import MarkdownPages
from app.ui.reader.marks import Mark, MarkKind
from app.ui.reader.note_desk import NoteDesk
from app.ui.reader.note_keeping import NoteKeeper
from app.ui.reader.notes_panel import NotesPanel
from app.ui.reader.opened import OpenFile, Position, find_file, headings, read_markdown
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
LOCKED = "needs_password"


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
        self.history = History()
        self.colour = "yellow"
        self.pen = False
        self._opened = False
        self._application = application
        self.wanted: tuple[PaperId, FileId | None] | None = None
        """The paper and file to show; opened by `open_now` when the tab is looked at."""
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
        self.page_problems = PageProblems(self.view)
        self.selection_bar = SelectionBar(self.view.viewport())
        self._notices = Notices(self)
        self.desk = NoteDesk(self.view, self.notes, self._notices, self._tasks)
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

    def polish(self) -> None:
        """Style all parts ahead of time, so that the first sight of them is quick."""
        for part in self.findChildren(QWidget):
            part.ensurePolished()

    def shows(self, paper_id: PaperId, file_id: FileId | None) -> bool:
        """Say whether this tab is the one for a paper (and a file of it)."""
        if self.wanted is None or self.wanted[0] != paper_id:
            return False
        mine = self.file.file_id if self.file is not None else self.wanted[1]
        return file_id is None or mine is None or mine == file_id

    def open_now(self) -> None:
        """Open the paper, the first time the tab is looked at."""
        if not self._opened:
            self.reload()

    def reload(self) -> None:
        """Open the paper again, after an error."""
        if self.wanted is not None:
            self._opened = True
            self._show(self.loading)
            self.loading.begin()
            self._tasks.start(self._open(*self.wanted), "open")

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
        self._go_through_history(self.history.back(self.view.place()))

    def go_ahead(self) -> None:
        """Undo a step back."""
        self._go_through_history(self.history.ahead(self.view.place()))

    def highlight(self, colour: str | None = None, *, write: bool = False) -> None:
        """Highlight the selection; with `write` its card opens for a note."""
        self.desk.highlight(colour or self.colour, write=write)

    def copy(self) -> None:
        """Put the selected words on the clipboard, clean."""
        self._tasks.start(self._copy())

    def ask(self) -> None:
        """Ask about the selected words."""
        selection, words = self.view.selection, self.view.selected_text()
        if selection and words and self.file is not None:
            self.question_asked.emit(words, self.file.paper_id, selection.first.page)

    def jump_to_note(self, note_id: str) -> None:
        """Show a note's highlight."""
        note = self.desk.keeper.get(note_id) if self.desk.keeper is not None else None
        if note is not None:
            self.history.leave(self.view.place())
            self.view.go_to_quads(note.anchor.page, note.anchor.quads)
            self.desk.choose(note_id)
            self.changed.emit()

    def escape(self) -> None:
        """Take away what lies over the page: find bar, selection, then citation and chosen note."""
        if self.find_bar.isVisible():
            self.find_bar.dismiss()
        elif self.view.selection:
            self.view.selecting.clear()
        else:
            self.view.set_marks([MarkKind.CITATION], ())
            self.desk.choose(None)

    async def close_paper(self) -> None:
        """Keep the reading position and what is being written, and end all work."""
        await self.desk.close()
        self._save_soon.stop()
        await self._save_position()
        await self._tasks.close()
        self._release()

    # -- opening

    async def _open(self, paper_id: PaperId, file_id: FileId | None, password: str | None = None) -> None:
        try:
            self.file = await find_file(self._application, paper_id, file_id)
            self.named.emit(self.file.label, self.file.title)
            keeper = NoteKeeper(self._application.notes, self.file)
            self.desk.take(keeper)
            if self.file.is_pdf:
                await self._open_pdf(self.file, password)
            else:
                self.text_pages.show_text(await off_loop(read_markdown, self.file.path))
                self._show(self.text_pages)
            await keeper.load()
        except AppError as error:
            if error.code == LOCKED:
                self._show(self.password)
                self.password.ask(again=password is not None)
            else:
                self.problem.show_error(error)
                self._show(self.problem)
            return
        if self._citation is not None:
            await self._mark_citation(self._citation)

    async def _open_pdf(self, file: OpenFile, password: str | None) -> None:
        inspection = await self._application.pdf.look_into(file.path, password)
        position = await off_loop(Position.load, self._application, file.file_id)
        self._release()
        source = self._source = PaperSource(self._application.pdf, file.path, inspection, password)
        place = None
        if position is not None:
            self.view.fit = Fit(position.fit)
            if self.view.fit is Fit.FREE:
                self.view.set_zoom(position.zoom)
            place = Place(min(position.page, source.pages - 1), position.down)
        self._show(self._reading)
        self.view.show_source(source, place)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()
        outline = inspection.outline or await headings(self._application, file.file_id, source.pages)
        self.outline.show_items(outline, source.labels)

    def _release(self) -> None:
        self.view.close_source()
        if self._source is not None:
            self._source.close()
            self._source = None

    async def _save_position(self) -> None:
        if self.file is not None and self.ready and any(self.view.column.known):
            place = self.view.place()
            position = Position(place.page, place.down, self.view.zoom, self.view.fit.value)
            await off_loop(position.save, self._application, self.file.file_id)

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
        await self.view.page_known(citation.page)
        self.view.go_to_quads(citation.page, citation.quads)
        layer = await texts.load(citation.page)
        span = find_quote(layer.text, citation.quote)
        quads = layer.quads(*span) if span else citation.quads
        self.view.set_marks([MarkKind.CITATION], [Mark(MarkKind.CITATION, citation.page, tuple(quads))])
        self.view.go_to_quads(citation.page, quads)
        self.changed.emit()

    def _go_through_history(self, place: Place | None) -> None:
        if place is not None:
            self.view.go_to(place)
        self.changed.emit()

    async def _copy(self) -> None:
        selection, texts = self.view.selection, self.view.texts
        if selection and texts is not None:
            for page in selection.pages():
                await texts.load(page)
            QGuiApplication.clipboard().setText(self.view.selected_text())

    def _selection_changed(self) -> None:
        if self.pen and self.view.selection and not self.view.selecting.dragging:
            self.highlight()
        self._place_selection_bar()

    def _place_selection_bar(self) -> None:
        selection, words = self.view.selection, None
        if selection and not self.pen and not self.view.selecting.dragging:
            page = selection.last.page
            words = self.view.quads_rect(page, self.view.selecting.quads_on(page)[-1:])
        if words is None or not words.intersects(self.view.viewport().rect().toRectF()):
            self.selection_bar.hide()
        else:
            self.selection_bar.show_under(words)

    def _report(self, error: BaseException) -> None:
        if not isinstance(error, AppError):
            if self._stack.currentWidget() is self.loading:
                self.problem.show_error(AppError(self.tr("This paper could not be opened.")))
                self._show(self.problem)
            raise error
        self._notices.post(Message("error", error.message, error.hint))

    # -- how it is put together

    def _show(self, widget: QWidget) -> None:
        self._stack.setCurrentWidget(widget)
        self.changed.emit()

    def _lay_out(self) -> None:
        self._reading = QSplitter(Qt.Orientation.Horizontal)
        self._reading.setHandleWidth(1)
        self._reading.setChildrenCollapsible(False)
        for part, least in ((self.outline, 140), (self.view, 200), (self.notes, 160)):
            part.setMinimumWidth(least)
            self._reading.addWidget(part)
        self._reading.setStretchFactor(1, 1)
        self._reading.setSizes([OUTLINE_WIDTH, 600, NOTES_WIDTH])
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
        view.failed.connect(self._report)
        self._save_soon.timeout.connect(lambda: self._tasks.start(self._save_position()))
        self.outline.page_asked.connect(self.jump)
        self.desk.shown.connect(self.jump_to_note)
        self.desk.edited.connect(self._notes_edited)
        self.password.entered.connect(self._password_entered)
        self.selection_bar.colour_asked.connect(self.highlight)
        self.selection_bar.note_asked.connect(lambda: self.highlight(write=True))
        self.selection_bar.copy_asked.connect(self.copy)
        self.selection_bar.question_asked.connect(self.ask)

    def _page_changed(self, page: int) -> None:
        self.outline.follow(page)
        self.changed.emit()

    def _notes_edited(self) -> None:
        if self.file is not None:
            self.note_changed.emit(self.file.paper_id)

    def _password_entered(self, password: str) -> None:
        if self.wanted is not None:
            self._tasks.start(self._open(*self.wanted, password), "open")
