"""A worker that misbehaves on request, and a check that nothing of it is left."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator

import pytest

from app.workers.host import Worker


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    before = set(threading.enumerate())
    worker = Worker("selftest")
    yield worker
    await worker.close()
    assert set(threading.enumerate()) <= before
