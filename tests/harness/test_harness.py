"""The harness itself: a tool that lies would make every test that uses it lie."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time

import pytest

from tests.harness.cancelling import at_every_step
from tests.harness.clock import VirtualClockLoop, run_virtually
from tests.harness.gaps import loop_gaps
from tests.harness.leaks import no_process_left


def test_that_an_hour_passes_at_once_and_timers_fire_in_order() -> None:
    async def main() -> list[str]:
        seen: list[str] = []

        async def after(seconds: float, name: str) -> None:
            await asyncio.sleep(seconds)
            seen.append(name)

        async with asyncio.TaskGroup() as group:
            group.create_task(after(3600, "hour"))
            group.create_task(after(1, "second"))
            group.create_task(after(60, "minute"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10_000):
                await asyncio.Event().wait()
        return [*seen, str(round(asyncio.get_running_loop().time()))]

    begun = time.monotonic()
    assert run_virtually(main()) == ["second", "minute", "hour", "14600"]
    assert time.monotonic() - begun < 30


def test_that_the_virtual_clock_waits_for_work_in_threads() -> None:
    async def main() -> str:
        async with asyncio.timeout(0.05):
            await asyncio.to_thread(time.sleep, 0.2)
        return "done"

    assert run_virtually(main()) == "done"


def test_that_a_loop_without_timers_waits_for_other_threads() -> None:
    async def main() -> bool:
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualClockLoop)
        await asyncio.to_thread(lambda: loop.call_soon_threadsafe(event.set))
        return await event.wait()

    assert run_virtually(main())


async def test_that_every_step_is_cancelled_once_also_those_of_inner_tasks() -> None:
    reached: list[str] = []
    runs: list[list[str]] = []

    async def inner() -> None:
        await asyncio.sleep(0)
        reached.append("inner")

    async def outer() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(inner())
            reached.append("outer")
        finally:
            reached.append("end")

    def check() -> None:
        runs.append(list(reached))
        reached.clear()

    steps = await at_every_step(outer, check)
    assert len(runs) == steps + 2
    assert runs[-1] == ["inner", "outer", "end"]
    assert [] in runs  # cancelled before its first step
    assert ["end"] in runs
    assert all(run in ([], ["end"], ["inner", "end"], ["inner", "outer", "end"]) for run in runs)


async def test_that_a_check_that_fails_ends_the_runs() -> None:
    async def nothing() -> None:
        await asyncio.sleep(0)

    async def check() -> None:
        raise AssertionError("not in order")

    with pytest.raises(AssertionError, match="not in order"):
        await at_every_step(nothing, check)
    assert asyncio.get_running_loop().get_task_factory() is None


def test_that_a_process_left_behind_is_seen_also_when_its_parent_is_gone() -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(AssertionError, match="processes left running"), no_process_left(0.2):
        orphan(sleeper)


def orphan(command: list[str]) -> None:
    """Start a process whose parent is gone when this returns."""
    start = f"import subprocess; subprocess.Popen({command!r}, stdout=-3, stderr=-3, start_new_session=True)"
    subprocess.run([sys.executable, "-c", start], check=True)


def test_that_nothing_is_said_of_processes_that_ended() -> None:
    with no_process_left():
        done = subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert done.returncode == 0


async def test_that_the_worst_gap_of_the_loop_is_measured() -> None:
    async with loop_gaps() as gaps:
        await asyncio.sleep(0.01)
        time.sleep(0.1)  # noqa: ASYNC251  the very thing to be seen
    assert gaps.worst >= 0.08
