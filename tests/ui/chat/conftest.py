"""A timeline pane over a real journal and an agent that plays a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtWidgets import QApplication

from app.events import (
    Event,
    ModelProgress,
    PermissionAnswer,
    PermissionRequest,
    Question,
    QuestionAnswer,
    Steering,
    TextDelta,
    ThinkingDelta,
    ToolProgress,
    TurnFinished,
    TurnStarted,
)
from app.library import Library
from app.llm.chat import ChatModel
from app.records.ids import PaperId, SessionId
from app.services.conversations import Conversations
from app.settings import Settings
from app.ui import i18n
from app.ui.chat.pane import TimelinePane
from app.ui.tasks import Tasks
from app.ui.theme import Scheme, theme

if TYPE_CHECKING:
    from app.application import Application

PIECES = (TextDelta, ThinkingDelta, ToolProgress, ModelProgress)
Step = Event | float | asyncio.Event
"""An event to show, seconds to pass, or something to wait for. A request waits for its answer by itself."""


@dataclass
class PlayedDesk:
    """Answers reach the turn that waits, if one does."""

    waiting: dict[str, asyncio.Future[str]] = field(default_factory=dict)

    def answer_permission(self, request_id: str, choice: str) -> bool:
        return self._answer(request_id, choice)

    def answer_question(self, question_id: str, text: str) -> bool:
        return self._answer(question_id, text)

    def _answer(self, id: str, words: str) -> bool:
        future = self.waiting.pop(id, None)
        if future is None or future.done():
            return False
        future.set_result(words)
        return True


@dataclass
class PlayedAgent:
    """Plays `script` at every turn; rows are journaled before they are shown, pieces are not."""

    library: Library
    script: Sequence[Step] = ()
    steerable: bool = True
    deaf: bool = False
    """Whether the agent goes on when it is asked to stop."""
    desk: PlayedDesk = field(default_factory=PlayedDesk)
    chat: ChatModel | None = None
    settings: Settings = field(default_factory=Settings)
    asked: list[tuple[str, tuple[PaperId, ...], Path | None]] = field(default_factory=list)
    steered: list[str] = field(default_factory=list)
    _waiting: list[str] = field(default_factory=list)

    async def delete_conversation(self, session: SessionId) -> None:
        await asyncio.to_thread(self.library.journal.delete, session)

    @property
    def conversations(self) -> Conversations:
        return Conversations(self.library)

    async def run_turn(
        self,
        text: str,
        papers: Sequence[PaperId] = (),
        session: SessionId | None = None,
        *,
        stop: asyncio.Event | None = None,
        asker: object = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        assert asker is self.desk
        self.asked.append((text, tuple(papers), project))
        assert session is not None
        async for event in self._played(text, stop or asyncio.Event()):
            if not isinstance(event, PIECES):
                await asyncio.to_thread(self.library.journal.append, session, event.as_json())
            yield event

    async def continue_turn(
        self,
        session: SessionId,
        *,
        stop: asyncio.Event | None = None,
        asker: object = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        async for event in self.run_turn("", (), session, stop=stop, asker=asker, project=project):
            yield event

    async def steer(self, session: SessionId, text: str) -> bool:
        if self.steerable:
            self.steered.append(text)
            self._waiting.append(text)
        return self.steerable

    async def _played(self, text: str, stop: asyncio.Event) -> AsyncGenerator[Event, None]:
        yield TurnStarted("turn", text)
        for step in self.script:
            if stop.is_set() and not self.deaf:
                break
            match step:
                case asyncio.Event():
                    await self._either(step, stop)
                    for words in self._taken():
                        yield Steering(words)
                case Event():
                    yield step
                    if isinstance(step, PermissionRequest | Question):
                        yield await self._answer(step, stop)
                case _:
                    await asyncio.sleep(step)
        yield TurnFinished("stopped" if stop.is_set() else "done", {"completion_tokens": 1})

    def _taken(self) -> list[str]:
        taken, self._waiting = self._waiting, []
        return taken

    async def _answer(self, event: PermissionRequest | Question, stop: asyncio.Event) -> Event:
        future = self.desk.waiting[event.id] = asyncio.get_running_loop().create_future()
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({future, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            self.desk.waiting.pop(event.id, None)
        words = future.result() if future.done() else ""
        if isinstance(event, Question):
            return QuestionAnswer(event.id, "answered" if words else "cancelled", words)
        return PermissionAnswer(event.id, event.tool_call_id, words or "cancelled")

    async def _either(self, step: asyncio.Event, stop: asyncio.Event) -> None:
        waits = {asyncio.ensure_future(step.wait())}
        if not self.deaf:
            waits.add(asyncio.ensure_future(stop.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


@dataclass
class Opened:
    """A pane, the agent behind it, and the errors it reported."""

    pane: TimelinePane
    agent: PlayedAgent
    errors: list[BaseException]


OpenPane = Callable[..., AbstractAsyncContextManager[Opened]]


@pytest.fixture
def open_pane(qapp: QApplication, home: Path) -> OpenPane:
    """Open a pane: `async with open_pane(*script) as opened`."""
    qapp.setQuitOnLastWindowClosed(False)

    @asynccontextmanager
    async def opened(*script: Step, size: tuple[int, int] = (444, 800)) -> AsyncIterator[Opened]:
        theme().apply(qapp, Scheme.LIGHT)
        i18n.speak(qapp, "en")
        home.mkdir(exist_ok=True)
        library = Library.open(home)
        agent = PlayedAgent(library, script)
        errors: list[BaseException] = []
        tasks = Tasks(errors.append)
        pane = TimelinePane(cast("Application", agent), tasks, lambda _citation: None)
        try:
            pane.resize(*size)
            pane.show()
            yield Opened(pane, agent, errors)
        finally:
            pane.turns.stop_all()
            await tasks.close()
            pane.close()
            pane.deleteLater()
            library.close()
        assert errors == []

    return opened
