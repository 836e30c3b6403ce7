"""What can be done to papers and collections: each deed changes the library, then asks for a new look at it.

Deeds know nothing of the list; they are told the row ids they are about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.records.ids import PaperId
from app.ui.library import texts
from app.ui.library.nav import Shelf
from app.ui.tasks import Tasks
from app.ui.widgets.ask_name import ask_name
from app.ui.widgets.notices import Message

if TYPE_CHECKING:
    from app.library.library import Papers

Post = Callable[..., object]
translate = QCoreApplication.translate


class Deeds:
    """Changes the library in the background; `changed` is called after each change.

    `window` is what the questions for a name belong to, `post` shows a notice with its undo.
    """

    def __init__(
        self, papers: Papers, tasks: Tasks, post: Post, window: QWidget, changed: Callable[[], object]
    ) -> None:
        self._papers = papers
        self._tasks = tasks
        self._post = post
        self._window = window
        self._changed = changed

    # -- papers -------------------------------------------------------------------------------

    def trash(self, ids: Sequence[int]) -> None:
        """Put papers into the trash; a notice offers to undo it."""
        self._tasks.start(self._trash(ids))

    async def _trash(self, ids: Sequence[int]) -> None:
        papers = await self._paper_ids(ids)
        await asyncio.to_thread(self._papers.trash, papers)
        self._changed()

        def undo() -> None:
            self._tasks.start(self._restore(papers))

        words = translate("LibraryPane", "%n paper(s) moved to the trash.", None, len(papers))
        self._post(Message("info", words, action=translate("LibraryPane", "Undo")), undo)

    def restore(self, ids: Sequence[int]) -> None:
        """Take papers out of the trash."""

        async def restore() -> None:
            await self._restore(await self._paper_ids(ids))

        self._tasks.start(restore())

    async def _restore(self, papers: Sequence[PaperId]) -> None:
        await asyncio.to_thread(self._papers.restore, papers)
        self._changed()

    def mark(self, ids: Sequence[int], unread: bool) -> None:
        """Mark papers as unread, or as read."""

        async def mark() -> None:
            for paper in await self._paper_ids(ids):
                await asyncio.to_thread(self._papers.mark_read, paper, unread)
            self._changed()

        self._tasks.start(mark())

    def copy_citations(self, ids: Sequence[int]) -> None:
        """Copy papers as one line each."""

        async def copy() -> None:
            rows = await asyncio.to_thread(self._papers.rows, ids)
            if rows:
                QGuiApplication.clipboard().setText("\n".join(texts.citation(row) for row in rows))
                words = translate("LibraryPane", "%n citation(s) copied.", None, len(rows))
                self._post(Message("info", words))

        self._tasks.start(copy())

    def copy_identifiers(self, ids: Sequence[int]) -> None:
        """Copy the first identifier of each paper."""

        async def copy() -> None:
            rows = await asyncio.to_thread(self._papers.rows, ids)
            lines = [row.identifiers[0].value for row in rows if row.identifiers]
            if lines:
                QGuiApplication.clipboard().setText("\n".join(lines))
                words = translate("LibraryPane", "%n identifier(s) copied.", None, len(lines))
                self._post(Message("info", words))

        self._tasks.start(copy())

    # -- collections --------------------------------------------------------------------------

    def put(self, ids: Sequence[int], collection: int) -> None:
        """Put papers into a collection."""

        async def put() -> None:
            papers = await self._paper_ids(ids)
            await asyncio.to_thread(self._papers.put_in_collection, papers, collection)
            self._changed()

        self._tasks.start(put())

    def take(self, ids: Sequence[int], collection: int) -> None:
        """Take papers out of a collection."""

        async def take() -> None:
            papers = await self._paper_ids(ids)
            await asyncio.to_thread(self._papers.take_from_collection, papers, collection)
            self._changed()

        self._tasks.start(take())

    def new_collection(self, ids: Sequence[int] = ()) -> None:
        """Ask for a name and make a collection, with these papers in it."""

        async def make(name: str) -> None:
            number = await asyncio.to_thread(self._papers.add_collection, name)
            if ids:
                papers = await self._paper_ids(ids)
                await asyncio.to_thread(self._papers.put_in_collection, papers, number)
            self._changed()

        title, create = translate("LibraryPane", "New collection"), translate("LibraryPane", "Create")
        ask_name(self._window, title, create, "", lambda name: self._tasks.start(make(name)))

    def rename_collection(self, shelf: Shelf) -> None:
        """Ask for another name of a collection."""

        async def rename(name: str) -> None:
            await asyncio.to_thread(self._papers.rename_collection, shelf.number, name)
            self._changed()

        title, confirm = translate("LibraryPane", "Rename collection"), translate("LibraryPane", "Rename")
        ask_name(self._window, title, confirm, shelf.name, lambda name: self._tasks.start(rename(name)))

    def remove_collection(self, shelf: Shelf) -> None:
        """Remove a collection, not its papers; a notice offers to undo it."""

        async def remove() -> None:
            await asyncio.to_thread(self._papers.remove_collection, shelf.number)
            self._changed()
            words = translate("LibraryPane", "Collection “%1” removed; its papers stay in the library.")
            message = Message(
                "info", words.replace("%1", shelf.name), action=translate("LibraryPane", "Undo")
            )
            self._post(message, lambda: self._tasks.start(self._undo()))

        self._tasks.start(remove())

    async def _undo(self) -> None:
        await asyncio.to_thread(self._papers.undo)
        self._changed()

    async def _paper_ids(self, ids: Sequence[int]) -> list[PaperId]:
        return [row.paper_id for row in await asyncio.to_thread(self._papers.rows, ids)]
