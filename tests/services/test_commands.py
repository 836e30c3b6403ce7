"""Running programs: what they print, how they end, and that nothing of them stays behind."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from app.services import commands, process_group
from app.services.commands import Ended, ProgramError, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these commands are written for sh")


async def sh(
    command: str,
    cwd: Path,
    *,
    timeout_s: float | None = None,
    limit: int = commands.OUTPUT_BYTES,
    on_line: Callable[[str], None] | None = None,
) -> Ended:
    return await run(
        ["sh", "-c", command],
        cwd=cwd,
        env={"PATH": os.environ["PATH"]},
        timeout_s=timeout_s,
        limit=limit,
        on_line=on_line,
    )


def alive(pid_file: Path) -> list[int]:
    """Return which of the processes that wrote their numbers there still run."""
    pids = [int(text) for text in pid_file.read_text().split()] if pid_file.exists() else []
    return [pid for pid in pids if psutil.pid_exists(pid) and not _is_zombie(pid)]


def _is_zombie(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


async def appears(path: Path, lines: int) -> None:
    while not path.exists() or len(path.read_text().split()) < lines:  # noqa: ASYNC110  another process writes
        await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
async def _nothing_is_left(tmp_path: Path) -> AsyncIterator[None]:
    """Whatever wrote its number into `pids` is gone when its run is over."""
    yield
    assert alive(tmp_path / "pids") == []
    assert not commands._RUNNING


async def test_that_output_and_exit_code_come_back(tmp_path: Path) -> None:
    ended = await sh("echo out; echo err >&2; exit 3", tmp_path)
    assert (ended.exit_code, ended.output.text, ended.timed_out) == (3, "out\nerr\n", False)


async def test_that_errors_can_be_kept_apart(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"]}
    ended = await run(["sh", "-c", "cat; echo no >&2"], cwd=tmp_path, env=env, stdin=b"in", stderr="apart")
    assert (ended.output.text, ended.errors.text) == ("in", "no\n")


async def test_that_a_program_that_reads_finds_the_end_at_once(tmp_path: Path) -> None:
    ended = await sh("cat; echo done", tmp_path)
    assert ended.output.text == "done\n"


@pytest.mark.parametrize(
    "holder",
    [
        "sleep 600 & echo $! >> pids",
        "(while :; do echo noise; done) & echo $! >> pids",
        "setsid sh -c 'echo $$ >> pids; exec sleep 600' &",
        "setsid sh -c 'echo $$ >> pids; while :; do echo noise; done' &",
        "nohup sleep 600 >/dev/null 2>&1 & echo $! >> pids",
    ],
    ids=["silent", "noisy", "setsid", "noisy-setsid", "nohup"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="only there those who leave the group are found")
async def test_that_a_run_ends_with_its_program_whoever_holds_the_pipe(tmp_path: Path, holder: str) -> None:
    """Bug 15: the program is watched, not its pipe; bug 14: nobody survives success either."""
    wait = "while [ ! -s pids ]; do sleep 0.01; done"
    ended = await asyncio.wait_for(sh(f"{holder}\n{wait}\necho hi", tmp_path), 60)
    assert ended.exit_code == 0
    assert ended.left_behind >= 1
    assert "hi\n" in ended.output.text
    assert alive(tmp_path / "pids") == []


async def test_that_a_timeout_ends_everything_and_keeps_what_was_printed(tmp_path: Path) -> None:
    """Bug 14: grandchildren end with their shell, on a timeout too."""
    command = "echo begun; sleep 600 & echo $! >> pids; sleep 600 & echo $! >> pids; wait"
    ended = await sh(command, tmp_path, timeout_s=0.5)
    assert ended.timed_out
    assert ended.exit_code != 0
    assert ended.output.text == "begun\n"
    assert alive(tmp_path / "pids") == []


async def test_that_a_cancel_ends_everything_before_it_goes_on(tmp_path: Path) -> None:
    """Bug 14: `sleep 600 & sleep 600`, cancelled; the group is empty when the cancel arrives."""
    task = asyncio.ensure_future(sh("sleep 600 & echo $! >> pids; echo $$ >> pids; sleep 600", tmp_path))
    await appears(tmp_path / "pids", 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(tmp_path / "pids") == []


async def test_that_who_does_not_listen_is_made_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug 14: TERM, a grace, KILL."""
    monkeypatch.setattr(commands, "GRACE_S", 0.2)
    deaf = "trap '' TERM; echo $$ >> pids; (trap '' TERM; sleep 600) & echo $! >> pids; sleep 600; sleep 600"
    task = asyncio.ensure_future(sh(deaf, tmp_path))
    await appears(tmp_path / "pids", 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(tmp_path / "pids") == []


async def test_that_a_second_cancel_does_not_leave_the_first_half_done(tmp_path: Path) -> None:
    """Bug 14: impatience leaves nobody behind."""
    task = asyncio.ensure_future(sh("trap '' TERM; echo $$ >> pids; sleep 600", tmp_path))
    await appears(tmp_path / "pids", 1)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(tmp_path / "pids") == []


@pytest.mark.parametrize("turns", range(6))
async def test_that_a_cancel_at_any_moment_of_the_start_leaves_nothing(tmp_path: Path, turns: int) -> None:
    task = asyncio.ensure_future(sh("echo $$ >> pids; sleep 600", tmp_path))
    for _ in range(turns):
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(tmp_path / "pids") == []


async def test_that_stopped_processes_end_too(tmp_path: Path) -> None:
    task = asyncio.ensure_future(sh("echo $$ >> pids; kill -STOP $$; sleep 600", tmp_path))
    await appears(tmp_path / "pids", 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(tmp_path / "pids") == []


async def test_that_all_programs_end_when_the_application_does(tmp_path: Path) -> None:
    """Bug 14: a registry is ended at quit."""
    tasks = [asyncio.ensure_future(sh("echo $$ >> pids; sleep 600", tmp_path)) for _ in range(3)]
    await appears(tmp_path / "pids", 3)
    commands.kill_all()
    ended = await asyncio.gather(*tasks)
    assert all(end.exit_code in (-9, -15) for end in ended)
    assert alive(tmp_path / "pids") == []


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.003, 0.01, 0.02])
async def test_that_a_program_that_is_just_starting_ends_with_the_application(
    tmp_path: Path, pause: float
) -> None:
    """Bug 14: there is no moment in which it is not known."""
    task = asyncio.ensure_future(sh("echo $$ >> pids; sleep 600", tmp_path))
    await asyncio.sleep(pause)
    await asyncio.to_thread(commands.kill_all)
    ended = await asyncio.wait_for(task, 60)
    assert ended.exit_code < 0


async def test_that_a_machine_without_threads_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_args: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(commands, "_Reader", none)
    with pytest.raises(ProgramError, match="can't start new thread"):
        await sh("echo $$ >> pids; sleep 600", tmp_path)
    assert alive(tmp_path / "pids") == []


async def test_that_the_loop_runs_while_a_program_does(tmp_path: Path) -> None:
    task = asyncio.ensure_future(sh("sleep 0.2", tmp_path))
    ticks = 0
    while not task.done():
        await asyncio.sleep(0.001)
        ticks += 1
    assert ticks > 20
    assert (await task).exit_code == 0


async def test_that_many_programs_run_at_once(tmp_path: Path) -> None:
    """More than the loop's pool has threads: they would wait for one another there."""
    gate = "echo . >> here; while [ $(wc -l < here) -lt 12 ]; do sleep 0.02; done; echo all"
    ended = await asyncio.wait_for(asyncio.gather(*(sh(gate, tmp_path) for _ in range(12))), 120)
    assert [end.output.text for end in ended] == ["all\n"] * 12


async def test_that_endless_output_is_bounded(tmp_path: Path) -> None:
    """Bug 6: what a program prints is bounded while it comes."""
    ended = await sh("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end", tmp_path, limit=10_000)
    assert len(ended.output.text) < 11_000
    assert ended.output.left_out > 2_900_000
    assert ended.output.text.endswith("the end\n")


async def test_that_the_last_lines_of_fast_output_are_there(tmp_path: Path) -> None:
    for _ in range(5):
        ended = await sh("seq 20000", tmp_path)
        assert ended.output.text.endswith("19999\n20000\n")


async def test_that_lines_are_shown_as_they_come(tmp_path: Path) -> None:
    shown: list[str] = []
    ended = await sh("for i in 1 2 3; do echo line $i; sleep 0.15; done", tmp_path, on_line=shown.append)
    assert ended.exit_code == 0
    assert shown
    assert shown == sorted(shown)
    assert shown[0].startswith("line")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["/no/such/program"], "No such file"),
        (["sh", "-c", "echo \0"], "null byte"),
        (["sh", "-c", "#" * 10_000_000], "too long"),
    ],
)
async def test_that_what_cannot_be_started_is_said(tmp_path: Path, argv: list[str], words: str) -> None:
    with pytest.raises(ProgramError, match=words) as error:
        await run(argv, cwd=tmp_path, env={"PATH": os.environ["PATH"]})
    assert error.value.hint


async def test_that_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="does not exist"):
        await sh("true", tmp_path / "gone")


async def test_that_a_machine_without_room_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(ProgramError, match="No space left"):
        await run(["cat"], cwd=tmp_path, env={}, stdin=b"x")


def test_that_the_mark_of_a_run_is_its_own(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], process_group.MARK: "outer"}
    ended = asyncio.run(run(["sh", "-c", f"echo ${process_group.MARK}"], cwd=tmp_path, env=env))
    assert ended.output.text.strip() not in ("", "outer")


def test_that_the_end_of_a_loop_ends_its_runs(tmp_path: Path) -> None:
    runs: list[asyncio.Future[Ended]] = []

    async def leave() -> None:
        runs.append(asyncio.ensure_future(sh("echo $$ >> pids; sleep 600", tmp_path)))
        await appears(tmp_path / "pids", 1)

    asyncio.run(leave())
    assert alive(tmp_path / "pids") == []
    assert runs[0].cancelled()


async def test_that_programs_end_with_an_application_that_is_killed(tmp_path: Path, repo: Path) -> None:
    """Bug 14: kill -9 leaves no time for a registry; a guard beside the program sees to it."""
    # on Linux also what has left the group
    leaver, count = ("setsid sleep 600 & echo $! >> pids; ", 3) if sys.platform == "linux" else ("", 2)
    command = f"echo $$ >> pids; sleep 600 & echo $! >> pids; {leaver}sleep 600"
    code = (
        "import asyncio, os, pathlib\n"
        "from app.services.commands import run\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        f"command = {command!r}\n"
        "asyncio.run(run(['sh', '-c', command], cwd=folder, env=dict(os.environ)))\n"
    )
    application = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=repo)
    await appears(tmp_path / "pids", count)
    await asyncio.sleep(0.3)  # the guard is told the number right after the start
    application.kill()
    await application.wait()
    for _ in range(6000):
        if not alive(tmp_path / "pids"):
            break
        await asyncio.sleep(0.01)
    assert alive(tmp_path / "pids") == []
