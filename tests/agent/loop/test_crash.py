"""A program that dies in the middle of a turn: what the next one finds, and what it makes of it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.agent.execution import faults
from app.agent.loop.history import History
from app.agent.loop.turn_lock import TurnLock
from app.errors import NotFoundError, UsageError
from app.events import PermissionRequest, Question, ToolCall, TurnStarted
from app.records.ids import SessionId
from tests.agent.loop.stage import Stage, StrictChat, look, paired, reason_of
from tests.fakes.scripted_chat import Call, Say

POINTS = (
    "before_model_call",
    "before_tool_call_row",
    "after_tool_call_row",
    "after_tool_start",
    "after_tool_end",
    "before_result_row",
    "after_result_row",
    "before_message_row",
    "after_message_row",
)


async def dying_turn(home: Path, point: str, at: int) -> None:
    """Run a turn and die at the n-th time that the point is reached, as by kill -9."""
    passed = 0

    def die(name: str) -> None:
        nonlocal passed
        passed += name == point
        if name == point and passed == at:
            os.kill(os.getpid(), signal.SIGKILL)

    faults.hook = die
    replies: list[Any] = [
        [Say("I look."), Call("look", {"number": 1}), Call("look", {"number": 2})],
        [Call("look", {"number": 3})],
        [Say("Done.")],
    ]
    async with Stage(home, StrictChat(replies), [look()]) as stage:
        await stage.ask("What is the period?")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize(
    ("point", "at"), [*((point, 1) for point in POINTS), ("after_tool_start", 2), ("before_message_row", 2)]
)
async def test_that_a_killed_turn_is_resumed_with_every_call_paired(home: Path, point: str, at: int) -> None:
    """Bug 1: kill -9 at every point between the rows, then resume: paired, marked as lost, and it goes on."""
    code = (
        "import asyncio, pathlib, sys; from tests.agent.loop.test_crash import dying_turn;"
        "asyncio.run(dying_turn(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))"
    )
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code, str(home), point, str(at)],
        cwd=Path(__file__).parents[3],
        timeout=120,
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    model = StrictChat([[Say("I go on.")]])
    async with Stage(home, model, [look()]) as stage:
        session = stage.session
        await stage.runtime.resume(session)
        rows = stage.rows(session)
        assert paired(rows)
        assert rows[-1]["type"] == "turn_finished"
        lost = [row for row in rows if row.get("outcome") == "lost_in_crash"]
        assert all("ended" in row["output"] for row in lost)
        await stage.runtime.resume(session)
        assert stage.rows(session) == rows
        assert reason_of(await stage.ask("go on", session)) == "done"
        assert "go on" in model.asked[0][-1].content
        assert any("What is the period?" in message.content for message in model.asked[0])


async def test_that_open_requests_are_closed_and_questions_wait_for_a_late_answer(home: Path) -> None:
    """Bug 34: what was asked survives a restart: the permission as cancelled, the question as unanswered."""
    async with Stage(home, StrictChat()) as stage:
        session = stage.library.journal.new_session("crashed")
        for event in (
            TurnStarted("t", "?"),
            ToolCall("a", "ask_user", {}, 1),
            Question("q", "Which star?", tool_call_id="a"),
            ToolCall("b", "file_write", {}, 1),
            PermissionRequest("p", "b", "file_write", "May it?"),
        ):
            stage.library.journal.append(session, event.as_json())
        await stage.runtime.resume(session)
        rows = stage.rows(session)
        assert paired(rows)
        assert [(r["id"], r["answer"]) for r in rows if r["type"] == "permission_answer"] == [
            ("p", "cancelled")
        ]
        assert [(r["id"], r["status"]) for r in rows if r["type"] == "question_answer"] == [
            ("q", "no_answer")
        ]
        assert History.of(stage.library.journal.rows(session)).unanswered == {"q": "Which star?"}
        assert rows[-1]["reason"] == "stopped"


async def test_that_a_turn_of_another_process_is_not_taken_for_a_crash(home: Path) -> None:
    async with Stage(home, StrictChat()) as stage:
        session = stage.library.journal.new_session("busy")
        stage.library.journal.append(session, TurnStarted("t", "?").as_json())
        code = (
            "import pathlib, sys, time; from app.agent.loop.turn_lock import TurnLock;"
            "lock = TurnLock(pathlib.Path(sys.argv[1]), sys.argv[2]); assert lock.acquire();"
            "print('held', flush=True); sys.stdin.read()"
        )
        with subprocess.Popen(  # noqa: ASYNC220  it starts in a moment
            [sys.executable, "-c", code, str(home), session],
            cwd=Path(__file__).parents[3],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as other:
            assert other.stdout
            assert other.stdin
            assert await asyncio.to_thread(other.stdout.readline) == b"held\n"
            await stage.runtime.resume(session)
            assert len(stage.rows(session)) == 1
            with pytest.raises(UsageError, match="Another window"):
                await stage.ask("me too", session)
            other.stdin.close()
            other.wait(30)
        await stage.runtime.resume(session)
        assert stage.rows(session)[-1]["type"] == "turn_finished"


def test_that_a_lock_leaves_no_file(home: Path) -> None:
    home.mkdir()
    lock = TurnLock(home, SessionId("../../odd"))
    assert lock.acquire()
    lock.release()
    assert not list((home / "running").iterdir())


async def test_that_what_another_window_wrote_is_read_before_the_next_turn(home: Path) -> None:
    """Two processes share a conversation, one turn at a time: neither goes on from an old state."""
    here, there = StrictChat([[Say("one")], [Say("three")]]), StrictChat([[Say("two")]])
    async with Stage(home, here) as window, Stage(home, there) as command:
        await window.ask("first")
        session = window.session
        await command.ask("second", session)
        await window.ask("third", session)
        words = [m.content.split("\n")[0] for m in here.asked[1] if m.role != "system"]
        assert words == ["first", "one", "second", "two", "third"]
        window.library.journal.delete(session)
        with pytest.raises(NotFoundError):
            await command.ask("fourth", session)
