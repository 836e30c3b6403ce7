"""Writing the audit log with few visits to the thread that may block."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Protocol

from app.errors import AppError
from app.records.ids import SessionId
from app.services.threads import off_loop

GATHER_S = 0.1
"""So long rows that nobody waits for are gathered."""

_log = logging.getLogger(__name__)

Row = tuple[SessionId, str, str, str, str, str]


class AuditLog(Protocol):
    """Keeps what was done: `app.library.audit`. Blocking; called in a thread."""

    def record(
        self, session_id: SessionId, call_id: str, tool: str, arguments_json: str, outcome: str, detail: str
    ) -> None:
        """Note the start (outcome "running") or the end of a call."""


class AuditWriter:
    """Rows in order. Those noted while a write is under way go together in the next one."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log
        self._noted: list[Row] = []
        self._writing = asyncio.Lock()
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def note(self, row: Row) -> None:
        """Take a row, which is written with the next write."""
        self._noted.append(row)

    async def write(self) -> None:
        """Return when every row noted so far is written. Raises AppError."""
        async with self._writing:
            rows, self._noted = self._noted, []
            if rows:
                await off_loop(self._record, rows)

    def write_soon(self) -> None:
        """Write what is noted, with what comes in the next moment, without letting anybody wait for it."""
        if self._task is None:
            self._hurry.clear()
            self._task = asyncio.get_running_loop().create_task(self._write_all())

    async def settled(self) -> None:
        """Wait until nothing is left to write."""
        while self._task is not None:
            self._hurry.set()
            await asyncio.wait([self._task])

    async def _write_all(self) -> None:
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), GATHER_S)
            while self._noted:
                await self.write()
        except AppError as error:
            _log.error("the audit log could not be written: %s", error)
        finally:
            self._task = None

    def _record(self, rows: list[Row]) -> None:
        for row in rows:
            self._log.record(*row)
