"""The reader pane: a tab for each open paper, one row of tools, and the empty state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from app.records.answer import Citation
from app.records.ids import FileId, PaperId
from app.services.changes import LibraryChanged, LibraryChangeKind
from app.ui.reader.note_words import page_label
from app.ui.reader.page_numbers import page_meant
from app.ui.reader.page_scroll import Fit
from app.ui.reader.paper_tab import PaperTab
from app.ui.reader.shortcuts import ANYWHERE, ON_PAGES, Command
from app.ui.reader.tab_strip import TabStrip
from app.ui.reader.toolbar import ReaderToolbar
from app.ui.tasks import Tasks
from app.ui.theme import theme, tokens
from app.ui.widgets.basics import button
from app.ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.application import Application

MOST_TABS = 20
SPARE_AFTER_MS = 700
"""So long after a paper was opened its pages show: the next tab is built then, not when it is wanted."""

POLISH_AFTER_MS = 100
"""Building and styling a tab are two steps, with room for the person in between."""


class ReaderPane(QWidget):
    """Opens papers and citations. `close_all` must be awaited before the loop ends."""

    noteChanged = Signal(str)
    """The notes of a paper changed: its id."""
    askAboutSelection = Signal(str, str, int)
    """A quote to ask about, its paper, its page index."""
    openRequested = Signal()
    """The button of the empty state: the window offers to choose a file."""
    currentPaperChanged = Signal(str)
    """Another paper is in front: its id, or nothing."""

    def __init__(self, application: Application, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._application = application
        self._tasks = Tasks(self._report)
        self._dark: bool | None = None
        self._page_keys: dict[str, Command] = {}
        self._colour = "yellow"
        self._show_outline = self._show_notes = False
        self.tabs = TabStrip()
        self.toolbar = ReaderToolbar()
        self._stack = QStackedWidget()
        self._closing: set[PaperTab] = set()
        self._empty = self._empty_state()
        self._spare: PaperTab | None = None
        self._refill = QTimer(self, singleShot=True, interval=SPARE_AFTER_MS)
        self._refill.timeout.connect(self._spare_tab)
        self._lay_out()
        self._connect()
        self._add_shortcuts()
        self._update()

    # -- what it offers

    @property
    def current(self) -> PaperTab | None:
        """The tab in front."""
        return self.tabs.current

    def open_paper(self, paper_id: PaperId | str, file_id: FileId | int | None = None) -> None:
        """Open a paper, or bring it to the front if it is open."""
        paper, file = PaperId(paper_id), None if file_id is None else FileId(file_id)
        tab = next((tab for tab in self.tabs.papers if tab.shows(paper, file)), None)
        self._choose(tab or self._add_tab(paper, file))

    def open_citation(self, citation: Citation | dict[str, Any]) -> None:
        """Open the cited file at the cited page and mark the quote there."""
        cited = citation if isinstance(citation, Citation) else Citation.from_json(citation)
        self.open_paper(cited.paper_id, cited.file_id or None)
        if self.current is not None:
            self.current.show_citation(cited)

    def close_tab(self, tab: PaperTab | None = None) -> None:
        """Close a tab, by default the one in front; its reading position is kept."""
        tab = tab or self.current
        if tab is not None and tab in self.tabs.papers:
            self._tasks.start(self._close(tab))

    def close_paper(self, paper_id: PaperId | str) -> None:
        """Close the tabs of a paper, such as one that was deleted."""
        for tab in [tab for tab in self.tabs.papers if tab.shows(PaperId(paper_id), None)]:
            self.close_tab(tab)

    def refresh_notes(self, paper_id: PaperId | str) -> None:
        """Read the notes of a paper again."""
        for tab in self.tabs.papers:
            if tab.ready and tab.shows(PaperId(paper_id), None):
                tab.desk.reload()

    def library_changed(self, change: LibraryChanged) -> None:
        """Follow what somebody else, such as the agent, did to the notes of open papers."""
        if change.kind is LibraryChangeKind.NOTES_CHANGED:
            for paper_id in change.paper_ids:
                self.refresh_notes(paper_id)

    async def close_all(self) -> None:
        """Close everything: positions are kept, no task is left."""
        for tab in [*self.tabs.papers, *self._closing]:
            await tab.close_paper()
        await self._tasks.close()
        self._refill.stop()
        if self._spare is not None:
            await self._spare.close_paper()

    def state(self) -> dict[str, Any]:
        """Return what to keep between runs, as JSON values."""
        current = self.current
        return {
            "tabs": [
                {"paper_id": tab.wanted[0], "file_id": tab.wanted[1], "name": self.tabs.name_of(tab)}
                for tab in self.tabs.papers
                if tab.wanted is not None
            ],
            "current": self.tabs.papers.index(current) if current is not None else -1,
            "outline": self._show_outline,
            "notes": self._show_notes,
            "dark": self._dark,
            "colour": self._colour,
        }

    def restore(self, state: dict[str, Any] | None) -> None:
        """Take up what `state` gave; papers behind the one in front are opened when they are looked at."""
        if not state:
            return
        self._dark = state.get("dark")
        self._colour = str(state.get("colour") or "yellow")
        self._show_outline, self._show_notes = bool(state.get("outline")), bool(state.get("notes"))
        self.toolbar.show_colour(self._colour)
        entries = list(state.get("tabs") or ())[:MOST_TABS]
        front = int(state.get("current") or 0)
        tabs = []
        for entry in entries:
            file = entry.get("file_id")
            known = None if file is None else FileId(file)
            tabs.append(self._add_tab(PaperId(entry["paper_id"]), known, entry.get("name") or "…"))
        if tabs:
            self._choose(tabs[front] if 0 <= front < len(tabs) else tabs[0])

    @property
    def idle(self) -> bool:
        """True when nothing is being opened or drawn: a screenshot shows what it should."""
        tab = self.current
        return tab is None or tab.settled

    # -- tabs

    def _add_tab(self, paper: PaperId, file: FileId | None, name: str = "…") -> PaperTab:
        tab, self._spare = self._spare_tab(), None
        self._refill.start()
        tab.wanted = (paper, file)
        tab.changed.connect(self._update)
        tab.note_changed.connect(self.noteChanged)
        tab.question_asked.connect(self.askAboutSelection)
        tab.view.installEventFilter(self)
        self.tabs.blockSignals(True)
        self.tabs.add(tab, name)
        self.tabs.blockSignals(False)
        return tab

    def _spare_tab(self) -> PaperTab:
        """Return the tab that is built ahead, out of sight; without papers it carries the names."""
        if self._spare is None:
            self._spare = PaperTab(self._application)
            self._stack.addWidget(self._spare)
            QTimer.singleShot(POLISH_AFTER_MS, self._spare, self._spare.polish)
        return self._spare

    def _choose(self, tab: PaperTab) -> None:
        """Bring a tab to the front; the strip tells of a change only, and the first tab is none."""
        self.tabs.bring_to_front(tab)
        self._bring_to_front(tab)

    async def _close(self, tab: PaperTab) -> None:
        self._closing.add(tab)
        self.tabs.remove(tab)
        self._stack.removeWidget(tab)
        await tab.close_paper()
        self._closing.discard(tab)
        tab.deleteLater()

    def _bring_to_front(self, tab: PaperTab | None) -> None:
        self._stack.setCurrentWidget(tab or self._empty)
        if tab is not None:
            tab.open_now()
            tab.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.currentPaperChanged.emit(tab.wanted[0] if tab is not None and tab.wanted else "")
        self._update()

    # -- keeping the tools in step

    def _update(self) -> None:
        tab = self.current
        self._name_parts(tab or self._spare_tab())
        bar = self.toolbar
        ready = tab is not None and tab.ready
        bar.set_enabled(ready)
        self._bars.setVisible(tab is not None)
        bar.set_checked(bar.outline, self._show_outline)
        bar.set_checked(bar.notes, self._show_notes)
        bar.set_checked(bar.dark, self._dark_pages)
        bar.set_checked(bar.pen, tab is not None and tab.pen)
        if tab is None:
            return
        tab.colour = self._colour
        tab.outline.setVisible(self._show_outline)
        tab.desk.show_panel(self._show_notes)
        if tab.view.dark_pages != self._dark_pages:
            tab.view.set_dark_pages(self._dark_pages)
        bar.show_zoom(tab.view.zoom)
        bar.show_history(back=ready and tab.history.can_go_back, ahead=ready and tab.history.can_go_ahead)
        source = tab.view.source
        if source is None:
            bar.show_page("", 0, "")
        else:
            page = tab.view.current_page
            label = page_label(page, source.labels)
            place = self.tr("Page {number} of {total}, printed as “{label}” (Ctrl+G)").format(
                number=page + 1, total=source.pages, label=label
            )
            bar.show_page(label, source.pages, place)

    def _name_parts(self, front: PaperTab) -> None:
        """Only the parts of the tab in front carry the names by which they are looked for."""
        for tab in filter(None, (self._spare, *self.tabs.papers)):
            here = tab is front
            tab.view.setObjectName("pdfView" if here else "")
            tab.notes.list.setObjectName("notesList" if here else "")
            tab.outline.tree.setObjectName("outlineTree" if here else "")

    @property
    def _dark_pages(self) -> bool:
        return tokens().dark if self._dark is None else self._dark

    def _toggle_outline(self, on: bool) -> None:
        self._show_outline = on
        self._update()
        if on and self.current is not None:
            self.current.outline.follow(self.current.view.current_page)

    def _toggle_notes(self, on: bool) -> None:
        self._show_notes = on
        self._update()

    def _toggle_dark(self, on: bool) -> None:
        self._dark = None if on == tokens().dark else on
        self._update()

    def _toggle_pen(self, on: bool) -> None:
        tab = self.current
        if tab is not None:
            tab.pen = on
            if on and tab.view.selection:
                tab.highlight()

    def _pick_colour(self, colour: str) -> None:
        self._colour = colour
        tab = self.current
        if tab is not None:
            tab.colour = colour
            if tab.view.selection:
                tab.highlight(colour)

    def _enter_page(self, text: str) -> None:
        tab = self.current
        source = tab.view.source if tab is not None else None
        if tab is None or source is None:
            return
        page = page_meant(text, source.labels, source.pages)
        if page is not None:
            tab.jump(page)
        tab.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._update()

    def _leave_page_field(self) -> None:
        if self.current is not None:
            self.current.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._update()

    def _fit(self, what: str) -> None:
        tab = self.current
        if tab is None:
            return
        if what in {"width", "page"}:
            tab.view.set_fit(Fit(what))
        else:
            tab.view.set_zoom(float(what))

    def _open_find(self) -> None:
        if self.current is not None and self.current.ready:
            self.current.find_bar.open_with(self.current.view.selected_text()[:80].strip())

    def _with_tab(self, act: Callable[[PaperTab], object]) -> None:
        tab = self.current
        if tab is not None and tab.ready:
            act(tab)

    # -- how it is put together

    def _empty_state(self) -> QWidget:
        choose = button(self.tr("Choose a PDF…"), self.openRequested.emit, kind="primary")
        return EmptyState(
            "file",
            self.tr("Open a paper from the library or drop a PDF here"),
            self.tr("Highlights, notes and the place you stopped at are kept for every paper."),
            [choose],
        )

    def _lay_out(self) -> None:
        self.setProperty("pane", "reader")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._bars = QWidget()
        bars = QVBoxLayout(self._bars)
        bars.setContentsMargins(0, 0, 0, 0)
        bars.setSpacing(0)
        for widget in (self.tabs, _line(), self.toolbar, _line()):
            bars.addWidget(widget)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bars)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        bar = self.toolbar
        self.tabs.chosen.connect(self._bring_to_front)
        self.tabs.close_asked.connect(self.close_tab)
        theme().changed.connect(self._update)
        bar.outline_toggled.connect(self._toggle_outline)
        bar.notes_toggled.connect(self._toggle_notes)
        bar.dark_toggled.connect(self._toggle_dark)
        bar.pen_toggled.connect(self._toggle_pen)
        bar.colour_picked.connect(self._pick_colour)
        bar.page_entered.connect(self._enter_page)
        bar.page.cancelled.connect(self._leave_page_field)
        bar.zoom_asked.connect(lambda factor: self._with_tab(lambda tab: tab.view.zoom_by(factor)))
        bar.fit_asked.connect(self._fit)
        bar.find_asked.connect(self._open_find)
        bar.back_asked.connect(lambda: self._with_tab(PaperTab.go_back))
        bar.ahead_asked.connect(lambda: self._with_tab(PaperTab.go_ahead))

    def _add_shortcuts(self) -> None:
        for keys, act in ANYWHERE.items():
            self._shortcut(keys, partial(self._with_tab, act))
        bar = self.toolbar
        for keys, ask in {
            "Ctrl+F": self._open_find,
            "Ctrl+G": bar.focus_page,
            "F9": bar.outline.click,
            "F10": bar.notes.click,
        }.items():
            self._shortcut(keys, ask)
        self._page_keys = {"P": lambda _: bar.pen.click(), "D": lambda _: bar.dark.click(), **ON_PAGES}
        self._shortcut("Ctrl+W", self.close_tab)
        self._shortcut("Ctrl+PgDown", partial(self.tabs.step, 1))
        self._shortcut("Ctrl+PgUp", partial(self.tabs.step, -1))

    def _shortcut(self, keys: str, act: Callable[[], object]) -> None:
        made = QShortcut(QKeySequence(keys), self)
        made.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        made.activated.connect(act)
        made.activatedAmbiguously.connect(act)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Letters are commands only while the pages themselves have the keyboard."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            act = self._page_keys.get(QKeySequence(event.keyCombination()).toString())
            if act is not None and self.current is not None and watched is self.current.view:
                self._with_tab(act)
                return True
        return super().eventFilter(watched, event)

    def _report(self, error: BaseException) -> None:
        raise error


def _line() -> QFrame:
    line = QFrame()
    line.setProperty("rule", "h")
    return line
