"""The library pane: shelves, filters and order, and the list of papers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.library.listing import PaperRow
from app.ui.library import texts
from app.ui.library.deeds import Deeds, Post
from app.ui.library.menus import paper_menu, passing_menu, sort_menu
from app.ui.library.model import LibraryModel
from app.ui.library.nav import ShelfList, read_shelves
from app.ui.library.view import PaperList
from app.ui.tasks import Tasks
from app.ui.theme import HEAD_HEIGHT, XS, M
from app.ui.widgets.basics import button, chip_button, icon_button, label, restyle, rule, tip
from app.ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.application import Application

TYPING_MS, CHANGES_MS = 120, 400
MOST_SELECTED = 20
FILTERS = ("has:pdf", "has:notes", "is:unread")


class LibraryPane(QWidget):
    """Shows what the library's own SQL selects and sorts; does nothing of that itself."""

    opened = Signal(object)
    """The `PaperRow` to read."""
    selected = Signal(object)
    """The selected `PaperRow`s, as a tuple."""
    add_wanted = Signal()
    add_folder_wanted = Signal()
    welcome_wanted = Signal()
    queue_wanted = Signal()

    def __init__(self, application: Application, tasks: Tasks, post: Post) -> None:
        super().__init__()
        self.setProperty("pane", "library")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._library = application.library
        self._tasks = tasks
        self._words = ""
        self._filters: set[str] = set()
        self._sort = "-added"
        self._total = self._found = 0
        self.model = LibraryModel(self._library.papers.rows, tasks, self)
        self.list = PaperList(self.model)
        self.shelves = ShelfList()
        self._deeds = Deeds(self._library.papers, tasks, post, self, self.reload)
        self._connect()
        self._typing = self._timer(TYPING_MS, lambda: self.reload(keep_place=False))
        self._changes = self._timer(CHANGES_MS, self._reload_changed)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self._empty_library())
        self._stack.addWidget(self._nothing_found())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head())
        layout.addWidget(rule())
        layout.addWidget(self.shelves)
        layout.addWidget(rule())
        layout.addLayout(self._filter_line())
        layout.addWidget(rule())
        layout.addWidget(self._stack, 1)

    # -- what is shown ------------------------------------------------------------------------

    def search(self, words: str) -> None:
        """Show the papers that match, a moment after the last key."""
        self._words = words
        self._typing.start()

    def library_changed(self) -> None:
        """Something in the library changed: read again soon, once for many changes."""
        if not self._changes.isActive():
            self._changes.start()

    def reload(self, *, keep_place: bool = True) -> None:
        """Ask the library for the order; an answer that a newer question has overtaken is dropped."""
        self._tasks.start(self._reload(keep_place), "library order")

    def set_sort(self, sort: str) -> None:
        """Sort by a key of the library, "-" before it for descending."""
        self._sort = sort
        self._sort_chip.setText(texts.sort_label(sort))
        self.reload(keep_place=False)

    def toggle_filter(self, name: str) -> None:
        """Add a filter such as "has:pdf", or take it away."""
        self._filters ^= {name}
        for known, chip in self._chips.items():
            on = known in self._filters
            chip.setText(f"{known}  ×" if on else known)
            restyle(chip, "chip", "accent" if on else "plain")
        self.reload(keep_place=False)

    def set_indexing(self, papers: frozenset[str]) -> None:
        """Mark the papers whose files are being read now."""
        if papers != self.list.papers.indexing:
            self.list.papers.indexing = papers
            self.list.viewport().update()

    def settled(self) -> bool:
        """Whether all that is to be shown is there."""
        return self.model.settled() and not self._typing.isActive() and not self._changes.isActive()

    def state(self) -> dict[str, object]:
        """Return what is kept between runs."""
        shelf = self.shelves.current()
        return {"sort": self._sort, "shelf": shelf.key if shelf else "", "filters": sorted(self._filters)}

    def restore(self, state: dict[str, object]) -> None:
        """Take up what an earlier run kept."""
        sort = str(state.get("sort", "-added"))
        self._sort = sort if sort in texts.SORTS else "-added"
        self._sort_chip.setText(texts.sort_label(self._sort))
        filters = state.get("filters")
        for name in filters if isinstance(filters, list) else ():
            if name in self._chips:
                self.toggle_filter(name)
        self._wanted_shelf = str(state.get("shelf", ""))

    def query(self) -> str:
        """Return what the library is asked: shelf, filters and words."""
        shelf = self.shelves.current()
        return " ".join(filter(None, (shelf.query if shelf else "", *sorted(self._filters), self._words)))

    async def _reload(self, keep_place: bool) -> None:
        if not self.shelves.count():
            await self._count_shelves()
        shelf = self.shelves.current()
        collection = shelf.collection if shelf else None
        papers = self._library.papers
        ids = await asyncio.to_thread(papers.order, self.query(), self._sort, collection)
        self.list.show_ids(ids, keep_place=keep_place)
        if keep_place:  # the library changed, not the question
            await self._count_shelves()
        self._found = len(ids)
        self._show_count()
        asked = bool(self.query()) or collection is not None
        self._stack.setCurrentIndex(0 if len(ids) else 2 if asked or self._total else 1)
        self._selection_changed()

    async def _count_shelves(self) -> None:
        shelves = await asyncio.to_thread(read_shelves, self._library.papers)
        self.shelves.show_shelves(shelves)
        if self._wanted_shelf:
            key, self._wanted_shelf = self._wanted_shelf, ""
            self.shelves.choose(key)
        self._total = shelves[0].count

    def _show_count(self) -> None:
        """Say how many papers there are, and how many of them the list shows where that differs."""
        shelf = self.shelves.current()
        total = shelf.count if shelf is not None and self.in_trash() else self._total
        self._count.setText(texts.count(self._found, total))

    def _reload_changed(self) -> None:
        self.reload()

    # -- what can be done to the papers selected ----------------------------------------------

    def in_trash(self) -> bool:
        """Whether the trash is shown."""
        return self.shelves.in_trash()

    def trash_selected(self) -> None:
        """Put the selected papers into the trash; a notice offers to undo it."""
        ids = self.list.selected_ids()
        if ids and not self.in_trash():
            self._deeds.trash(ids)

    def copy_citations(self) -> None:
        """Copy the selected papers as one line each."""
        self._deeds.copy_citations(self.list.selected_ids())

    def copy_identifiers(self) -> None:
        """Copy the first identifier of each selected paper."""
        self._deeds.copy_identifiers(self.list.selected_ids())

    def _open_menu(self, where: QPoint) -> None:
        menu = paper_menu(self, self.list, self.shelves, self._deeds, self.opened.emit)
        if menu is not None:
            menu.popup(where)

    # -- how it is built ----------------------------------------------------------------------

    def _connect(self) -> None:
        self._wanted_shelf = ""
        self.list.opened.connect(self.opened)
        self.list.menu_wanted.connect(self._open_menu)
        self.list.delete_wanted.connect(self.trash_selected)
        self.list.copy_wanted.connect(self.copy_citations)
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._selection_changed())
        self.model.dataChanged.connect(lambda *_: self._selection_changed())
        self.shelves.chosen.connect(lambda _: self.reload(keep_place=False))
        self.shelves.new_wanted.connect(self._deeds.new_collection)
        self.shelves.rename_wanted.connect(self._deeds.rename_collection)
        self.shelves.remove_wanted.connect(self._deeds.remove_collection)

    def _selection_changed(self) -> None:
        self.selected.emit(self.rows_selected())

    def _timer(self, interval_ms: int, action: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(action)
        return timer

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(M, 0, M, 0)
        row.setSpacing(XS + 4)
        title = label(self.tr("Library"), "heading")
        title.setFixedHeight(HEAD_HEIGHT)
        self._count = label("", "hint")
        row.addWidget(title)
        row.addWidget(self._count)
        row.addStretch(1)
        self.add_button = icon_button("plus", self.tr("Add papers"), self._open_add_menu)
        row.addWidget(self.add_button)
        return row

    def _open_add_menu(self) -> None:
        menu = passing_menu(self)
        menu.addAction(self.tr("Add files…"), self.add_wanted.emit)
        menu.addAction(self.tr("Add a folder…"), self.add_folder_wanted.emit)
        menu.addSeparator()
        menu.addAction(self.tr("New collection…"), self.shelves.new_wanted.emit)
        menu.addAction(self.tr("Show the import queue"), self.queue_wanted.emit)
        menu.popup(self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))

    def _filter_line(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(M, 8, M, 8)
        row.setSpacing(XS + 2)
        self._chips = {name: chip_button(name, partial(self.toggle_filter, name)) for name in FILTERS}
        for name, chip in self._chips.items():
            chip.setToolTip(tip(texts.filter_label(name)))
            chip.setAccessibleName(texts.filter_label(name))
            row.addWidget(chip)
        row.addStretch(1)
        self._sort_chip = chip_button(texts.sort_label(self._sort), self._open_sort_menu)
        self._sort_chip.setToolTip(self.tr("Order of the list"))
        row.addWidget(self._sort_chip)
        return row

    def _open_sort_menu(self) -> None:
        menu = sort_menu(self, self._sort, self.set_sort)
        menu.popup(self._sort_chip.mapToGlobal(self._sort_chip.rect().bottomLeft()))

    def _empty_library(self) -> EmptyState:
        return EmptyState(
            "collection",
            self.tr("Your library is empty"),
            self.tr("Drop PDFs or folders anywhere on this window."),
            [
                button(self.tr("Add PDFs…"), self.add_wanted.emit, kind="primary"),
                button(self.tr("Try the welcome paper"), self.welcome_wanted.emit),
            ],
        )

    def _nothing_found(self) -> EmptyState:
        return EmptyState(
            "search",
            self.tr("No paper matches"),
            self.tr("Fewer words or filters find more."),
            [button(self.tr("Clear filters"), self.clear_filters)],
        )

    cleared = Signal()

    def clear_filters(self) -> None:
        """Show all papers again."""
        for name in sorted(self._filters):
            self.toggle_filter(name)
        self._words = ""
        self.shelves.setCurrentRow(0)
        self.cleared.emit()
        self.reload(keep_place=False)

    def rows_selected(self) -> tuple[PaperRow, ...]:
        """Return the selected papers, no more than are of use to a question."""
        return tuple(self.list.selected_rows(MOST_SELECTED))
