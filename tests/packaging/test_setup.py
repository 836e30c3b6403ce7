from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from provision import setup
from provision.locking import exclusive
from provision.progress import CommandFailedError, elapsed, run_logged


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "packaging").mkdir()
    for name in ("requirements.lock", "pyproject.toml", "packaging/bootstrap.lock"):
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Set-up replaced by a note that it ran; the environment always counts as working."""
    made: list[Path] = []

    def note(_root: Path, environment: Path) -> bool:
        environment.mkdir(exist_ok=True)
        made.append(environment)
        return True

    monkeypatch.setattr(setup, "_set_up", note)
    monkeypatch.setattr(setup, "_works", lambda environment: environment.exists())
    return made


def test_that_a_second_start_does_nothing(checkout: Path, calls: list[Path]) -> None:
    assert setup.ensure(checkout) == setup.ensure(checkout)
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml", "packaging/bootstrap.lock"])
def test_that_a_changed_lock_or_project_is_set_up_again(checkout: Path, calls: list[Path], name: str) -> None:
    setup.ensure(checkout)
    (checkout / name).write_text("changed")
    setup.ensure(checkout)
    assert len(calls) == 2


def test_that_an_interrupted_set_up_is_done_again(
    checkout: Path, calls: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_root: Path, environment: Path) -> bool:
        environment.mkdir()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup, "_set_up", interrupted)
        with pytest.raises(KeyboardInterrupt):
            setup.ensure(checkout)
    setup.ensure(checkout)
    assert len(calls) == 1


def test_that_a_broken_stamp_counts_as_none(checkout: Path, calls: list[Path]) -> None:
    setup.ensure(checkout)
    (checkout / ".venv" / "set-up.json").write_text("{")
    setup.ensure(checkout)
    assert len(calls) == 2


def test_that_a_missing_chat_model_is_said_and_tried_again_only_when_asked(
    checkout: Path, calls: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    setup.ensure(checkout)
    stamp = checkout / ".venv" / "set-up.json"
    stamp.write_text(json.dumps({**json.loads(stamp.read_text()), "chat_model": False}))
    setup.ensure(checkout)
    assert "local chat model is not built" in capsys.readouterr().err
    assert len(calls) == 1
    setup.ensure(checkout, retry=True)
    assert len(calls) == 2


def test_that_set_ups_wait_for_each_other(tmp_path: Path) -> None:
    waiting = threading.Event()
    order: list[str] = []

    def second() -> None:
        with exclusive(tmp_path / "lock", waiting.set):
            order.append("second")

    with exclusive(tmp_path / "lock", lambda: None):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(30)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_that_a_failed_command_shows_its_last_lines(tmp_path: Path) -> None:
    code = "import sys; print('why it failed'); sys.exit(3)"
    with pytest.raises(CommandFailedError, match="why it failed"):
        run_logged([sys.executable, "-c", code], "the thing", tmp_path / "log")


def test_that_durations_read_as_people_say_them() -> None:
    assert [elapsed(s) for s in (4.7, 60, 200)] == ["4 s", "1 min 0 s", "3 min 20 s"]


def test_that_an_unknown_command_is_a_usage_error_that_lists_the_commands(repo: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(repo / "packaging" / "dev.py"), "dance"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "run, test, bench, check, package, setup" in ran.stderr


def test_that_the_installer_that_is_not_built_yet_says_so(repo: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(repo / "packaging" / "dev.py"), "package"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "no installer" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_that_a_stopped_command_takes_its_children_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_process: object, _timeout: float) -> int:
        for _ in range(600):
            if note.exists() and note.read_text():
                raise KeyboardInterrupt
            time.sleep(0.05)
        raise AssertionError("the command never started")

    note = tmp_path / "child"
    code = (
        "import subprocess, sys, time;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f"open({str(note)!r}, 'w').write(str(child.pid)); time.sleep(600)"
    )
    monkeypatch.setattr(subprocess.Popen, "wait", stop)
    with pytest.raises(KeyboardInterrupt):
        run_logged([sys.executable, "-c", code], "the thing", tmp_path / "log")
    monkeypatch.undo()
    psutil.wait_procs([p for p in [_process(int(note.read_text()))] if p], timeout=10)
    assert _process(int(note.read_text())) is None


def _process(pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None
