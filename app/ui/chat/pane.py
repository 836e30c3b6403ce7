"""The timeline pane: head, feed, plan and composer, and the turns that run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.records.ids import SessionId
from app.ui.chat.composer import Composer
from app.ui.chat.conversation import Talk
from app.ui.chat.deeds import Deeds
from app.ui.chat.feed import Feed
from app.ui.chat.head import Head
from app.ui.chat.plan_panel import PlanPanel
from app.ui.chat.progress_line import ProgressLine
from app.ui.chat.session_deeds import SessionDeeds
from app.ui.chat.sessions_page import SessionsPage, Standing
from app.ui.chat.timeline import Timeline
from app.ui.chat.turns import Turns
from app.ui.chat.waiting_bar import WaitingBar
from app.ui.tasks import Tasks
from app.ui.widgets.basics import button, rule
from app.ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.application import Application


class TimelinePane(QWidget):
    """Runs turns of the application and shows their events.

    A turn goes on when another conversation is looked at; `talk` is the one that is shown.
    """

    turn_ended = Signal(object)
    """The usage figures of the turn that just ended."""
    context_dropped = Signal(object)
    waiting_changed = Signal(int)
    """How many questions wait for the person, in all conversations together."""

    def __init__(
        self,
        application: Application,
        tasks: Tasks,
        open_citation: Callable[[Mapping[str, Any]], object],
    ) -> None:
        super().__init__()
        self.setProperty("pane", "timeline")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._application, self._tasks = application, tasks
        self.composer = Composer()
        self.talk = Talk()
        self.turns = Turns(self, application, tasks)
        self._waiting = 0
        self.feed = Feed(
            Deeds(
                open_citation=open_citation,
                permit=lambda request, choice: self.turns.permit(self.talk, request, choice),
                reply=lambda question, text: self.turns.reply(self.talk, question, text),
                fork=self._fork_from,
                leave=self.composer.edit.setFocus,
            )
        )
        self.deeds = SessionDeeds(self, application, tasks, self.turns)
        self.sessions = SessionsPage()
        self.head = Head()
        self.plan = PlanPanel()
        self.waiting_bar = WaitingBar(self.answer_waiting)
        self.progress = ProgressLine()
        self._empty = EmptyState(
            "chat",
            self.tr("Ask your papers"),
            self.tr("Answers come from your library. Each sentence cites the page that proves it."),
            [button(text, partial(self.composer.set_text, text), kind="row") for text in self._examples()],
        )
        self._stack = QStackedWidget()
        for page in (self._empty, self.feed, self.sessions):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        bars = (self.progress, self.plan, self.waiting_bar)
        for part in (self.head, rule(), self._stack, *bars, rule(), self.composer):
            layout.addWidget(part, int(part is self._stack))
        self._connect()
        self._show(self.talk)

    # -- turns --------------------------------------------------------------------------------

    @property
    def session(self) -> SessionId | None:
        """The session of the conversation that is shown."""
        return self.talk.session

    @property
    def timeline(self) -> Timeline:
        """The items of the conversation that is shown."""
        return self.talk.timeline

    @property
    def running(self) -> bool:
        """Whether a turn runs in any conversation."""
        return bool(self.turns.live)

    def ask(self, text: str) -> None:
        """Start a turn about the papers in the composer's context, or steer the one that runs."""
        self._stack.setCurrentWidget(self.feed)
        self.feed.touch([self.turns.send(self.talk, text, self.composer.context())])
        self.feed.flush()
        self.feed.follow()
        self._refresh_head()

    def wake(self, session: SessionId) -> None:
        """Something waits for an idle conversation (a background result, mail): let the agent take it up."""
        self._tasks.start(self._wake(session), f"wake {session}")

    def stop(self) -> None:
        """Ask the turn that is shown to end; asked twice, or after a while, it is not waited for."""
        self.turns.stop(self.talk)

    def answer_waiting(self) -> None:
        """Go to the oldest question that waits in this conversation, or in another one."""
        if not self.talk.waiting:
            other = next((talk for talk in self.turns.live if talk.waiting), None)
            if other is None:
                return
            self._show(other)
        self._stack.setCurrentWidget(self.feed)
        self._refresh_head()
        self.feed.flush()
        self.feed.focus_waiting()
        self._show_waiting()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._stack.currentWidget() is self.sessions:
            self.close_sessions()
        elif event.key() == Qt.Key.Key_Escape and self.talk.turn is not None:
            self.stop()
        else:
            super().keyPressEvent(event)

    async def _wake(self, session: SessionId) -> None:
        known = next((talk for talk in (*self.turns.live, self.talk) if talk.session == session), None)
        talk = known or await self.deeds.loaded(session)
        if talk.turn is None:
            self.turns.begin(talk, None)

    def show_figures(self) -> None:
        """Show what the model is doing, and what the conversation has taken."""
        line, chat = self.talk.timeline, self._application.chat
        self.progress.show_state(line.progress)
        context = line.usage.get("context_tokens") or 0
        room = chat.info.context_tokens if chat is not None else 0
        self.composer.meter.show_meter(line.meter, context, room, self._application.settings.llm.prices)

    def _touched(self, talk: Talk, places: list[int]) -> None:
        if talk is self.talk:
            self.progress.show_state(talk.timeline.progress)
            self.feed.touch(places)
            self.plan.show_plan(talk.timeline.plan)
            self._refresh_head()
        self._count_waiting()

    def _began_or_ended(self, talk: Talk) -> None:
        if talk is self.talk:
            self._show_running()
        if talk.turn is None:
            self._ended(talk)

    def _ended(self, talk: Talk) -> None:
        if talk is self.talk:
            self.feed.flush()
            unread = talk.timeline.take_unread()
            if unread and not self.composer.text().strip():
                self.composer.edit.setPlainText("\n".join(unread))  # to be sent again, or not
        if self._stack.currentWidget() is self.sessions:
            self._list_sessions()
        self.turn_ended.emit(dict(talk.timeline.usage))

    def _count_waiting(self) -> None:
        if not self.talk.waiting:
            self.waiting_bar.hide()
        waiting = sum(talk.waiting for talk in self.turns.live)
        if waiting != self._waiting:
            self._waiting = waiting
            self.waiting_changed.emit(waiting)

    def _show_waiting(self) -> None:
        among = self._stack.currentWidget() is self.sessions
        out_of_sight = among or not self.feed.waiting_in_sight()
        self.waiting_bar.setVisible(bool(self.talk.waiting) and out_of_sight)

    # -- conversations ------------------------------------------------------------------------

    def new_conversation(self) -> None:
        """Begin anew; the old conversation stays in the history, and its turn goes on."""
        self._show(Talk())
        self.composer.edit.setFocus()

    async def open_conversation(self, session: SessionId) -> None:
        """Show an earlier conversation."""
        live = next((talk for talk in (*self.turns.live, self.talk) if talk.session == session), None)
        talk = live or await self.deeds.loaded(session)
        self._show(talk)
        if talk.cut:
            self._tasks.start(self._complete(talk))

    async def _complete(self, talk: Talk) -> None:
        """Put what is missing of a long conversation before its end."""
        earlier = await self.deeds.earlier(talk)
        if earlier is None or not talk.cut:
            return
        talk.cut = 0
        talk.timeline.prepend(earlier)
        if talk is self.talk:
            self.feed.prepended(len(earlier.items))
            self.show_figures()
            self.plan.show_plan(talk.timeline.plan)
            self._refresh_head()

    def _fork_from(self, view: QWidget) -> None:
        if (place := self.feed.place_of(view)) is not None:
            self._tasks.start(self.fork(place), "fork")

    async def fork(self, place: int) -> None:
        """Begin a conversation that shares what came before the question, or up to the answer, at `place`."""
        talk, project = self.talk, self.talk.project
        if talk.cut:
            place -= talk.timeline.prepended
            await self._complete(talk)
            place += talk.timeline.prepended
        session, words = await self.deeds.forked(talk, place)
        if session is not None:
            await self.open_conversation(session)
        elif words:
            self._show(Talk(project=project))
        if words:
            self.composer.set_text(words)
        else:
            self.composer.edit.setFocus()

    def set_project(self, project: Path | None) -> None:
        """Let the agent use a folder in this conversation."""
        self.talk.project = project
        self.composer.set_project(project)
        if self.talk.session is not None:
            self._tasks.start(self.deeds.set_project(self.talk.session, project))

    def toggle_sessions(self) -> None:
        """Show the conversations, or go back to the one that was shown."""
        if self._stack.currentWidget() is self.sessions:
            self.close_sessions()
            return
        self._stack.setCurrentWidget(self.sessions)
        self._show_waiting()
        self.sessions.search.clear()
        self.sessions.search.setFocus()
        self._list_sessions()
        self._refresh_head()

    def close_sessions(self) -> None:
        """Go back to the conversation that was shown."""
        self._stack.setCurrentWidget(self.feed if self.timeline.items else self._empty)
        self._refresh_head()
        self._show_waiting()
        self.composer.edit.setFocus()

    def _show(self, talk: Talk) -> None:
        self.talk = talk
        self.feed.show_timeline(talk.timeline)
        self._stack.setCurrentWidget(self.feed if talk.timeline.items else self._empty)
        self.plan.show_plan(talk.timeline.plan)
        self.composer.set_project(talk.project)
        self._show_running()
        self._count_waiting()

    def _show_running(self) -> None:
        turn = self.talk.turn
        self.show_figures()
        self.composer.set_running(turn is not None, stopping=turn is not None and turn.stopping)
        self._refresh_head()

    def _refresh_head(self) -> None:
        self.head.show_talk(self.talk, among_sessions=self._stack.currentWidget() is self.sessions)

    def _list_sessions(self) -> None:
        self._tasks.start(self._listed(self.sessions.search.text().strip()), "sessions")

    async def _listed(self, words: str) -> None:
        rows = await self.deeds.listed(words)
        standings: dict[str, Standing] = {
            str(talk.session): Standing(talk.turn is not None, bool(talk.waiting), talk is self.talk)
            for talk in (*self.turns.live, self.talk)
            if talk.session is not None
        }
        self.sessions.show_rows(rows, standings)

    def _renamed(self, session: str, title: str) -> None:
        for talk in (*self.turns.live, self.talk):
            if talk.session == session:
                talk.title = title
        self._refresh_head()

    def _deleted(self, session: str) -> None:
        if self.talk.session == session:
            among = self._stack.currentWidget() is self.sessions
            self._show(Talk())
            if among:
                self._stack.setCurrentWidget(self.sessions)
                self._refresh_head()

    def _with_session(self, deed: Callable[[SessionId, str], object]) -> None:
        if self.talk.session is not None:
            deed(self.talk.session, self.talk.name())

    def _connect(self) -> None:
        composer, head, sessions, deeds = self.composer, self.head, self.sessions, self.deeds
        self.turns.touched.connect(self._touched)
        self.turns.changed.connect(self._began_or_ended)
        composer.sent.connect(self.ask)
        composer.stopped.connect(self.stop)
        composer.context_dropped.connect(self.context_dropped)
        composer.project_wanted.connect(lambda: deeds.choose_project(self.set_project))
        composer.project_dropped.connect(lambda: self.set_project(None))
        head.sessions_toggled.connect(self.toggle_sessions)
        head.new_wanted.connect(self.new_conversation)
        head.project_wanted.connect(lambda: deeds.choose_project(self.set_project))
        head.rename_wanted.connect(lambda: self._with_session(deeds.rename))
        head.export_wanted.connect(lambda: self._with_session(deeds.export))
        head.delete_wanted.connect(lambda: self._with_session(deeds.delete))
        sessions.closed.connect(self.close_sessions)
        sessions.search_changed.connect(lambda _: self._list_sessions())
        sessions.wanted.connect(lambda row: self._tasks.start(self.open_conversation(row.session_id), "open"))
        sessions.rename_wanted.connect(lambda row: deeds.rename(row.session_id, row.title))
        sessions.export_wanted.connect(lambda row: deeds.export(row.session_id, row.title))
        sessions.delete_wanted.connect(lambda row: deeds.delete(row.session_id, row.title))
        deeds.changed.connect(self._list_sessions)
        deeds.renamed.connect(self._renamed)
        deeds.deleted.connect(self._deleted)
        self.feed.moved.connect(self._show_waiting)

    def _examples(self) -> list[str]:
        return [
            self.tr("Which values of H₀ do my papers give?"),
            self.tr("What are the main systematic errors?"),
            self.tr("Which data sets are used, and for what?"),
        ]
