"""The timeline pane with an agent behind it: asked, permitted, answered, steered, stopped."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app.events import (
    Event,
    Message,
    Outcome,
    PermissionRequest,
    Question,
    TextDelta,
    ThinkingDelta,
    Todo,
    ToolCall,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.ui.chat import turns
from app.ui.chat.conversation import Talk
from app.ui.chat.feed import AT_MOST
from app.ui.chat.foldable import FoldLine, Output
from app.ui.chat.items import Answered, Asked, Asking, Ended, Permission, ToolUse
from app.ui.chat.pane import TimelinePane
from app.ui.chat.permission_card import PermissionCard
from app.ui.chat.preview import Preview
from app.ui.chat.question_card import QuestionCard
from app.ui.chat.timeline import Timeline
from app.ui.chat.tool_card import ToolCard, in_lines
from tests.ui.chat.conftest import OpenPane
from tests.ui.conftest import until

CALL = ToolCall("c", "run_bash", {"command": "ls"}, 1)
RULE = {"tool": "run_bash", "match": "ls"}
REQUEST = PermissionRequest("r", "c", "run_bash", "Run this command?", "ls -la\u202e", "command", RULE)
DONE = ToolResult("c", "run_bash", "a.txt", False, Outcome.SUCCEEDED, 1)
ANSWER = Message("Far.", 2)


View = TypeVar("View", bound=QWidget)


def one(pane: TimelinePane, kind: type[View]) -> View:
    (found,) = pane.feed.findChildren(kind)
    return found


def press(widget: QWidget, key: Qt.Key) -> None:
    event = QKeyEvent(QKeyEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


async def waits(pane: TimelinePane) -> None:
    await until(lambda: pane.talk.waiting)
    pane.feed.flush()


# -- permission ---------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["once", "session", "always", "deny"])
async def test_that_a_request_is_answered_in_its_place_and_becomes_a_line(
    open_pane: OpenPane, choice: str
) -> None:
    async with open_pane(CALL, REQUEST, DONE, ANSWER) as opened:
        pane = opened.pane
        pane.ask("List it")
        await waits(pane)
        card = one(pane, PermissionCard)
        assert card.property("frame") == "warn"
        settled = asyncio.Event()
        pane.feed.moved.connect(settled.set)
        await settled.wait()
        assert pane.waiting_bar.isHidden()
        assert one(pane, Preview).toPlainText() == "ls -la⟨U+202E⟩"
        card.choices[choice].click()  # type: ignore[index]
        await until(lambda: not pane.running)
        (asked,) = [i for i in pane.timeline.items if isinstance(i, Permission)]
        assert asked.answer == choice
        assert not card.is_open()
        assert card.property("frame") == "line"


async def test_that_a_command_too_long_to_be_set_says_so_and_can_be_copied(open_pane: OpenPane) -> None:
    command = "echo " + "x" * 1_000_000 + " && rm -r everything"
    long = PermissionRequest("r", "c", "run_bash", "It runs a program.", command, "command")
    async with open_pane(CALL, long) as opened:
        pane = opened.pane
        pane.ask("List it")
        await waits(pane)
        words = one(pane, Preview).toPlainText()
        assert "characters left out" in words
        assert words.endswith("&& rm -r everything")
        (copy,) = [b for b in pane.feed.findChildren(QPushButton) if b.text() == "Copy all of it"]
        copy.click()
        assert QApplication.clipboard().text() == command


async def test_that_always_is_offered_only_with_a_rule_to_write(open_pane: OpenPane) -> None:
    bare = PermissionRequest("r", "c", "run_bash", "Run it?", "ls", "command")
    async with open_pane(CALL, bare) as opened:
        opened.pane.ask("List it")
        await waits(opened.pane)
        assert list(one(opened.pane, PermissionCard).choices) == ["once", "session", "deny"]


async def test_that_requests_are_answered_by_keys_and_the_keyboard_goes_back(open_pane: OpenPane) -> None:
    async with open_pane(CALL, REQUEST, DONE) as opened:
        pane = opened.pane
        pane.ask("List it")
        await waits(pane)
        pane.activateWindow()
        pane.answer_waiting()
        card = one(pane, PermissionCard)
        press(card, Qt.Key.Key_4)
        await until(lambda: not pane.running)
        (asked,) = [i for i in pane.timeline.items if isinstance(i, Permission)]
        assert asked.answer == "deny"


async def test_that_the_card_takes_no_keys_while_one_writes(open_pane: OpenPane) -> None:
    async with open_pane(CALL, REQUEST) as opened:
        pane = opened.pane
        pane.activateWindow()
        pane.composer.edit.setFocus()
        pane.ask("List it")
        await waits(pane)
        press(pane.composer.edit, Qt.Key.Key_Return)
        assert not one(pane, PermissionCard).isAncestorOf(QApplication.focusWidget() or pane)
        assert pane.talk.waiting == 1


async def test_that_an_answer_nobody_waits_for_changes_nothing(open_pane: OpenPane) -> None:
    async with open_pane(CALL, REQUEST) as opened:
        pane = opened.pane
        pane.ask("List it")
        await waits(pane)
        opened.agent.desk.waiting.clear()
        one(pane, PermissionCard).choices["once"].click()
        await until(lambda: not pane.talk.waiting)
        (asked,) = [i for i in pane.timeline.items if isinstance(i, Permission)]
        assert asked.answer == "cancelled"


async def test_that_what_waits_out_of_sight_is_told_and_shown(open_pane: OpenPane) -> None:
    async with open_pane(Message("A line.\n\n" * 80, 1), CALL, REQUEST) as opened:
        pane = opened.pane
        told: list[int] = []
        pane.waiting_changed.connect(told.append)
        pane.ask("List it")
        await waits(pane)
        await until(lambda: pane.feed.verticalScrollBar().maximum() > 0)
        pane.feed.verticalScrollBar().setValue(0)
        await until(pane.waiting_bar.isVisible)
        pane.waiting_bar.show_button.click()
        await until(pane.waiting_bar.isHidden)
        assert told == [1]


async def test_that_an_answer_may_come_before_the_call_has_begun_to_wait(open_pane: OpenPane) -> None:
    async with open_pane(CALL, REQUEST, DONE) as opened:
        pane = opened.pane
        pane.ask("List it")
        await waits(pane)
        waiting = opened.agent.desk.waiting.pop("r")
        one(pane, PermissionCard).choices["once"].click()
        await asyncio.sleep(0.05)
        opened.agent.desk.waiting["r"] = waiting
        await until(lambda: not pane.running)
        (asked,) = [i for i in pane.timeline.items if isinstance(i, Permission)]
        assert asked.answer == "once"


# -- questions ----------------------------------------------------------------------------------


async def test_that_a_question_takes_an_option_or_other_words(open_pane: OpenPane) -> None:
    script = (Question("q", "Which?", ("The letter", "Both")), Question("w", "Units?"))
    async with open_pane(*script) as opened:
        pane = opened.pane
        pane.ask("Read it")
        await waits(pane)
        one(pane, QuestionCard).options[1].click()
        await until(lambda: len([i for i in pane.timeline.items if isinstance(i, Asking)]) == 2)
        pane.feed.flush()
        field = pane.feed.findChildren(QuestionCard)[-1].field
        field.setText("km/s")
        press(field, Qt.Key.Key_Return)
        await until(lambda: not pane.running)
        asked = [i for i in pane.timeline.items if isinstance(i, Asking)]
        assert [(i.status, i.answer) for i in asked] == [("answered", "Both"), ("answered", "km/s")]


async def test_that_a_late_answer_becomes_a_message(open_pane: OpenPane) -> None:
    """Bug 34: an answer after the time ran out is not dropped."""
    async with open_pane(Question("q", "Which?", ("The letter", "Both"))) as opened:
        pane = opened.pane
        pane.ask("Read it")
        await waits(pane)
        pane.stop()
        await until(lambda: not pane.running)
        card = one(pane, QuestionCard)
        opened.agent.script = ()
        pane.timeline.answer_question("q", "no_answer")
        pane.feed.touch([next(p for p, i in enumerate(pane.timeline.items) if isinstance(i, Asking))])
        pane.feed.flush()
        card.options[0].click()
        await until(lambda: len(opened.agent.asked) == 2)
        assert opened.agent.asked[-1][0] == "About your question “Which?”: The letter"


# -- steer and stop -----------------------------------------------------------------------------


async def test_that_what_is_sent_while_the_agent_works_steers_it(open_pane: OpenPane) -> None:
    go = asyncio.Event()
    async with open_pane(go, ANSWER) as opened:
        pane = opened.pane
        pane.ask("How far?")
        await until(lambda: pane.session)
        pane.composer.set_text("Only since 2016")
        pane.composer.send.click()
        await until(lambda: opened.agent.steered == ["Only since 2016"])
        go.set()
        await until(lambda: not pane.running)
        assert pane.timeline.items[:2] == [Asked("How far?"), Asked("Only since 2016", steering="read")]
        assert len(opened.agent.asked) == 1


async def test_that_steering_after_the_end_starts_a_turn(open_pane: OpenPane) -> None:
    go = asyncio.Event()
    async with open_pane(go) as opened:
        pane, opened.agent.steerable = opened.pane, False
        pane.ask("How far?")
        await until(lambda: pane.session)
        pane.ask("And M31?")
        await asyncio.sleep(0)
        go.set()
        await until(lambda: len(opened.agent.asked) == 2 and not pane.running)
        assert [text for text, _papers, _project in opened.agent.asked] == ["How far?", "And M31?"]
        assert [i for i in pane.timeline.items if isinstance(i, Asked)] == [
            Asked("How far?"),
            Asked("And M31?"),
        ]


async def test_that_stopping_asks_first_and_does_not_wait_for_ever(
    open_pane: OpenPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug 16: the window says "Stopping…" at once, and is free again whatever the agent does."""
    monkeypatch.setattr(turns, "GRACE_MS", 50)
    async with open_pane(asyncio.Event()) as opened:
        pane, opened.agent.deaf = opened.pane, True
        pane.ask("How far?")
        await until(lambda: pane.session)
        pane.composer.stop.click()
        assert pane.composer.stop.text() == "Stopping…"
        assert not pane.composer.send.isEnabled()
        await until(lambda: not pane.running)
        assert pane.timeline.items[-1] == Ended("stopped")
        assert pane.composer.stop.isHidden()


async def test_that_stopping_twice_does_not_wait(open_pane: OpenPane) -> None:
    async with open_pane(asyncio.Event()) as opened:
        pane, opened.agent.deaf = opened.pane, True
        pane.ask("How far?")
        await until(lambda: pane.session)
        pane.stop()
        assert pane.running
        press(pane, Qt.Key.Key_Escape)
        assert not pane.running


async def test_that_unread_steering_comes_back_to_the_composer(open_pane: OpenPane) -> None:
    async with open_pane(asyncio.Event()) as opened:
        pane = opened.pane
        pane.ask("How far?")
        await until(lambda: pane.session)
        opened.agent.deaf = True
        pane.ask("Only since 2016")
        await until(lambda: opened.agent.steered)
        await asyncio.sleep(0)
        pane.stop()
        pane.stop()
        assert pane.composer.text() == "Only since 2016"


async def test_that_a_turn_goes_on_while_another_conversation_is_looked_at(open_pane: OpenPane) -> None:
    go = asyncio.Event()
    async with open_pane(go, ANSWER) as opened:
        pane = opened.pane
        pane.ask("How far?")
        await until(lambda: pane.session)
        session = pane.session
        assert session is not None
        pane.new_conversation()
        assert pane.timeline.items == []
        assert not pane.composer.stop.isVisible()
        go.set()
        await until(lambda: not pane.running)
        assert pane.timeline.items == []
        await pane.open_conversation(session)
        assert [type(i) for i in pane.timeline.items] == [Asked, Answered]


async def test_that_a_request_in_another_conversation_is_found(open_pane: OpenPane) -> None:
    async with open_pane(CALL, REQUEST) as opened:
        pane = opened.pane
        pane.ask("List it")
        asking = pane.talk
        await waits(pane)
        pane.new_conversation()
        pane.answer_waiting()
        assert pane.talk is asking


async def test_that_an_idle_conversation_is_woken(open_pane: OpenPane) -> None:
    async with open_pane(ANSWER) as opened:
        pane = opened.pane
        pane.ask("How far?")
        await until(lambda: not pane.running)
        assert pane.session is not None
        pane.wake(pane.session)
        await until(lambda: len(opened.agent.asked) == 2 and not pane.running)
        assert len([i for i in pane.timeline.items if isinstance(i, Answered)]) == 2


# -- what is shown ------------------------------------------------------------------------------


async def test_that_thinking_and_calls_are_lines_until_they_are_opened(open_pane: OpenPane) -> None:
    async with open_pane(ThinkingDelta("I should list."), CALL, DONE, ANSWER) as opened:
        pane = opened.pane
        pane.ask("List it")
        await until(lambda: not pane.running)
        assert pane.feed.findChildren(Output) == []
        one(pane, FoldLine).toggle()
        assert one(pane, Output).toPlainText() == "I should list."
        one(pane, ToolCard).toggle()
        words = [output.toPlainText() for output in one(pane, ToolCard).findChildren(Output)]
        assert words == ["command: ls", "a.txt"]


def test_that_arguments_are_read_as_lines() -> None:
    assert in_lines({"path": "a.md", "content": "x\ny", "limit": 3}) == "path: a.md\ncontent:\nx\ny\nlimit: 3"


async def test_that_the_plan_opens_to_every_task(open_pane: OpenPane) -> None:
    items = (
        {"id": "1", "content": "Find", "status": "completed"},
        {"id": "2", "content": "Read", "status": "in_progress"},
        {"id": "3", "content": "Write", "status": "pending", "blockedBy": ["2"]},
    )
    async with open_pane(Todo(items)) as opened:
        pane = opened.pane
        assert pane.plan.isHidden()
        pane.ask("Plan it")
        await until(lambda: not pane.running)
        assert pane.plan.isVisible()
        assert not pane.plan.is_open()
        press(pane.plan, Qt.Key.Key_Return)
        words = [label.text() for label in pane.plan.findChildren(QWidget) if hasattr(label, "text")]
        assert {"Find", "Read", "Write", "waits for: Read"} <= set(words)


async def test_that_a_long_conversation_makes_widgets_only_for_what_is_near(open_pane: OpenPane) -> None:
    timeline = Timeline()
    for number in range(5000):
        timeline.ask(f"Question {number}")
        timeline.apply(Message(f"Answer {number}", 1))
    async with open_pane() as opened:
        pane = opened.pane
        pane._show(Talk(None, "long", timeline))
        await asyncio.sleep(0.2)
        made = len(pane.feed._views)
        assert made < 60
        assert pane.feed.view_at(len(timeline.items) - 1) is not None
        bar = pane.feed.verticalScrollBar()
        assert bar.value() == bar.maximum()
        bar.setValue(0)
        await until(lambda: len(pane.feed._views) > made)
        assert bar.value() > 0


async def test_that_a_conversation_that_goes_on_for_ever_keeps_few_widgets(open_pane: OpenPane) -> None:
    async with open_pane() as opened:
        pane = opened.pane
        pane._show(Talk(None, "long", Timeline()))
        for number in range(AT_MOST + 50):
            pane.feed.touch([pane.timeline.ask(f"Question {number}")])
            pane.feed.flush()
        assert len(pane.feed._views) <= AT_MOST


async def test_that_pieces_are_shown_thirty_times_a_second_at_most(open_pane: OpenPane) -> None:
    """Bug 37: two thousand pieces are a few repaints."""
    script: list[Event] = [TextDelta("word ") for _ in range(2000)]
    async with open_pane(*script) as opened:
        pane = opened.pane
        flushed: list[int] = []
        pane.feed._timer.timeout.connect(lambda: flushed.append(1))
        pane.ask("How far?")
        await until(lambda: not pane.running)
        assert len(flushed) < 500
        (answer,) = [i for i in pane.timeline.items if isinstance(i, Answered)]
        assert answer.text == "word " * 2000


async def test_that_a_project_folder_goes_with_every_turn(open_pane: OpenPane, tmp_path: Path) -> None:
    async with open_pane(ANSWER) as opened:
        pane = opened.pane
        pane.set_project(tmp_path)
        pane.ask("How far?")
        await until(lambda: not pane.running)
        assert opened.agent.asked[0][2] == tmp_path
        assert pane.session is not None
        assert opened.agent.library.journal.session(pane.session).project == str(tmp_path)
        chips = [b for b in pane.composer.findChildren(QPushButton) if b.text() == f"{tmp_path.name}  ×"]
        chips[0].click()
        session = pane.session
        await until(lambda: opened.agent.library.journal.session(session).project == "")


async def test_that_what_was_journaled_is_shown_again(open_pane: OpenPane) -> None:
    async with open_pane(ThinkingDelta("hm"), TextDelta("Fa"), ANSWER, CALL, DONE) as opened:
        pane = opened.pane
        pane.ask("How far?")
        await until(lambda: not pane.running)
        live = [type(i) for i in pane.timeline.items if isinstance(i, Asked | Answered | ToolUse)]
        session = pane.session
        assert session is not None
        pane.new_conversation()
        await pane.open_conversation(session)
        assert [type(i) for i in pane.timeline.items] == live
        rows = opened.agent.library.journal.events(session)
        assert rows[0]["type"] == TurnStarted.type
        assert rows[-1]["type"] == TurnFinished.type
