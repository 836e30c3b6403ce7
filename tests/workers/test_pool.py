from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.errors import WorkerCrashedError, WorkerError
from app.workers.pool import WorkerPool
from app.workers.request import Priority


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool("selftest", 2)
    yield pool
    await pool.close()


async def test_that_only_as_many_workers_start_as_are_needed(pool: WorkerPool) -> None:
    for _ in range(5):
        await pool.call("echo")
    assert [worker.pid is not None for worker in pool.workers].count(True) == 1


async def test_that_requests_run_side_by_side(pool: WorkerPool) -> None:
    pids = await asyncio.gather(*(pool.call("pid") for _ in range(6)))
    assert len({reply.value for reply in pids}) == 2


async def test_that_a_hang_in_one_does_not_stop_the_other(pool: WorkerPool) -> None:
    hang = asyncio.ensure_future(pool.call("hang"))
    for number in range(5):
        assert (await pool.call("echo", {"n": number})).value == {"n": number}
    hang.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hang


async def test_that_waiting_requests_run_by_priority() -> None:
    pool = WorkerPool("selftest", 1)
    finished: list[str] = []

    async def call(name: str, priority: int) -> None:
        await pool.call("echo", priority=priority)
        finished.append(name)

    async with asyncio.TaskGroup() as group:
        for name, priority in (
            ("first", 10),
            ("bulk", Priority.BULK),
            ("normal", 10),
            ("user", Priority.USER),
        ):
            group.create_task(call(name, priority))
    await pool.close()
    assert finished == ["first", "user", "normal", "bulk"]


async def test_that_a_stream_holds_its_worker(pool: WorkerPool) -> None:
    async def numbers() -> list[object]:
        return [part async for part in pool.stream("count", {"to": 100})]

    assert await asyncio.gather(*(numbers() for _ in range(5))) == [[*range(100), "end"]] * 5


async def test_that_a_crash_costs_one_request(pool: WorkerPool) -> None:
    calls = [pool.call("abort"), *(pool.call("echo", {"n": n}) for n in range(8))]
    crashed, *others = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(crashed, WorkerCrashedError)
    assert not any(isinstance(other, BaseException) for other in others)


async def test_that_cancelling_a_waiting_request_loses_no_worker(pool: WorkerPool) -> None:
    busy = [asyncio.ensure_future(pool.call("hang", {"seconds": 0.1})) for _ in range(2)]
    await asyncio.sleep(0)
    waiting = [asyncio.ensure_future(pool.call("echo")) for _ in range(4)]
    await asyncio.sleep(0)
    for task in waiting[::2]:
        task.cancel()
    await asyncio.gather(*busy, *waiting, return_exceptions=True)
    assert len(await asyncio.gather(*(pool.call("pid") for _ in range(4)))) == 4


async def test_that_closing_fails_running_and_waiting_requests() -> None:
    pool = WorkerPool("selftest", 1)
    calls = [asyncio.ensure_future(pool.call("hang")) for _ in range(3)]
    await asyncio.sleep(0.3)
    await pool.close()
    for error in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(error, WorkerError)
        assert error.code == "worker_closed"
