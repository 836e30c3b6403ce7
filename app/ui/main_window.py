"""The window: three panes, the bars above and below, and what passes between them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget

from app.errors import AppError
from app.library.listing import PaperRow
from app.records.ids import PaperId
from app.records.names import label as paper_label
from app.services.changes import ImportProgress, NoticeGiven
from app.ui import i18n, window_state
from app.ui.adding import Adding
from app.ui.bridge import Bridge
from app.ui.chat.composer import Context
from app.ui.chat.pane import TimelinePane
from app.ui.drop_overlay import DropOverlay, paths_in
from app.ui.error_log import ErrorLog
from app.ui.icons import app_icon
from app.ui.library.pane import LibraryPane
from app.ui.library.queue_panel import QueuePanel
from app.ui.panes import Panes
from app.ui.reader.pane import ReaderPane
from app.ui.reporter import as_message
from app.ui.settings.desk import SettingsDesk, parted
from app.ui.status_bar import StatusBar
from app.ui.tasks import Tasks
from app.ui.top_bar import TopBar
from app.ui.widgets.basics import rule
from app.ui.widgets.notices import Message, Notices

if TYPE_CHECKING:
    from app.application import Application

MOST_CONTEXT = 8


class MainWindow(QMainWindow):
    """Shows one application. Emits `close_wanted` instead of closing: the start module ends the program."""

    close_wanted = Signal()
    language_changed = Signal()

    def __init__(self, application: Application) -> None:
        i18n.ensure(application.settings.ui.language)
        super().__init__()
        self.setWindowTitle("AstroResearch")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(window_state.SMALLEST)
        self.setAcceptDrops(True)
        self.application = application
        self.tasks = Tasks(self.report)
        self._closing = False
        self._dropped_context: set[PaperId] = set()

        self.top = TopBar()
        self.library = LibraryPane(application, self.tasks, self.post)
        self.reader = ReaderPane(application)
        self.timeline = TimelinePane(application, self.tasks, self.open_citation)
        self.status = StatusBar()
        self.panes = Panes(self.library, self.reader, self.timeline)
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self.top, rule(), self.panes, rule(), self.status):
            layout.addWidget(part, int(part is self.panes))
        self.setCentralWidget(centre)

        self.notices = Notices(centre)
        self._overlay = DropOverlay(centre)
        self.adding = Adding(application, self.tasks, self.post, self.show_queue)
        self.queue = QueuePanel(centre, self.adding.list)
        self._errors = ErrorLog(self, self.notices)
        self.desk = SettingsDesk(self, application, self.tasks, self.post, self.top)
        self._bridge = Bridge(application, self)
        self._no_more_waking = application.on_wake(self.timeline.wake)
        self._connect()
        self._shortcuts()
        self._restore()
        self.desk.show()
        self.library.reload()
        for notice in application.notices:
            self.post(Message(notice.level, notice.message))
        application.importer.resume()
        application.reindexer.start()
        self.library.list.setFocus()

    # -- what others ask of the window --------------------------------------------------------

    def post(self, message: Message, on_action: Any = None) -> None:
        """Show a notice."""
        self.notices.post(message, on_action)

    def report(self, error: BaseException) -> None:
        """Show what went wrong, as a notice with its way out."""
        self.notices.post(as_message(error))

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add papers, folders and models, from a drop, the command line or another start of the program."""
        models, papers = parted(paths)
        self.adding.add(papers)
        self.desk.work.add(models)

    def open_paper(self, paper_id: PaperId) -> None:
        """Open a paper in the reader."""
        self.panes.hide_drawer()
        self.reader.open_paper(paper_id)
        self.tasks.start(self._mark_read(paper_id))

    def open_citation(self, citation: Mapping[str, Any]) -> None:
        """Open the cited page with its passage marked."""
        self.panes.hide_drawer()
        self.reader.open_citation(dict(citation))

    def show_queue(self) -> None:
        """Open or close the import queue."""
        self.queue.toggle()

    def is_idle(self) -> bool:
        """Whether nothing is being imported, fetched, answered or drawn."""
        busy = self.tasks.busy() or self.adding.list.running() or self.timeline.running
        return not busy and self.library.settled() and self.reader.idle

    async def shut_down(self) -> None:
        """Keep the state, stop all tasks of the window; the application is closed by who opened it."""
        self._closing = True
        self.desk.work.close()
        self._bridge.close()
        self._no_more_waking()
        self.timeline.turns.stop_all()
        state = self.state()
        await self.tasks.close()
        await self.reader.close_all()
        try:
            await asyncio.to_thread(self.application.library.state.set, window_state.KEY, state)
        except AppError as error:
            self.report(error)

    def state(self) -> dict[str, Any]:
        """Return what is kept between runs."""
        session = self.timeline.session
        return {
            "place": window_state.place_of(self),
            "panes": self.panes.state(),
            "library": self.library.state(),
            "reader": self.reader.state(),
            "session": session,
        }

    # -- Qt -----------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._closing:
            event.accept()
            return
        event.ignore()
        self.close_wanted.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if paths := paths_in(event.mimeData()):
            event.acceptProposedAction()
            self._overlay.cover(only_models=not parted(paths)[1])

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._overlay.hide()
        paths = paths_in(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.add_paths(paths)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.queue.refresh()

    # -- wiring -------------------------------------------------------------------------------

    def _connect(self) -> None:
        self.top.search.textChanged.connect(self.library.search)
        self.top.search.left.connect(self.library.list.setFocus)
        self.library.cleared.connect(self.top.search.clear)
        self.top.library_toggled.connect(self.panes.toggle_library)
        self.top.timeline_toggled.connect(self.panes.toggle_timeline)
        self.desk.language_changed.connect(self.language_changed)
        self.desk.model_changed.connect(self.timeline.show_figures)

        self.library.opened.connect(lambda row: self.open_paper(row.paper_id))
        self.library.selected.connect(self._selection_changed)
        self.library.add_wanted.connect(lambda: self.adding.choose_files(self))
        self.library.add_folder_wanted.connect(lambda: self.adding.choose_folder(self))
        self.library.welcome_wanted.connect(self.adding.add_welcome)
        self.library.queue_wanted.connect(self.show_queue)

        self.reader.openRequested.connect(lambda: self.adding.choose_files(self))
        self.reader.noteChanged.connect(lambda _: self.library.library_changed())
        self.reader.askAboutSelection.connect(self._ask_about)

        self.timeline.turn_ended.connect(self.status.show_usage)
        self.timeline.context_dropped.connect(self._drop_context)
        self.timeline.waiting_changed.connect(self._agent_waits)

        self._bridge.library_changed.connect(lambda _: self.library.library_changed())
        self._bridge.library_changed.connect(self.reader.library_changed)
        self._bridge.import_moved.connect(self._import_moved)
        self._bridge.notice_given.connect(self._notice_given)
        self.adding.moved.connect(lambda: self.status.show_imports(self.adding.list))
        self.adding.moved.connect(self.queue.refresh)

        self.queue.retry_wanted.connect(self.adding.retry)
        self.queue.password_given.connect(self.adding.unlock)
        self.queue.paper_wanted.connect(self.open_paper)
        self.queue.cancel_wanted.connect(self.adding.cancel)
        self.status.queue_wanted.connect(self.show_queue)
        self.status.cancel_wanted.connect(self.adding.cancel)
        self.status.errors_wanted.connect(self._errors.open_log)
        self.status.models_wanted.connect(lambda: self.desk.open("models"))
        self.desk.status_changed.connect(lambda: self.status.show_models(self.desk.status()))
        self._bridge.reindex_moved.connect(self.desk.reindexed)
        self.notices.errors_changed.connect(self.status.show_errors)
        for field in (self.top.search, self.timeline.composer.edit):
            field.setAcceptDrops(False)  # files dropped there are meant for the library

    def _shortcuts(self) -> None:
        for keys, action in (
            ("Ctrl+K", self._focus_search),
            ("Ctrl+L", self._focus_composer),
            ("Ctrl+Shift+A", self._answer_agent),
            ("Ctrl+B", self.panes.toggle_library),
            ("Ctrl+J", self.panes.toggle_timeline),
            (QKeySequence.StandardKey.Open, lambda: self.adding.choose_files(self)),
            ("Ctrl+,", self.open_settings),
            (QKeySequence.StandardKey.Quit, self.close_wanted.emit),
        ):
            QShortcut(QKeySequence(keys), self, action)

    def _focus_search(self) -> None:
        self.top.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.top.search.selectAll()

    def _focus_composer(self) -> None:
        self.panes.show_timeline()
        self.timeline.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _answer_agent(self) -> None:
        self.panes.show_timeline()
        self.timeline.answer_waiting()

    def _agent_waits(self, count: int) -> None:
        """Call the person back who looks elsewhere; the card itself is never put over anything."""
        if not count:
            return
        QApplication.alert(self)
        if not self.panes.timeline_shown() or not self.timeline.talk.waiting:
            words = self.tr("The agent waits for your answer")
            self.post(Message("warning", words, action=self.tr("Show")), self._answer_agent)

    def _restore(self) -> None:
        state = self.application.library.state.get(window_state.KEY)
        state = state if isinstance(state, dict) else {}
        window_state.put(self, state.get("place"))
        self.panes.restore(state.get("panes"))
        if isinstance(state.get("library"), dict):
            self.library.restore(state["library"])
        if isinstance(state.get("reader"), dict):
            self.reader.restore(state["reader"])
        if state.get("session"):
            self.tasks.start(self.timeline.open_conversation(state["session"]), "open")

    # -- papers -------------------------------------------------------------------------------

    async def _mark_read(self, paper_id: PaperId) -> None:
        papers = self.application.library.papers
        if (await asyncio.to_thread(papers.get, paper_id)).unread:
            await asyncio.to_thread(papers.mark_read, paper_id)
            self.library.library_changed()

    def _selection_changed(self, rows: tuple[PaperRow, ...]) -> None:
        chosen = [row for row in rows if row.paper_id not in self._dropped_context]
        if not rows:
            self._dropped_context.clear()
        # Many selected papers are a selection for the list, not a question's subject.
        context = (
            tuple(Context(row.paper_id, _short(row)) for row in chosen) if len(chosen) <= MOST_CONTEXT else ()
        )
        self.timeline.composer.set_context(context)

    def _ask_about(self, quote: str, paper_id: str, page: int) -> None:
        self.tasks.start(self._ask_about_paper(quote, PaperId(paper_id)), "ask about")

    async def _ask_about_paper(self, quote: str, paper_id: PaperId) -> None:
        record = (await asyncio.to_thread(self.application.library.papers.get, paper_id)).record
        label = (paper_label(record.authors, record.year) if record.authors else "") or record.title[:24]
        self.panes.show_timeline()
        self.timeline.composer.set_context((Context(paper_id, label),))
        self.timeline.composer.set_text(self.tr("What does this mean: “%1”?").replace("%1", quote))

    def _drop_context(self, paper_id: PaperId) -> None:
        self._dropped_context.add(paper_id)
        self._selection_changed(self.library.rows_selected())

    def _import_moved(self, step: ImportProgress) -> None:
        self.adding.take(step)
        self.library.set_indexing(self.adding.list.indexing())
        if step.finished:
            self.library.library_changed()

    def _notice_given(self, notice: NoticeGiven) -> None:
        self.post(Message(notice.level, notice.message))

    # -- settings and model -------------------------------------------------------------------

    def open_settings(self) -> None:
        """Open the settings beside the work."""
        self.desk.open()

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Write settings and work by them at once."""
        self.desk.change(changes)


def _short(row: PaperRow) -> str:
    label = paper_label(row.authors, row.year) if row.authors else ""
    return label or (row.title if len(row.title) <= 24 else row.title[:23] + "…")
