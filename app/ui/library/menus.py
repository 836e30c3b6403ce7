"""The menus of the library pane: what to do with the selected papers, and the order of the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.library.listing import PaperRow
from app.ui.library import texts
from app.ui.library.deeds import Deeds
from app.ui.library.nav import ShelfList
from app.ui.library.view import PaperList

translate = QCoreApplication.translate


def passing_menu(parent: QWidget) -> QMenu:
    """Return a menu that is gone once it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


def paper_menu(
    parent: QWidget,
    papers: PaperList,
    shelves: ShelfList,
    deeds: Deeds,
    open_paper: Callable[[PaperRow], object],
) -> QMenu | None:
    """Return the menu of the selected papers, if any is selected."""
    rows, ids = papers.selected_rows(1), papers.selected_ids()
    if not rows:
        return None
    menu = passing_menu(parent)
    if shelves.in_trash():
        menu.addAction(translate("LibraryPane", "Put back"), lambda: deeds.restore(ids))
        return menu
    menu.addAction(translate("LibraryPane", "Open"), lambda: open_paper(rows[0]))
    menu.addSeparator()
    menu.addAction(
        translate("LibraryPane", "Copy citation"), lambda: deeds.copy_citations(papers.selected_ids())
    )
    if any(row.identifiers for row in rows):
        menu.addAction(
            translate("LibraryPane", "Copy identifier"), lambda: deeds.copy_identifiers(papers.selected_ids())
        )
    menu.addSeparator()
    unread = not rows[0].unread
    words = translate("LibraryPane", "Mark as unread") if unread else translate("LibraryPane", "Mark as read")
    menu.addAction(words, lambda: deeds.mark(ids, unread))
    _add_collections(menu, ids, shelves, deeds)
    menu.addSeparator()
    menu.addAction(translate("LibraryPane", "Move to trash"), papers.delete_wanted.emit)
    return menu


def _add_collections(menu: QMenu, ids: Sequence[int], shelves: ShelfList, deeds: Deeds) -> None:
    into = menu.addMenu(translate("LibraryPane", "Add to collection"))
    for shelf in shelves.shelves():
        if shelf.collection is not None:
            into.addAction(shelf.name.replace("&", "&&"), partial(deeds.put, ids, shelf.collection))
    into.addAction(translate("LibraryPane", "New collection…"), lambda: deeds.new_collection(ids))
    current = shelves.current()
    if current is not None and (number := current.collection) is not None:
        menu.addAction(
            translate("LibraryPane", "Take out of this collection"), lambda: deeds.take(ids, number)
        )


def sort_menu(parent: QWidget, current: str, choose: Callable[[str], object]) -> QMenu:
    """Return the menu of the orders, with the current one checked."""
    menu = passing_menu(parent)
    group = QActionGroup(menu)
    for sort in texts.SORTS:
        action = QAction(texts.sort_label(sort), menu)
        action.setCheckable(True)
        action.setChecked(sort == current)
        action.triggered.connect(lambda _=False, sort=sort: choose(sort))
        group.addAction(action)
        menu.addAction(action)
    return menu
