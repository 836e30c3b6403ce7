"""Conversations kept: found, opened, renamed, forked, exported, deleted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QLineEdit, QPushButton

from app.events import Message, TurnFinished, TurnStarted
from app.library.journal import Journal
from app.records.ids import SessionId
from app.ui.chat.items import Answered, Asked
from app.ui.chat.pane import TimelinePane
from app.ui.chat.session_deeds import file_name
from app.ui.chat.sessions_page import when
from tests.ui.chat.conftest import Opened, OpenPane
from tests.ui.conftest import until


async def ask(opened: Opened, *questions: str) -> None:
    for question in questions:
        opened.agent.script = (Message(f"About {question}", 1),)
        opened.pane.ask(question)
        await until(lambda: not opened.pane.running)


def titles(pane: TimelinePane) -> list[str]:
    model = pane.sessions.model
    return [str(model.index(place).data()) for place in range(model.rowCount())]


def holds(journal: Journal, count: int) -> bool:
    return len(journal.sessions()) == count


async def listed(pane: TimelinePane, count: int) -> None:
    await until(lambda: pane.sessions.model.rowCount() == count)


async def test_that_conversations_are_listed_and_opened(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await ask(opened, "M31?")
        pane.new_conversation()
        await ask(opened, "M33?")
        pane.toggle_sessions()
        await listed(pane, 2)
        assert titles(pane) == ["M33?", "M31?"]
        pane.sessions.wanted.emit(pane.sessions.model.row_at(1))
        await until(lambda: pane.timeline.items[:1] == [Asked("M31?")])
        assert pane.feed.isVisible()


async def test_that_conversations_are_found_by_what_was_said_in_them(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await ask(opened, "M31?")
        pane.new_conversation()
        opened.agent.script = (Message("The Cepheids of the Lantern.", 1),)
        pane.ask("What varies?")
        await until(lambda: not pane.running)
        pane.toggle_sessions()
        await listed(pane, 2)
        pane.sessions.search.setText("cepheids")
        await listed(pane, 1)
        assert titles(pane) == ["What varies?"]
        pane.sessions.search.setText("nowhere")
        await listed(pane, 0)


async def test_that_a_conversation_is_renamed(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await ask(opened, "M31?")
        pane.head.rename_wanted.emit()
        (dialog,) = pane.findChildren(QDialog)
        field = dialog.findChild(QLineEdit)
        assert isinstance(field, QLineEdit)
        field.setText("Andromeda")
        field.returnPressed.emit()
        await until(lambda: pane.talk.title == "Andromeda")
        assert opened.agent.library.journal.sessions()[0].title == "Andromeda"


async def test_that_deleting_asks_first(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await ask(opened, "M31?")
        journal = opened.agent.library.journal
        for word, left in (("Keep", 1), ("Delete", 0)):
            pane.head.delete_wanted.emit()
            dialog = pane.findChildren(QDialog)[-1]
            next(b for b in dialog.findChildren(QPushButton) if b.text() == word).click()
            await until(partial(holds, journal, left))
        await until(lambda: pane.session is None and not pane.timeline.items)


async def test_that_deleting_ends_the_turn_that_runs_there(open_pane: OpenPane) -> None:
    async with open_pane(asyncio.Event()) as opened:
        pane = opened.pane
        pane.ask("M31?")
        await until(lambda: pane.session and opened.agent.asked)
        pane.head.delete_wanted.emit()
        (dialog,) = pane.findChildren(QDialog)
        next(b for b in dialog.findChildren(QPushButton) if b.text() == "Delete").click()
        await until(partial(holds, opened.agent.library.journal, 0))
        assert not pane.running


async def test_that_a_question_can_be_asked_differently_in_a_new_conversation(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await ask(opened, "M31?", "M33?")
        first = pane.session
        place = next(p for p, i in enumerate(pane.timeline.items) if i == Asked("M33?"))
        await pane.fork(place)
        assert pane.session != first
        assert [type(i) for i in pane.timeline.items] == [Asked, Answered]
        assert pane.composer.text() == "M33?"


async def test_that_one_goes_on_from_an_answer_in_a_new_conversation(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await ask(opened, "M31?", "M33?")
        place = next(p for p, i in enumerate(pane.timeline.items) if isinstance(i, Answered))
        await pane.fork(place)
        assert [i.text for i in pane.timeline.items if isinstance(i, Asked | Answered)] == [
            "M31?",
            "About M31?",
        ]
        assert len(opened.agent.library.journal.sessions()) == 2


def written(opened: Opened, turns: int) -> SessionId:
    """Write a conversation of so many turns of three events."""
    journal = opened.agent.library.journal
    session = journal.new_session("Long")
    for number in range(turns):
        for event in (TurnStarted("t", f"Q{number}"), Message(f"A{number}", 1), TurnFinished("done")):
            journal.append(session, event.as_json(), durable=False)
    return session


def words(pane: TimelinePane) -> list[str]:
    return [item.text for item in pane.timeline.items if isinstance(item, Asked | Answered)]


async def test_that_the_end_of_a_long_conversation_is_here_first_and_the_rest_follows(
    open_pane: OpenPane,
) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        session = written(opened, 500)
        await pane.open_conversation(session)
        assert pane.talk.cut
        assert words(pane)[-1] == "A499"
        assert len(words(pane)) < 400
        last = pane.feed.view_at(len(pane.timeline.items) - 1)
        await until(lambda: not pane.talk.cut)
        assert words(pane) == [word for number in range(500) for word in (f"Q{number}", f"A{number}")]
        assert pane.feed.view_at(len(pane.timeline.items) - 1) is last


async def test_that_one_forks_from_a_long_conversation_before_all_of_it_is_here(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await pane.open_conversation(written(opened, 300))
        place = next(p for p, i in enumerate(pane.timeline.items) if i == Asked("Q299"))
        await pane.fork(place)
        await until(lambda: not pane.talk.cut)
        assert words(pane)[-1] == "A298"
        assert len(words(pane)) == 2 * 299


async def test_that_a_turn_may_go_on_while_the_beginning_is_still_read(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        await pane.open_conversation(written(opened, 300))
        opened.agent.script = (Message("New.", 1),)
        pane.ask("And now?")
        await until(lambda: not pane.running and not pane.talk.cut)
        assert words(pane)[:2] == ["Q0", "A0"]
        assert words(pane)[-2:] == ["And now?", "New."]


async def test_that_before_the_first_question_there_is_nothing_to_share(
    open_pane: OpenPane, tmp_path: Path
) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        pane.set_project(tmp_path)
        await ask(opened, "M31?")
        await pane.fork(0)
        assert (pane.session, pane.timeline.items, pane.composer.text()) == (None, [], "M31?")
        assert pane.talk.project == tmp_path


async def test_that_a_conversation_is_written_as_markdown(open_pane: OpenPane, tmp_path: Path) -> None:
    async with open_pane() as opened:
        await ask(opened, "M31?")
        session = opened.pane.session
        assert session is not None
        await opened.pane.deeds.write(session, tmp_path / "m31.md")
        text = (tmp_path / "m31.md").read_text("utf-8")
        assert text.startswith("# M31?")
        assert "About M31?" in text


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("What is H₀?", "What is H₀"),
        ("../../etc/passwd", "etc passwd"),
        ("a:b|c\n", "a b c"),
        ("???", "conversation"),
        ("天琴座", "天琴座"),
    ],
)
def test_that_a_title_becomes_a_name_every_system_takes(title: str, name: str) -> None:
    assert file_name(title) == name


def test_that_an_old_moment_is_told_by_its_date(qapp: object) -> None:
    assert "2001" in when(datetime(2001, 2, 3, tzinfo=UTC)) or "01" in when(datetime(2001, 2, 3, tzinfo=UTC))
    assert ":" in when(datetime.now(UTC))
