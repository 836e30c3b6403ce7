from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.agent.background import AT_ONCE, MAX_OPEN
from app.agent.background_task import BgTask, number_of, task_id
from app.agent.tools import ToolOutput
from app.agent.tools.context import Conversation
from app.errors import LibraryError, ModelError, NotFoundError, UsageError
from app.events import ToolCall, ToolProgress
from app.records.ids import SessionId
from tests.fakes.orchestra import Orchestra, until
from tests.harness.cancelling import at_every_step

PAPER = {"paper": "2016ApJ...826...56R"}


def told(orchestra: Orchestra, session: SessionId) -> list[dict[str, Any]]:
    """Return what the agent was told of background tasks."""
    events = orchestra.library.journal.events(session)
    return [event for event in events if event.get("source") == "background"]


def stays_open(orchestra: Orchestra) -> asyncio.Event:
    """Let calls wait for the returned event."""
    go = asyncio.Event()

    async def wait(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
        await go.wait()
        return ToolOutput("all read", untrusted=True)

    orchestra.runs = wait
    return go


async def ended(orchestra: Orchestra, session: SessionId) -> list[BgTask]:
    """Wait until nothing is under way, and return the tasks."""

    async def nothing_runs() -> bool:
        return all(task.state != "running" for task in await orchestra.background.tasks(session))

    await until(nothing_runs)
    return await orchestra.background.tasks(session)


async def test_that_a_task_outlives_its_call_and_its_end_is_told_once(orchestra: Orchestra) -> None:
    """Bug 32, trap 0.11: the news waits for the agent, also for one whose turn is over."""
    lead = orchestra.lead()
    go = stays_open(orchestra)
    begun = await orchestra.use(lead, "bg_task_run", tool="download_paper", arguments=PAPER)
    assert begun.metadata["task_id"] == "bg-1"
    assert await orchestra.background.deliver(lead) == 0
    go.set()
    (task,) = await ended(orchestra, lead.session_id)
    assert (task.state, task.result, task.delivered) == ("done", "all read", False)
    await until(lambda: orchestra.woken == [lead.session_id])
    assert await orchestra.background.deliver(lead) == 1
    assert await orchestra.background.deliver(lead) == 0
    (event,) = told(orchestra, lead.session_id)
    assert "bg-1: download_paper" in event["text"]
    assert "all read" in event["text"]
    assert event["trusted"] is False  # it rests on the text of a paper
    assert (await orchestra.background.tasks(lead.session_id))[0].delivered


async def test_that_a_failed_call_is_a_failed_task_with_its_reason(orchestra: Orchestra) -> None:
    lead = orchestra.lead()

    async def refuse(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
        if arguments == PAPER:
            return ToolOutput.error("It is not open access.")
        raise ModelError("No network.", hint="Go online.")

    orchestra.runs = refuse
    await orchestra.background.start(lead, "download_paper", PAPER)
    await orchestra.background.start(lead, "download_paper", {"paper": "x"})
    tasks = await ended(orchestra, lead.session_id)
    assert [(task.state, task.result) for task in tasks] == [
        ("failed", "It is not open access."), ("failed", "No network. Go online."),
    ]  # fmt: skip


async def test_that_a_mistake_of_ours_is_logged_and_the_task_has_an_end(
    orchestra: Orchestra, caplog: pytest.LogCaptureFixture
) -> None:
    """Bug 32: whatever happens in a task, its end is told."""
    lead = orchestra.lead()

    async def stumble(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
        raise LookupError("a mistake")

    orchestra.runs = stumble
    await orchestra.background.start(lead, "parse_paper", PAPER)
    (task,) = await ended(orchestra, lead.session_id)
    assert task.state == "failed"
    assert "report it" in task.result
    await until(lambda: "met a mistake" in caplog.text)
    assert await orchestra.background.deliver(lead) == 1


async def test_that_what_happens_in_a_task_is_shown_inside_its_call(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    go = asyncio.Event()

    async def report(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
        await conversation.emit(ToolCall("inner", tool, arguments, 0), durable=True)
        await conversation.emit(ToolProgress("inner", 0.5, "half of it"))
        await go.wait()
        return ToolOutput("done")

    orchestra.runs = report
    await orchestra.use(lead, "bg_task_run", tool="parse_paper", arguments=PAPER)
    await until(lambda: len(orchestra.library.journal.events(lead.session_id)) == 1)
    (row,) = orchestra.library.journal.events(lead.session_id)
    assert (row["type"], row["tool_call_id"], row["event"]["id"]) == ("nested", "call_1", "inner")
    seen = await orchestra.use(lead, "bg_task_check", task_id="bg-1")
    assert "is running, 50% (half of it)" in seen.content
    go.set()
    await ended(orchestra, lead.session_id)


async def test_that_checking_tells_how_tasks_stand_and_marks_nothing(orchestra: Orchestra) -> None:
    """Bug 32: what was only looked at is still told."""
    lead = orchestra.lead()
    none = await orchestra.use(lead, "bg_task_check")
    assert none.content.startswith("No background task")
    await orchestra.background.start(lead, "parse_paper", PAPER)
    await ended(orchestra, lead.session_id)
    listed = await orchestra.use(lead, "bg_task_check")
    assert listed.content == 'bg-1: parse_paper {"paper": "2016ApJ...826...56R"} is done'
    one = await orchestra.use(lead, "bg_task_check", task_id="BG-1")
    assert one.content.endswith(f"parse_paper {PAPER}")
    missing = await orchestra.use(lead, "bg_task_check", task_id="bg-7")
    assert missing.is_error
    assert "bg-1" in missing.content
    assert await orchestra.background.deliver(lead) == 1
    other = orchestra.lead()
    assert (await orchestra.use(other, "bg_task_check", task_id="bg-1")).is_error


async def test_that_other_tools_and_too_many_tasks_are_refused(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    go = stays_open(orchestra)
    for tool in ("run_bash", "bg_task_run", "no_such_tool"):
        with pytest.raises(UsageError):
            await orchestra.background.start(lead, tool, {})
    for i in range(MAX_OPEN):
        await orchestra.background.start(lead, "parse_paper", {"paper": str(i)})
    with pytest.raises(UsageError):
        await orchestra.background.start(lead, "parse_paper", PAPER)
    assert await orchestra.background.start(orchestra.lead(), "parse_paper", PAPER) == f"bg-{MAX_OPEN + 1}"
    go.set()
    await ended(orchestra, lead.session_id)


async def test_that_the_same_call_is_not_begun_twice_while_it_runs(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    go = stays_open(orchestra)
    first = await orchestra.background.start(lead, "parse_paper", PAPER)
    assert await orchestra.background.start(lead, "parse_paper", PAPER) == first
    go.set()
    await ended(orchestra, lead.session_id)
    assert await orchestra.background.start(lead, "parse_paper", PAPER) != first


async def test_that_few_tasks_are_under_way_at_once(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    busy, most, go = 0, 0, asyncio.Event()

    async def count(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await go.wait()
        busy -= 1
        return ToolOutput("ok")

    async def enough_run() -> bool:
        return busy >= AT_ONCE

    orchestra.runs = count
    for i in range(AT_ONCE * 3):
        await orchestra.background.start(lead, "parse_paper", {"paper": str(i)})
    await until(enough_run)
    go.set()
    await ended(orchestra, lead.session_id)
    assert most == AT_ONCE


async def test_that_a_task_can_be_cancelled(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    stays_open(orchestra)
    task = await orchestra.background.start(lead, "parse_paper", PAPER)
    with pytest.raises(NotFoundError):
        await orchestra.background.cancel(orchestra.lead().session_id, task)
    await orchestra.background.cancel(lead.session_id, task)  # before its first step, too
    (row,) = await orchestra.background.tasks(lead.session_id)
    assert row.state == "cancelled"
    with pytest.raises(NotFoundError):
        await orchestra.background.cancel(lead.session_id, task)
    with pytest.raises(NotFoundError):
        await orchestra.background.cancel(lead.session_id, "nonsense")


async def test_that_closing_ends_tasks_and_the_next_start_tells_of_it(orchestra: Orchestra) -> None:
    """Bug 32: a closed program leaves no task running and no news untold."""
    lead = orchestra.lead()
    stays_open(orchestra)
    await orchestra.background.start(lead, "parse_paper", PAPER)
    await asyncio.sleep(0.01)
    await orchestra.close()
    with pytest.raises(UsageError):
        await orchestra.background.start(lead, "parse_paper", PAPER)
    orchestra.open()
    assert await orchestra.background.recover() == [lead.session_id]
    again = orchestra.lead(lead.session_id)
    assert await orchestra.background.deliver(again) == 1
    assert "is cancelled" in told(orchestra, lead.session_id)[0]["text"]


async def test_that_a_task_of_a_dead_process_is_lost_and_told_of(orchestra: Orchestra) -> None:
    """Bug 32: a crash makes a task lost, not silent; what it did is not guessed."""
    lead = orchestra.lead()
    go = stays_open(orchestra)
    await orchestra.background.start(lead, "download_paper", PAPER)
    dead = orchestra.background
    orchestra.die()
    orchestra.open()
    assert await orchestra.background.recover() == [lead.session_id]
    again = orchestra.lead(lead.session_id)
    assert await orchestra.background.deliver(again) == 1
    text = told(orchestra, lead.session_id)[0]["text"]
    assert "is lost" in text
    assert "not known" in text
    assert await orchestra.background.recover() == []
    go.set()
    await dead.close()


async def test_that_a_task_of_a_living_process_is_not_lost(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    go = stays_open(orchestra)
    await orchestra.background.start(lead, "download_paper", PAPER)
    other = Orchestra(orchestra.library)
    assert await other.background.recover() == []
    assert [task.state for task in await other.background.tasks(lead.session_id)] == ["running"]
    go.set()
    await ended(orchestra, lead.session_id)
    await other.close()


async def test_that_an_end_that_cannot_be_written_now_is_written_later(
    orchestra: Orchestra, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Bug 32: a full disk delays the news."""
    lead = orchestra.lead()
    kept = orchestra.library.tasks.set_state

    def full(*args: Any, **kwargs: Any) -> None:
        raise LibraryError("The disk is full.", code="disk_full")

    monkeypatch.setattr(type(orchestra.library.tasks), "set_state", full)
    await orchestra.background.start(lead, "parse_paper", PAPER)
    await until(lambda: "was not saved" in caplog.text)
    assert await orchestra.background.pending(lead.session_id) == []
    assert orchestra.woken == []
    (task,) = await orchestra.background.tasks(lead.session_id)
    assert task.state == "done"
    monkeypatch.setattr(type(orchestra.library.tasks), "set_state", lambda self, *a, **k: kept(*a, **k))
    assert await orchestra.background.deliver(lead) == 1
    assert orchestra.woken == [lead.session_id]


async def test_that_two_who_deliver_at_once_tell_each_task_once(orchestra: Orchestra) -> None:
    """Bug 32: never twice."""
    lead = orchestra.lead()
    for i in range(3):
        await orchestra.background.start(lead, "parse_paper", {"paper": str(i)})
    await ended(orchestra, lead.session_id)
    counts = await asyncio.gather(*(orchestra.background.deliver(lead) for _ in range(4)))
    assert sum(counts) == 3
    assert len(told(orchestra, lead.session_id)) == 1


async def test_that_many_results_are_told_in_parts(orchestra: Orchestra) -> None:
    """Bug 6: news cannot fill the whole context at once."""
    lead = orchestra.lead()

    async def long(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
        return ToolOutput("x" * 9000)

    orchestra.runs = long
    for i in range(3):
        await orchestra.background.start(lead, "parse_paper", {"paper": str(i)})
    await orchestra.background.settled(lead.session_id)
    assert [await orchestra.background.deliver(lead) for _ in range(4)] == [1, 1, 1, 0]


async def test_that_a_delivery_cancelled_anywhere_tells_each_task_once(orchestra: Orchestra) -> None:
    """Bug 32: stopping a turn in the middle of a delivery neither loses the news nor repeats it."""
    lead = orchestra.lead()

    async def begin_and_deliver() -> None:
        await orchestra.background.start(lead, "parse_paper", PAPER)
        await ended(orchestra, lead.session_id)
        await orchestra.background.deliver(lead)

    async def all_told() -> None:
        tasks = await ended(orchestra, lead.session_id)
        await orchestra.background.deliver(lead)
        texts = "\n".join(event["text"] for event in told(orchestra, lead.session_id))
        assert [texts.count(f"{task.task_id}: ") for task in tasks] == [1] * len(tasks)

    assert await at_every_step(begin_and_deliver, all_told) > 5


async def test_that_the_tasks_of_a_deleted_conversation_end_quietly(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    go = stays_open(orchestra)
    await orchestra.background.start(lead, "parse_paper", PAPER)
    orchestra.library.journal.delete(lead.session_id)
    go.set()
    assert await ended(orchestra, lead.session_id) == []
    await orchestra.background.close()
    assert orchestra.woken == []


def test_that_a_task_has_a_name_and_any_text_a_number() -> None:
    assert number_of(task_id(12)) == number_of(" BG-12 ") == number_of("12") == 12
    assert number_of("") == number_of("bg-") == number_of("bg-x") == number_of("-1") == number_of("²") == 0
