"""The window over the whole agent: a scripted model, real tools, a person who answers in the timeline."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QLabel, QPushButton

from app.events import Outcome, ToolCall, ToolResult, TurnStarted
from app.ui.chat.items import Answered, Asked, Asking, Permission, ToolState, ToolUse
from app.ui.chat.permission_card import PermissionCard
from app.ui.chat.question_card import QuestionCard
from app.ui.chat.tool_card import ToolCard
from app.ui.main_window import MainWindow
from app.ui.settings.rules import RuleList
from tests.fakes.scripted_chat import Call, Reply, Say, ScriptedChat, Think, Wait
from tests.ui.conftest import OpenWindow, until


def play(window: MainWindow, *replies: Reply) -> None:
    """Let the agent's model say these, one reply a request."""
    window.application.chat = ScriptedChat(replies)


def calls(window: MainWindow) -> list[ToolUse]:
    return [item for item in window.timeline.timeline.items if isinstance(item, ToolUse)]


async def until_it_asks(window: MainWindow) -> None:
    await until(lambda: window.timeline.talk.waiting)
    window.timeline.feed.flush()


async def test_that_a_command_runs_when_the_person_allows_it(open_window: OpenWindow) -> None:
    async with open_window() as window:
        play(window, [Think("A command."), Call("run_bash", {"command": "echo lantern"})], [Say("It ran.")])
        window.timeline.ask("Say lantern")
        await until_it_asks(window)
        (card,) = window.timeline.feed.findChildren(PermissionCard)
        card.choices["once"].click()
        await until(lambda: not window.timeline.running)
        (call,) = calls(window)
        assert (call.state, call.outcome) == (ToolState.DONE, Outcome.SUCCEEDED)
        assert "lantern" in call.output
        answer = window.timeline.timeline.items[-1]
        assert isinstance(answer, Answered)
        assert answer.text == "It ran."


async def test_that_a_denied_command_does_not_run(open_window: OpenWindow, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    async with open_window() as window:
        play(window, [Call("run_bash", {"command": f"echo x > {trace.as_posix()}"})], [Say("Not done.")])
        window.timeline.ask("Leave a trace")
        await until_it_asks(window)
        (card,) = window.timeline.feed.findChildren(PermissionCard)
        card.choices["deny"].click()
        await until(lambda: not window.timeline.running)
        assert not trace.exists()
        assert calls(window)[0].outcome is Outcome.DENIED


async def test_that_stopping_withdraws_what_was_asked(open_window: OpenWindow) -> None:
    async with open_window() as window:
        play(window, [Call("run_bash", {"command": "echo lantern"})], [Say("It ran.")])
        window.timeline.ask("Say lantern")
        await until_it_asks(window)
        window.timeline.stop()
        await until(lambda: not window.timeline.running)
        (asked,) = [i for i in window.timeline.timeline.items if isinstance(i, Permission)]
        assert asked.answer == "cancelled"
        assert window.application.desk.pending() == []
        assert calls(window)[0].state is ToolState.STOPPED


async def test_that_a_question_of_the_agent_is_answered_in_the_timeline(open_window: OpenWindow) -> None:
    async with open_window() as window:
        ask = Call("ask_user", {"question": "Which one?", "options": ["M31", "M33"]})
        play(window, [ask], [Say("M33 then.")])
        window.timeline.ask("Observe it")
        await until_it_asks(window)
        (card,) = window.timeline.feed.findChildren(QuestionCard)
        card.options[1].click()
        await until(lambda: not window.timeline.running)
        (asked,) = [i for i in window.timeline.timeline.items if isinstance(i, Asking)]
        assert (asked.status, asked.answer) == ("answered", "M33")
        assert "M33" in calls(window)[0].output


async def test_that_a_sub_agent_is_seen_inside_its_call(open_window: OpenWindow) -> None:
    async with open_window() as window:
        play(
            window,
            [Call("subagent", {"task": "Look for lanterns"})],
            [Call("glob_files", {"pattern": "*.md"})],
            [Say("There are none.")],
            [Say("None at all.")],
        )
        window.timeline.ask("Are there lanterns?")
        await until(lambda: not window.timeline.running)
        (call,) = calls(window)
        assert call.inner is not None
        assert [i.name for i in call.inner.items if isinstance(i, ToolUse)] == ["glob_files"]


async def test_that_the_plan_of_the_agent_is_shown(open_window: OpenWindow) -> None:
    items = [
        {"id": "1", "content": "Find", "status": "completed"},
        {"id": "2", "content": "Read", "status": "in_progress", "blockedBy": ["1"]},
    ]
    async with open_window() as window:
        play(window, [Call("todo_write", {"items": items})], [Say("Planned.")])
        window.timeline.ask("Plan it")
        await until(lambda: not window.timeline.running)
        plan = window.timeline.timeline.plan
        assert plan is not None
        assert (plan.done, plan.current) == (1, "Read")
        assert window.timeline.plan.isVisible()


async def test_that_words_sent_while_it_works_are_read_at_the_next_step(open_window: OpenWindow) -> None:
    go, reached = asyncio.Event(), asyncio.Event()
    async with open_window() as window:
        play(window, [Wait(go, reached), Call("glob_files", {"pattern": "*"})], [Say("Only M31.")])
        window.timeline.ask("Look around")
        await reached.wait()
        window.timeline.composer.set_text("Only M31, please")
        window.timeline.composer.send.click()
        await until(lambda: not window.timeline.timeline.sending)
        go.set()
        await until(lambda: not window.timeline.running)
        assert Asked("Only M31, please", steering="read") in window.timeline.timeline.items


async def test_that_a_conversation_of_the_agent_comes_back_as_it_was_seen(open_window: OpenWindow) -> None:
    async with open_window() as window:
        play(
            window,
            [Think("Hm."), Say("I look."), Call("glob_files", {"pattern": "*"})],
            [Say("Nothing there.")],
        )
        window.timeline.ask("Look around")
        await until(lambda: not window.timeline.running)
        live = [type(item) for item in window.timeline.timeline.items]
        session = window.timeline.session
        assert session is not None
        window.timeline.new_conversation()
        await window.timeline.open_conversation(session)
        assert [type(item) for item in window.timeline.timeline.items] == live


async def test_that_the_agent_calls_for_a_person_who_does_not_see_the_timeline(
    open_window: OpenWindow,
) -> None:
    async with open_window() as window:
        window.panes.toggle_timeline()
        play(window, [Call("run_bash", {"command": "echo lantern"})], [Say("It ran.")])
        window.timeline.ask("Say lantern")
        await until_it_asks(window)
        await until(lambda: window.notices.texts() == ["The agent waits for your answer"])
        (show,) = [b for b in window.notices.findChildren(QPushButton) if b.text() == "Show"]
        show.click()
        assert window.panes.timeline_shown()


async def test_that_always_writes_a_rule_that_the_settings_show(open_window: OpenWindow, home: Path) -> None:
    async with open_window() as window:
        play(window, [Call("run_bash", {"command": "echo lantern"})], [Say("It ran.")])
        window.timeline.ask("Say lantern")
        await until_it_asks(window)
        (card,) = window.timeline.feed.findChildren(PermissionCard)
        card.choices["always"].click()
        await until(lambda: not window.timeline.running)
        assert "echo lantern" in (home / "settings.toml").read_text("utf-8")
        window.open_settings()
        rules = window.findChild(RuleList)
        assert isinstance(rules, RuleList)
        assert any("echo lantern" in label.text() for label in rules.findChildren(QLabel))


async def test_that_a_crash_is_seen_when_the_conversation_is_opened_again(open_window: OpenWindow) -> None:
    """Bug 2: a call that a crash took is told apart from one that never ran, also in the window."""
    async with open_window() as window:
        journal = window.application.library.journal
        session = journal.new_session("Lost")
        for event in (
            TurnStarted("t", "Say lantern"),
            ToolCall("c", "run_bash", {"command": "echo"}, 1),
            ToolResult("c", "run_bash", "", True, Outcome.LOST_IN_CRASH, 1),
        ):
            journal.append(session, event.as_json())
        await window.timeline.open_conversation(session)
        (card,) = window.timeline.feed.findChildren(ToolCard)
        assert "lost in a crash" in card.accessibleName()
