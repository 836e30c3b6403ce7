"""What can be done to kept conversations: listed, renamed, forked, exported, deleted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.events import TurnStarted
from app.library.journal import SessionRow
from app.records.ids import SessionId
from app.ui.chat import formulas, markdown
from app.ui.chat.conversation import Talk
from app.ui.chat.items import Answered, Asked
from app.ui.chat.replay import Row, ordinal, replay, rows_of
from app.ui.chat.sessions_page import AT_MOST
from app.ui.chat.timeline import Timeline
from app.ui.chat.turns import Turns
from app.ui.tasks import Tasks
from app.ui.widgets.ask_name import ask_name
from app.ui.widgets.confirm import confirm

if TYPE_CHECKING:
    from app.application import Application

AT_THE_END = 300
"""How many events of a long conversation are read before it is shown; the rest follows."""


class SessionDeeds(QObject):
    """Works on the journal off the loop; emits `changed` when a row of the list is another one now."""

    changed = Signal()
    renamed = Signal(str, str)
    deleted = Signal(str)

    def __init__(self, parent: QWidget, application: Application, tasks: Tasks, turns: Turns) -> None:
        super().__init__(parent)
        self._parent, self._application, self._tasks, self._turns = parent, application, tasks, turns
        self._journal = application.library.journal

    async def listed(self, words: str = "") -> list[SessionRow]:
        """Return the conversations, the last used first; with words, those that have them."""
        return await asyncio.to_thread(self._journal.sessions, AT_MOST, words)

    async def loaded(self, session: SessionId) -> Talk:
        """Read a conversation back, of a long one its end. Raises NotFoundError."""
        return await asyncio.to_thread(self._load, session)

    async def earlier(self, talk: Talk) -> Timeline | None:
        """Read what is missing before the end of a long conversation; None where nothing is."""
        if talk.session is None or not talk.cut:
            return None
        return await asyncio.to_thread(self._load_earlier, talk.session, talk.cut)

    async def forked(self, talk: Talk, place: int) -> tuple[SessionId | None, str]:
        """Begin a conversation that shares what came before the item at `place`.

        Before a question: its words come back, to be put differently; the session is None where
        nothing came before. An answer itself is shared. Raises NotFoundError.
        """
        item = talk.timeline.items[place]
        session = talk.session
        if session is None or not isinstance(item, Asked | Answered):
            return None, ""
        number = ordinal(talk.timeline.items, place)
        rows = await asyncio.to_thread(self._journal.rows, session)
        found = rows_of(rows, type(item))
        upto = found[number] if number < len(found) else 0
        words = ""
        if isinstance(item, Asked):
            words = item.text
            upto = max((row for row, _event in rows if row < upto), default=0)
        if not upto:
            return None, words
        return await asyncio.to_thread(self._journal.fork, session, upto), words

    def rename(self, session: SessionId, title: str) -> None:
        """Ask for another title."""
        ask_name(
            self._parent,
            self.tr("Rename conversation"),
            self.tr("Rename"),
            title,
            lambda name: self._tasks.start(self._rename(session, name)),
        )

    def delete(self, session: SessionId, title: str) -> None:
        """Ask, then delete a conversation for good."""
        words = self.tr("“%1” will be gone for good. Papers, notes and files stay.")
        confirm(
            self._parent,
            self.tr("Delete this conversation?"),
            words.replace("%1", title or self.tr("Untitled")),
            self.tr("Delete"),
            lambda: self._tasks.start(self._delete(session)),
        )

    def export(self, session: SessionId, title: str) -> None:
        """Ask where to, then write a conversation as Markdown."""
        dialog = QFileDialog(self._parent, self.tr("Export conversation"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Markdown (*.md)"), self.tr("All files (*)")])
        dialog.setDefaultSuffix("md")
        dialog.selectFile(file_name(title) + ".md")
        dialog.fileSelected.connect(lambda name: self._tasks.start(self.write(session, Path(name))))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_project(self, chosen: Callable[[Path], object]) -> None:
        """Ask for the folder that the agent may use in a conversation."""
        dialog = QFileDialog(self._parent, self.tr("Project folder for this conversation"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: chosen(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    async def set_project(self, session: SessionId, project: Path | None) -> None:
        """Keep the folder of a conversation."""
        await asyncio.to_thread(self._journal.set_project, session, str(project or ""))

    async def write(self, session: SessionId, path: Path) -> None:
        """Write a conversation as Markdown. Raises AppError where the file cannot be written."""
        await self._application.conversations.export_markdown(session, path)

    async def _rename(self, session: SessionId, name: str) -> None:
        await asyncio.to_thread(self._journal.rename, session, name)
        self.renamed.emit(session, name)
        self.changed.emit()

    async def _delete(self, session: SessionId) -> None:
        await self._turns.drop(session)
        self.deleted.emit(session)
        await self._application.delete_conversation(session)
        self.changed.emit()

    def _load(self, session: SessionId) -> Talk:
        markdown.warm_up()  # what the answers are set with; slow the first time
        formulas.warm_up()
        row = self._journal.session(session)
        cut, rows = self._end_of(session)
        project = Path(row.project) if row.project else None
        return Talk(session, row.title, replay(event for _row, event in rows), project, cut=cut)

    def _end_of(self, session: SessionId) -> tuple[int, Sequence[Row]]:
        """Return the last rows, from the beginning of a turn on, and the row before them."""
        after = self._journal.tail(session, AT_THE_END)
        rows = self._journal.rows(session, after)
        begins = next((n for n, (_row, event) in enumerate(rows) if event["type"] == TurnStarted.type), None)
        if not after:
            return 0, rows
        if begins is None:  # one turn without end
            return 0, self._journal.rows(session)
        return (rows[begins - 1][0] if begins else after), rows[begins:]

    def _load_earlier(self, session: SessionId, cut: int) -> Timeline:
        return replay(event for row, event in self._journal.rows(session) if row <= cut)


def file_name(title: str) -> str:
    """Return a title as a file name that every system takes."""
    kept = re.sub(r'[\x00-\x1f<>:"/\\|?*]+', " ", title)
    return " ".join(kept.split())[:60].strip(" .") or "conversation"
