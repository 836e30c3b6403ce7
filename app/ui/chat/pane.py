"""The timeline pane: head, feed, plan and composer, and the turn that runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from app.errors import AppError
from app.events import Event
from app.records.ids import SessionId
from app.ui.chat import formulas, markdown
from app.ui.chat.composer import Composer, Context
from app.ui.chat.feed import Feed
from app.ui.chat.items import Asked, Noticed, Timeline
from app.ui.chat.replay import replay
from app.ui.tasks import Tasks
from app.ui.theme import HEAD_HEIGHT, M, S
from app.ui.widgets.basics import ElidedLabel, button, icon_button, label, rule
from app.ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.application import Application

TITLE_CHARACTERS = 80


class TimelinePane(QWidget):
    """Runs turns of the application and shows their events."""

    turn_ended = Signal(object)
    """The usage figures of the turn that just ended."""
    context_dropped = Signal(object)

    def __init__(
        self,
        application: Application,
        tasks: Tasks,
        open_citation: Callable[[Mapping[str, Any]], object],
    ) -> None:
        super().__init__()
        self.setProperty("pane", "timeline")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._application = application
        self._tasks = tasks
        self.session: SessionId | None = None
        self.timeline = Timeline()
        self._turn: asyncio.Task[Any] | None = None
        self.feed = Feed(open_citation)
        self.composer = Composer()
        self.composer.sent.connect(self.ask)
        self.composer.stopped.connect(self.stop)
        self.composer.context_dropped.connect(self.context_dropped)
        self._empty = EmptyState(
            "chat",
            self.tr("Ask your papers"),
            self.tr("Answers come from your library. Each sentence cites the page that proves it."),
            [button(text, partial(self.composer.set_text, text), kind="row") for text in self._examples()],
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.feed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head())
        layout.addWidget(rule())
        layout.addWidget(self._stack, 1)
        self._plan = _PlanBar()
        layout.addWidget(self._plan)
        layout.addWidget(rule())
        layout.addWidget(self.composer)
        self.feed.show_timeline(self.timeline)
        self._refresh_head()

    # -- turns --------------------------------------------------------------------------------

    def ask(self, text: str) -> None:
        """Start a turn about the papers in the composer's context."""
        if self._turn is not None:
            return
        context = self.composer.context()
        self._stack.setCurrentWidget(self.feed)
        self.feed.touch([self.timeline.ask(text, tuple(paper.label for paper in context))])
        self.feed.flush()
        self.feed.follow()
        self.timeline.running = True
        self.composer.set_running(True)
        self._turn = self._tasks.start(self._run(text, context))
        self._refresh_head()

    def stop(self) -> None:
        """Stop the turn: the window shows it at once, whatever the worker does."""
        if self._turn is None:
            return
        self._turn.cancel()
        self._turn = None
        self.feed.touch([*self.timeline.stop(), self._add(Noticed("info", self.tr("Stopped.")))])
        self._ended()

    @property
    def running(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.running:
            self.stop()
        else:
            super().keyPressEvent(event)

    async def _run(self, text: str, context: tuple[Context, ...]) -> None:
        me = asyncio.current_task()
        try:
            await asyncio.to_thread(markdown.warm_up)
            await asyncio.to_thread(formulas.warm_up)
            if self.session is None:
                title = text[:TITLE_CHARACTERS]
                self.session = await asyncio.to_thread(self._application.library.journal.new_session, title)
            papers = tuple(paper.paper_id for paper in context)
            events = self._application.run_turn(text, papers=papers, session=self.session)
            async with aclosing(events):
                async for event in events:
                    if self._turn is me:
                        self._take(event)
        except AppError as error:
            if self._turn is me:
                self._take_failure(error)
        finally:
            if self._turn is me:
                self._turn = None
                self.feed.touch(self.timeline.stop())
                self._ended()

    def _take(self, event: Event) -> None:
        self.feed.touch(self.timeline.apply(event, time.monotonic()))
        self._plan.show_plan(self.timeline)
        self._refresh_head()

    def _take_failure(self, error: AppError) -> None:
        words = " ".join(filter(None, (error.message, error.hint)))
        self.feed.touch([self._add(Noticed("error", words))])

    def _add(self, item: Noticed) -> int:
        self.timeline.items.append(item)
        return len(self.timeline.items) - 1

    def _ended(self) -> None:
        self.feed.flush()
        self.composer.set_running(False)
        self._refresh_head()
        self.turn_ended.emit(dict(self.timeline.usage))

    # -- conversations ------------------------------------------------------------------------

    def new_conversation(self) -> None:
        """Begin anew; the old conversation stays in the history."""
        self.stop()
        self.session = None
        self._show(Timeline())
        self.composer.edit.setFocus()

    async def open_conversation(self, session: SessionId) -> None:
        """Show an earlier conversation."""
        events = await asyncio.to_thread(self._application.library.journal.events, session)
        self.stop()
        self.session = session
        self._show(replay(events))

    def _show(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.feed.show_timeline(timeline)
        self._stack.setCurrentWidget(self.feed if timeline.items else self._empty)
        self._plan.show_plan(timeline)
        self._refresh_head()

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(M, 0, M, 0)
        row.setSpacing(S)
        self._title = ElidedLabel("", "heading")
        self._title.setFixedHeight(HEAD_HEIGHT)
        self._steps = label("", "hint")
        row.addWidget(self._title, 1)
        row.addWidget(self._steps)
        self._history = icon_button("history", self.tr("Earlier conversations"), self._open_history)
        row.addWidget(self._history)
        row.addWidget(icon_button("new-chat", self.tr("New conversation"), self.new_conversation))
        return row

    def _refresh_head(self) -> None:
        asked = next((item.text for item in self.timeline.items if isinstance(item, Asked)), "")
        self._title.setText(" ".join(asked.split()) or self.tr("New conversation"))
        steps = self.timeline.steps
        self._steps.setText(self.tr("%n step(s)", None, steps) if steps else "")

    def _open_history(self) -> None:
        self._tasks.start(self._show_history(), "history")

    async def _show_history(self) -> None:
        sessions = await asyncio.to_thread(self._application.library.journal.sessions)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for row in sessions[:20]:
            title = " ".join((row.title or self.tr("Untitled")).split())[:60].replace("&", "&&")
            action = menu.addAction(title)
            action.triggered.connect(
                lambda _=False, row=row: self._tasks.start(self.open_conversation(row.session_id), "open")
            )
        if not sessions:
            menu.addAction(self.tr("No earlier conversations")).setEnabled(False)
        menu.popup(self._history.mapToGlobal(self._history.rect().bottomLeft()))

    def _examples(self) -> list[str]:
        return [
            self.tr("Which values of H₀ do my papers give?"),
            self.tr("What are the main systematic errors?"),
            self.tr("Which data sets are used, and for what?"),
        ]


class _PlanBar(QWidget):
    """The agent's plan: how far, and what it does now. Not there while there is no plan."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("todoPanel")
        self._title = label("", "heading")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._now = ElidedLabel("", "meta")
        row = QHBoxLayout()
        row.setContentsMargins(14, S, 14, S)
        row.setSpacing(10)
        row.addWidget(self._title)
        row.addWidget(self._bar, 2)
        row.addWidget(self._now, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(rule())
        layout.addLayout(row)
        self.hide()

    def show_plan(self, timeline: Timeline) -> None:
        """Show the plan of a conversation."""
        plan = timeline.plan
        self.setVisible(plan is not None)
        if plan is None:
            return
        words = self.tr("Plan %1 / %2").replace("%1", str(plan.done)).replace("%2", str(plan.total))
        self._title.setText(words)
        self._bar.setRange(0, plan.total)
        self._bar.setValue(plan.done)
        self._now.setText(plan.current)
