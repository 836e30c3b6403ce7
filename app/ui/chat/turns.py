"""The turns that run in the window's conversations: begun, steered, stopped; their events taken in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.agent.asking import PermissionChoice
from app.errors import AppError
from app.events import Event
from app.records.ids import SessionId
from app.ui.chat import formulas, markdown
from app.ui.chat.composer import Context
from app.ui.chat.conversation import Talk, Turn
from app.ui.chat.items import Asking, Noticed
from app.ui.tasks import Tasks

if TYPE_CHECKING:
    from app.application import Application

TITLE_CHARACTERS = 80
GRACE_MS = 3000
"""How long a turn that was asked to stop may take to end by itself."""
AHEAD_S, AHEAD_TRIES = 0.02, 50
DROP_S = 5.0


class Turns(QObject):
    """Runs at most one turn a conversation; a turn goes on while another conversation is looked at."""

    touched = Signal(object, object)
    """A `Talk`, and the places of its timeline that changed."""
    changed = Signal(object)
    """A turn of the `Talk` began, was asked to stop, or ended."""

    def __init__(self, parent: QObject, application: Application, tasks: Tasks) -> None:
        super().__init__(parent)
        self._application, self._tasks = application, tasks
        self.live: list[Talk] = []
        """Conversations in which a turn runs."""

    def send(self, talk: Talk, text: str, context: tuple[Context, ...]) -> int:
        """Ask, or steer the turn that runs; return the place of the words in the timeline."""
        if talk.turn is not None:
            place = talk.timeline.steer(text)
            name = place - talk.timeline.prepended  # stays when earlier items are put in before
            self._tasks.start(self._steer(talk, talk.turn, text, name))
            return place
        place = talk.timeline.ask(text, tuple(paper.label for paper in context))
        self.begin(talk, text, context)
        return place

    def begin(self, talk: Talk, text: str | None, context: tuple[Context, ...] = ()) -> None:
        """Start a turn; without a text it takes up what waits for the conversation."""
        turn = talk.turn = Turn()
        talk.timeline.running = True
        self.live.append(talk)
        turn.task = self._tasks.start(self._run(talk, turn, text, context))
        self.changed.emit(talk)

    def stop(self, talk: Talk) -> None:
        """Ask the turn of a conversation to end; asked twice, or after a while, it is not waited for."""
        turn = talk.turn
        if turn is None:
            return
        if turn.stopping:
            self._abandon(talk, turn)
            return
        turn.stop.set()
        self.changed.emit(talk)
        QTimer.singleShot(GRACE_MS, self, lambda: self._abandon(talk, turn))

    def stop_all(self) -> None:
        """End every turn now, without waiting."""
        for talk in list(self.live):
            if talk.turn is not None:
                self._abandon(talk, talk.turn)

    async def drop(self, session: SessionId) -> None:
        """End the turn of a conversation that goes away, and wait until it has written its last row."""
        for talk in [talk for talk in self.live if talk.session == session]:
            if (turn := talk.turn) is not None and turn.task is not None:
                self._abandon(talk, turn)
                await asyncio.wait({turn.task}, timeout=DROP_S)

    def permit(self, talk: Talk, request: str, choice: PermissionChoice) -> None:
        """Answer a request for permission, if it still waits."""
        self._tasks.start(self._permit(talk, request, choice), f"answer {request}")

    def reply(self, talk: Talk, question: str, text: str) -> None:
        """Answer a question; where the agent has gone on without the answer, it becomes a message."""
        self._tasks.start(self._reply(talk, question, text), f"answer {question}")

    async def _permit(self, talk: Talk, request: str, choice: PermissionChoice) -> None:
        desk = self._application.desk
        in_time = await self._accepted(talk, request, partial(desk.answer_permission, request, choice))
        places = talk.timeline.answer_permission(request, choice if in_time else "cancelled")
        self.touched.emit(talk, places)

    async def _reply(self, talk: Talk, question: str, text: str) -> None:
        desk = self._application.desk
        in_time = await self._accepted(talk, question, partial(desk.answer_question, question, text))
        places = talk.timeline.answer_question(question, "answered" if in_time else "late", text)
        self.touched.emit(talk, places)
        for item in (talk.timeline.items[place] for place in places):
            if isinstance(item, Asking) and not in_time:
                words = self.tr("About your question “%1”: %2")
                words = words.replace("%1", item.text).replace("%2", text)
                self.touched.emit(talk, [self.send(talk, words, ())])

    async def _accepted(self, talk: Talk, request: str, answer: Callable[[], bool]) -> bool:
        """Give an answer. What is shown may be a moment ahead of the call that waits for it."""
        for _ in range(AHEAD_TRIES):
            if answer():
                return True
            if not talk.timeline.waits(request):
                return False
            await asyncio.sleep(AHEAD_S)
        return False

    async def _run(self, talk: Talk, turn: Turn, text: str | None, context: tuple[Context, ...]) -> None:
        try:
            await asyncio.to_thread(markdown.warm_up)
            await asyncio.to_thread(formulas.warm_up)
            async with aclosing(await self._events(talk, turn, text, context)) as events:
                async for event in events:
                    turn.begun.set()
                    if talk.turn is turn:
                        self.touched.emit(talk, talk.timeline.apply(event, time.monotonic()))
        except AppError as error:
            if talk.turn is turn:
                words = " ".join(filter(None, (error.message, error.hint)))
                self.touched.emit(talk, [talk.timeline.add(Noticed("error", words))])
        finally:
            turn.begun.set()
            if talk.turn is turn:
                self._ended(talk, talk.timeline.stop())

    async def _events(
        self, talk: Talk, turn: Turn, text: str | None, context: tuple[Context, ...]
    ) -> AsyncGenerator[Event, None]:
        if talk.session is None:
            title = " ".join((text or "").split())[:TITLE_CHARACTERS]
            project = str(talk.project or "")
            journal = self._application.library.journal
            talk.session = await asyncio.to_thread(journal.new_session, title, project=project)
        if text is None:
            return self._application.continue_turn(
                talk.session, stop=turn.stop, asker=self._application.desk, project=talk.project
            )
        papers = tuple(paper.paper_id for paper in context)
        return self._application.run_turn(
            text,
            papers=papers,
            session=talk.session,
            stop=turn.stop,
            asker=self._application.desk,
            project=talk.project,
        )

    async def _steer(self, talk: Talk, turn: Turn, text: str, name: int) -> None:
        await turn.begun.wait()
        taken = talk.session is not None and await self._application.steer(talk.session, text)
        place = name + talk.timeline.prepended
        self.touched.emit(talk, talk.timeline.sent(place, taken=taken))
        if taken:
            return
        if talk.turn is not None and turn.task is not None:
            await asyncio.wait({turn.task})  # its last events are still on their way
        if talk.turn is None:
            self.begin(talk, text)
        elif talk.session is not None:  # others came too late as well, and began another turn
            await self._application.steer(talk.session, text)

    def _abandon(self, talk: Talk, turn: Turn) -> None:
        if talk.turn is turn and turn.task is not None:
            turn.task.cancel()
            self._ended(talk, talk.timeline.finish("stopped"))

    def _ended(self, talk: Talk, places: list[int]) -> None:
        talk.turn = None
        self.live.remove(talk)
        self.touched.emit(talk, places)
        self.changed.emit(talk)
