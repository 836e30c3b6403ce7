"""The menu of the papers: its words, and that what it offers is done."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLineEdit, QMenu

from app.records.paper import PaperRecord
from app.ui.main_window import MainWindow
from tests.ui.conftest import OpenWindow, until


async def select_one(window: MainWindow) -> None:
    """Add one paper and select it."""
    window.application.library.papers.add(PaperRecord(title="Lantern 42", authors=("Nakamura, Ada",)))
    window.library.reload()
    await until(lambda: window.library.model.rowCount() == 1)
    window.library.list.setCurrentIndex(window.library.model.index(0))
    await until(window.library.rows_selected)


def menu_of(window: MainWindow) -> QMenu:
    """The menu a right click opens."""
    window.library.list.menu_wanted.emit(QPoint(100, 100))
    return opened_menu(window)


def opened_menu(window: MainWindow) -> QMenu:
    menus = window.library.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    (menu,) = [menu for menu in menus if menu.isVisible()]
    return menu


def choose(menu: QMenu, words: str) -> None:
    (action,) = [action for action in menu.actions() if action.text() == words]
    action.trigger()
    menu.close()


async def test_that_the_papers_are_trashed_from_the_menu_and_put_back_from_that_of_the_trash(
    open_window: OpenWindow,
) -> None:
    async with open_window() as window:
        await select_one(window)
        choose(menu_of(window), "Move to trash")
        await until(lambda: window.library.model.rowCount() == 0)
        await until(lambda: window.library.shelves.count() == 3)
        window.library.shelves.choose("trash")
        await until(lambda: window.library.in_trash() and window.library.model.rowCount() == 1)
        window.library.list.setCurrentIndex(window.library.model.index(0))
        await until(window.library.rows_selected)
        choose(menu_of(window), "Put back")
        await until(lambda: window.application.library.papers.count() == 1)


async def test_that_a_paper_goes_into_a_collection_and_out_of_it(open_window: OpenWindow) -> None:
    async with open_window() as window:
        papers = window.application.library.papers
        await select_one(window)
        window.library.add_button.click()
        choose(opened_menu(window), "New collection…")
        (dialog,) = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
        (edit,) = dialog.findChildren(QLineEdit)
        edit.setText("Stars & dust")
        edit.returnPressed.emit()
        await until(lambda: window.library.shelves.count() == 3)
        menu = menu_of(window)
        (into,) = menu.findChildren(QMenu)
        choose(into, "Stars && dust")
        menu.close()
        await until(lambda: papers.collections()[0].papers == 1)
        window.library.shelves.setCurrentRow(2)
        await until(lambda: window.library.model.rowCount() == 1 and not window.tasks.busy())
        window.library.list.setCurrentIndex(window.library.model.index(0))
        await until(window.library.rows_selected)
        choose(menu_of(window), "Take out of this collection")
        await until(lambda: papers.collections()[0].papers == 0)


@pytest.mark.parametrize(
    ("language", "copy", "mark", "notice"),
    [
        ("en", "Copy citation", "Mark as read", "1 citation copied."),
        ("zh", "复制引文", "标为已读", "已复制 1 条引文。"),
    ],
)
async def test_that_the_menu_and_its_notices_speak_the_language(
    open_window: OpenWindow, language: str, copy: str, mark: str, notice: str
) -> None:
    async with open_window(ui={"language": language}) as window:
        await select_one(window)
        choose(menu_of(window), copy)
        await until(lambda: notice in window.notices.texts())
        assert "Lantern 42" in QGuiApplication.clipboard().text()
        choose(menu_of(window), mark)
        await until(lambda: window.application.library.papers.count("is:unread") == 0)
