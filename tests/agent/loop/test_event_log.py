"""One order of events for the journal, the history and the screen."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.agent.loop.event_log import EventLog, Screen
from app.errors import LibraryError
from app.events import Event, Message, ModelProgress, Nested, Notice, TextDelta, ThinkingDelta, ToolProgress
from app.records.ids import SessionId

SESSION = SessionId("s")


@dataclass
class Rows:
    """A journal in memory; `fails` for as many rows, `gate` holds writing up."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    fails: int = 0
    gate: threading.Event | None = None
    durable: list[bool | None] = field(default_factory=list)

    def append(self, session_id: SessionId, event: dict[str, Any], *, durable: bool | None = None) -> int:
        if self.gate:
            assert self.gate.wait(10)
        if self.fails:
            self.fails -= 1
            raise LibraryError("The disk is full.", code="disk_full")
        self.rows.append(event)
        self.durable.append(durable)
        return len(self.rows)


def log_of(journal: Rows) -> tuple[EventLog, list[Event], list[tuple[int, Any]]]:
    shown: list[Event] = []
    folded: list[tuple[int, Any]] = []
    log = EventLog(journal, SESSION, lambda row, event: folded.append((row, event)))
    log.show_to(shown.append)
    return log, shown, folded


async def test_that_rows_are_written_folded_and_shown_in_one_order() -> None:
    journal = Rows()
    log, shown, folded = log_of(journal)
    notices = [Notice("info", str(n)) for n in range(50)]
    rows = await asyncio.gather(*(log.emit(notice) for notice in notices))
    assert rows == list(range(1, 51))
    assert shown == notices
    assert folded == list(enumerate((notice.as_json() for notice in notices), start=1))
    assert [row["message"] for row in journal.rows] == [notice.message for notice in notices]


async def test_that_nothing_is_shown_before_it_is_committed() -> None:
    """Trap 0.10: the row first; whoever awaits `emit` goes on with a committed row."""
    journal = Rows(gate=threading.Event())
    log, shown, _ = log_of(journal)
    task = asyncio.create_task(log.emit(Notice("info", "a"), durable=True))
    await asyncio.sleep(0.05)
    assert not shown
    assert journal.gate
    journal.gate.set()
    assert await task == 1
    assert len(shown) == 1
    assert journal.durable == [True]


async def test_that_a_cancelled_emitter_leaves_its_row_to_be_committed_and_shown() -> None:
    journal = Rows(gate=threading.Event())
    log, shown, folded = log_of(journal)
    task = asyncio.create_task(log.emit(Notice("info", "a")))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert journal.gate
    journal.gate.set()
    await log.settled()
    assert len(journal.rows) == len(shown) == len(folded) == 1


async def test_that_an_event_that_cannot_be_written_is_an_error_of_its_emitter_alone() -> None:
    journal = Rows(fails=1)
    log, shown, folded = log_of(journal)
    failing, fine = log.emit(Notice("info", "a")), log.emit(Notice("info", "b"))
    results = await asyncio.gather(failing, fine, return_exceptions=True)
    assert isinstance(results[0], LibraryError)
    assert results[1] == 1
    assert shown == [Notice("info", "b")]
    assert len(folded) == 1


async def test_that_another_transaction_may_write_the_row() -> None:
    """Trap 0.11: a background result is marked delivered in the transaction that writes its row."""
    journal = Rows()
    log, shown, folded = log_of(journal)
    seen: list[Any] = []

    def deliver(session: SessionId, event: dict[str, Any]) -> int:
        seen.append((session, event["message"]))
        return 77

    assert await log.emit(Notice("info", "done"), via=deliver) == 77
    assert seen == [(SESSION, "done")]
    assert folded[0][0] == 77
    assert not journal.rows
    assert len(shown) == 1


async def test_that_pieces_are_joined_shown_before_what_follows_and_not_kept() -> None:
    """Bug 37: a flood of deltas becomes a few events; no letter is lost, no order changed."""
    journal = Rows()
    log, shown, _ = log_of(journal)
    for n in range(2000):
        assert await log.emit(TextDelta(str(n % 10))) == 0
        await log.emit(ToolProgress("call", n / 2000, ""))
    await log.emit(ThinkingDelta("hm"))
    await log.emit(Message("whole", 1))
    texts = [event for event in shown if isinstance(event, TextDelta)]
    assert "".join(event.text for event in texts) == "0123456789" * 200
    assert isinstance(shown[-1], Message)
    assert ThinkingDelta("hm") in shown
    assert [event for event in shown if isinstance(event, ToolProgress)][-1].progress == 1999 / 2000
    assert len(shown) < 400
    assert [row["type"] for row in journal.rows] == ["message"]


async def test_that_pieces_of_sub_agents_are_not_kept_either() -> None:
    journal = Rows()
    log, shown, _ = log_of(journal)
    await log.emit(Nested("c", Nested("d", TextDelta("x").as_json()).as_json()))
    await log.emit(Nested("c", Notice("info", "y").as_json()))
    assert len(shown) == 2
    assert len(journal.rows) == 1


async def test_that_of_the_progress_of_the_model_the_newest_is_shown_and_none_is_kept() -> None:
    journal = Rows()
    log, shown, _ = log_of(journal)
    for n in range(500):
        assert await log.emit(ModelProgress(n / 500)) == 0
    await log.emit(ModelProgress(None, "Busy.", 12.0))
    await log.emit(Message("whole", 1))
    assert shown[-2:] == [ModelProgress(None, "Busy.", 12.0), Message("whole", 1)]
    assert len(shown) < 100
    assert [row["type"] for row in journal.rows] == ["message"]


async def test_that_a_late_piece_is_shown_by_itself() -> None:
    log, shown, _ = log_of(Rows())
    both = asyncio.Event()
    log.show_to(lambda event: both.set() if event == TextDelta("b") else None)
    await log.emit(TextDelta("a"))
    await log.emit(TextDelta("b"))
    async with asyncio.timeout(10):
        await both.wait()
    assert shown == [TextDelta("a"), TextDelta("b")]


async def test_that_a_screen_ends_after_what_was_put() -> None:
    screen = Screen()
    screen.put(Notice("info", "a"))
    screen.end()
    assert [event async for event in screen] == [Notice("info", "a")]
