"""The audit log: who waits for it, and who does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from app.agent.execution.auditing import AuditWriter
from app.agent.tools import ToolKind
from app.errors import LibraryError
from app.events import Outcome
from app.records.ids import SessionId
from tests.fakes.calls import Audit, Bench, TestTool


class FullAudit(Audit):
    """Refuses rows that `refuses` names."""

    refuses: Callable[[str], bool] = staticmethod(lambda outcome: True)

    def record(
        self, session_id: SessionId, call_id: str, tool: str, arguments_json: str, outcome: str, detail: str
    ) -> None:
        if self.refuses(outcome):
            raise LibraryError("The disk is full.")
        super().record(session_id, call_id, tool, arguments_json, outcome, detail)


def row(number: int) -> tuple[SessionId, str, str, str, str, str]:
    return SessionId("s"), str(number), "tool", "{}", "running", ""


async def test_that_rows_are_written_in_the_order_in_which_they_were_noted() -> None:
    log = Audit()
    writer = AuditWriter(log)
    for number in range(10):
        writer.note(row(number))
        writer.write_soon()
    waiting = [asyncio.ensure_future(writer.write()) for _ in range(3)]
    writer.note(row(10))
    await asyncio.gather(*waiting)
    await writer.settled()
    assert [call_id for call_id, *_rest in log.rows] == [str(number) for number in range(11)]


async def test_that_nothing_that_changes_things_runs_without_a_row_of_its_start(home: Path) -> None:
    tool = TestTool("write", kind=ToolKind.WRITE)
    bench = Bench(home, tool, audit=FullAudit())
    with pytest.raises(LibraryError):
        await bench.reply(("write", {}))
    assert tool.ran == []
    assert bench.paired()


async def test_that_reading_goes_on_where_the_audit_log_is_full(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    bench = Bench(home, TestTool("read"), audit=FullAudit())
    (result,) = await bench.reply(("read", {}))
    assert result.outcome is Outcome.SUCCEEDED
