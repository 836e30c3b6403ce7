from __future__ import annotations

import asyncio
import logging
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import NotFoundError, WorkerCrashedError, WorkerError, WorkerTimeoutError
from app.workers import host
from app.workers.host import Crash, Worker
from app.workers.request import Priority


async def pid(worker: Worker) -> int:
    value = (await worker.call("pid")).value
    assert isinstance(value, int)
    return int(value)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110  what happens to another process is not an asyncio event
        await asyncio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_that_nothing_is_started_before_the_first_request(worker: Worker) -> None:
    before = worker.pid
    assert before is None
    assert await pid(worker) == worker.pid
    assert worker.pid != os.getpid()


async def test_that_parameters_and_blobs_come_back(worker: Worker) -> None:
    params = {"text": "α Cen 半人马座 🌌 \ud800", "list": [1, 2.5, None, True]}
    reply = await worker.call("echo", params, blobs=[b"", b"\x00\xff", b"abc"])
    assert reply.value == params
    assert reply.blobs == [b"", b"\x00\xff", b"abc"]


async def test_that_large_blobs_come_back(worker: Worker) -> None:
    blob = os.urandom(1 << 20) * 50
    reply = await worker.call("echo", blobs=[blob, b"end"])
    assert reply.blobs == [blob, b"end"]


async def test_that_the_loop_runs_while_large_blobs_travel(worker: Worker) -> None:
    await worker.call("echo")
    call = asyncio.ensure_future(worker.call("echo", blobs=[bytes(50 << 20)]))
    ticks = 0
    while not call.done():
        await asyncio.sleep(0.001)
        ticks += 1
    assert ticks > 3


async def test_that_it_works_from_any_current_directory(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "app"
    trap.mkdir()
    (trap / "__init__.py").write_text("raise SystemExit('the wrong app')")
    monkeypatch.chdir(tmp_path)
    assert await pid(worker) == worker.pid


async def test_that_a_crash_fails_its_request_alone(worker: Worker) -> None:
    before = await pid(worker)
    crash = asyncio.ensure_future(worker.call("abort"))
    next_one = asyncio.ensure_future(pid(worker))
    with pytest.raises(WorkerCrashedError, match=r"'abort' \(killed by SIGABRT\)"):
        await crash
    assert await next_one != before
    assert worker.restarts == 1


async def test_that_the_owner_is_told_of_a_crash() -> None:
    crashes: list[Crash] = []
    worker = Worker("selftest", on_crash=crashes.append)
    with pytest.raises(WorkerCrashedError, match="exit code 3"):
        await worker.call("exit", {"code": 3})
    await worker.close()
    assert [(crash.exit, crash.method) for crash in crashes] == [("exit code 3", "exit")]
    assert "about to leave" in crashes[0].last_words


async def test_that_closing_is_no_crash() -> None:
    crashes: list[Crash] = []
    worker = Worker("selftest", on_crash=crashes.append)
    await worker.call("echo")
    await worker.close()
    assert crashes == []


async def test_that_a_hang_times_out_and_the_next_call_works(worker: Worker) -> None:
    before = await pid(worker)
    with pytest.raises(WorkerTimeoutError, match=r"within 0\.2 s"):
        await worker.call("hang", timeout=0.2)
    assert await pid(worker) != before
    assert not is_running(before)


async def test_that_a_hang_in_native_code_is_ended_too(worker: Worker) -> None:
    before = await pid(worker)
    with pytest.raises(WorkerTimeoutError):
        await worker.call("hang_with_lock", timeout=0.2)
    assert await pid(worker) != before


async def test_that_waiting_in_the_queue_does_not_count_as_silence(worker: Worker) -> None:
    await worker.call("echo")
    slow = asyncio.ensure_future(worker.call("hang", {"seconds": 0.5}))
    assert (await worker.call("echo", {"a": 1}, timeout=0.3)).value == {"a": 1}
    assert (await slow).value == "woke up"


async def test_that_a_cancelled_request_is_stopped_and_the_process_kept(worker: Worker) -> None:
    before = await pid(worker)
    stream = worker.stream("wait_for_cancel")
    assert await anext(stream) == "waiting"
    await stream.aclose()
    assert await pid(worker) == before
    assert worker.restarts == 0


async def test_that_a_worker_deaf_to_cancel_is_replaced(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "CANCEL_GRACE_S", 0.2)
    before = await pid(worker)
    call = asyncio.ensure_future(worker.call("hang"))
    await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await pid(worker) != before
    assert worker.restarts == 1


async def test_that_a_request_cancelled_in_the_queue_never_runs(worker: Worker) -> None:
    slow = asyncio.ensure_future(worker.call("hang", {"seconds": 0.2}))
    waiting = asyncio.ensure_future(worker.call("abort"))
    await asyncio.sleep(0)
    waiting.cancel()
    assert (await slow).value == "woke up"
    assert (await worker.call("echo")).value == {}
    assert worker.restarts == 0


async def test_that_requests_run_by_priority_then_in_order(worker: Worker) -> None:
    finished: list[str] = []

    async def call(name: str, priority: int) -> None:
        await worker.call("echo", priority=priority)
        finished.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(call("first", Priority.BULK))
        for number in range(20):
            group.create_task(call(f"bulk {number}", Priority.BULK))
        group.create_task(call("user", Priority.USER))
        group.create_task(call("normal", Priority.NORMAL))
    assert finished == ["user", "normal", "first", *(f"bulk {number}" for number in range(20))]


async def test_that_many_calls_at_once_get_their_own_answers(worker: Worker) -> None:
    calls = [worker.call("echo", {"n": n}, blobs=[bytes([n % 256])]) for n in range(300)]
    replies = await asyncio.gather(*calls)
    assert [reply.value["n"] for reply in replies] == list(range(300))


@pytest.mark.parametrize(
    "garbage",
    [b"MuPDF error: syntax error in xref\n" * 10, struct.pack("!I", 5) + b"hello", b"\xff" * 64],
)
async def test_that_garbage_ends_the_worker_and_not_the_application(worker: Worker, garbage: bytes) -> None:
    before = await pid(worker)
    with pytest.raises(WorkerCrashedError, match="not an answer"):
        await worker.call("garbage", blobs=[garbage])
    assert await pid(worker) != before


async def test_that_prints_do_not_disturb_the_answers(worker: Worker) -> None:
    assert (await worker.call("print")).value == "printed"
    assert (await worker.call("echo")).value == {}


async def test_that_an_expected_error_arrives_unchanged(worker: Worker) -> None:
    with pytest.raises(NotFoundError, match="No such star") as caught:
        await worker.call("not_found")
    assert (caught.value.code, caught.value.hint) == ("no_star", "Look up.")


async def test_that_an_unexpected_error_is_named_and_its_traceback_logged(
    worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "app.workers.selftest"):
        with pytest.raises(WorkerError) as caught:
            await worker.call("fail", {"message": "boom"})
        await worker.close()
    assert caught.value.message == "RuntimeError: boom"
    assert "in _fail" in caplog.text


async def test_that_an_answer_without_json_form_is_an_error(worker: Worker) -> None:
    with pytest.raises(WorkerError, match="not JSON serializable"):
        await worker.call("unanswerable")
    assert (await worker.call("echo")).value == {}


async def test_that_parameters_without_json_form_fail_in_the_caller(worker: Worker) -> None:
    with pytest.raises(TypeError):
        await worker.call("echo", {"a": object()})
    assert worker.pid is None


async def test_that_a_worker_that_cannot_start_says_why() -> None:
    worker = Worker("selftest", env={"ASTRORESEARCH_SELFTEST": "die"})
    results = await asyncio.gather(worker.call("echo"), worker.call("echo"), return_exceptions=True)
    for error in results:
        assert isinstance(error, WorkerCrashedError)
        assert "could not start (exit code 1)" in error.message
        assert "libmissing.so" in error.hint
        assert "doctor" in error.hint
    await worker.close()


async def test_that_an_unknown_kind_cannot_start() -> None:
    worker = Worker("nonsense")
    with pytest.raises(WorkerCrashedError, match="could not start"):
        await worker.call("echo")
    await worker.close()


async def test_that_a_program_that_is_gone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker("selftest")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(WorkerCrashedError, match="could not start"):
        await worker.call("echo")
    await worker.close()


async def test_that_partial_results_arrive_in_order_and_the_value_last(worker: Worker) -> None:
    for _ in range(3):  # more than may be under way at once, again and again
        assert [part async for part in worker.stream("count", {"to": 150})] == [*range(150), "end"]


async def test_that_partial_results_before_a_crash_are_delivered(worker: Worker) -> None:
    stream = worker.stream("count", {"to": 5, "abort_after": 3})
    assert [await anext(stream) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(WorkerCrashedError):
        await anext(stream)


async def test_that_a_slow_reader_holds_the_worker_back_and_is_no_timeout(worker: Worker) -> None:
    stream = worker.stream("count", {"to": 500}, timeout=0.2)
    assert await anext(stream) == 0
    await asyncio.sleep(0.5)
    assert [part async for part in stream] == [*range(1, 500), "end"]
    assert worker.restarts == 0


async def test_that_a_stream_left_early_frees_the_worker(worker: Worker) -> None:
    for _ in range(3):
        async for part in worker.stream("count", {"to": 100_000}):
            if part == 70:
                break
    assert (await worker.call("echo")).value == {}
    assert worker.restarts == 0


async def test_that_silence_in_a_stream_times_out(worker: Worker) -> None:
    await worker.call("echo")
    stream = worker.stream("count", {"to": 2, "every_s": 30}, timeout=0.3)
    assert await anext(stream) == 0
    with pytest.raises(WorkerTimeoutError):
        await anext(stream)


async def test_that_closing_fails_what_is_under_way() -> None:
    worker = Worker("selftest")
    calls = [asyncio.ensure_future(worker.call(method)) for method in ("hang", "echo", "echo")]
    await asyncio.sleep(0.3)
    process = worker.pid
    assert process is not None
    await worker.close()
    for error in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(error, WorkerError)
        assert error.code == "worker_closed"
    assert not is_running(process)
    with pytest.raises(WorkerError, match="closed"):
        await worker.call("echo")


async def test_that_closing_during_the_start_leaves_nothing() -> None:
    worker = Worker("selftest")
    call = asyncio.ensure_future(worker.call("echo"))
    await asyncio.sleep(0)
    process = worker.pid
    assert process is not None
    await worker.close()
    assert not is_running(process)
    with pytest.raises(WorkerError, match="closed"):
        await call


async def test_that_an_idle_worker_leaves_and_comes_back() -> None:
    worker = Worker("selftest", idle_exit_s=0.1)
    before = await pid(worker)
    await until(lambda: not is_running(before))
    assert worker.pid is None
    assert await pid(worker) != before
    assert worker.restarts == 0
    await worker.close()


async def test_that_a_worker_killed_while_idle_is_replaced(worker: Worker) -> None:
    before = await pid(worker)
    os.kill(before, 9)
    await until(lambda: worker.pid != before)
    assert await pid(worker) != before
