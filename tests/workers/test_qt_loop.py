"""The same worker under the loop of the window."""

from __future__ import annotations

import asyncio

import pytest
from pytestqt.qtbot import QtBot

from app.errors import WorkerCrashedError, WorkerTimeoutError
from app.workers.host import Worker


async def test_that_workers_serve_the_window(qtbot: QtBot) -> None:
    worker = Worker("selftest", idle_exit_s=30)
    assert (await worker.call("echo", {"a": "α"}, blobs=[b"x" * 100_000])).blobs == [b"x" * 100_000]
    assert [part async for part in worker.stream("count", {"to": 200})] == [*range(200), "end"]
    with pytest.raises(WorkerCrashedError):
        await worker.call("abort")
    with pytest.raises(WorkerTimeoutError):
        await worker.call("hang", timeout=0.1)
    waiting = asyncio.ensure_future(worker.call("wait_for_cancel"))
    await asyncio.sleep(0.3)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await worker.call("echo")).value == {}
    await worker.close()
