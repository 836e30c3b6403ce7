"""How the application becomes a worker, also when it is frozen."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from app.__main__ import WORKERS
from app.workers.host import Worker


@pytest.mark.parametrize("target", WORKERS.values(), ids=WORKERS)
def test_that_every_kind_has_its_module(target: str) -> None:
    module, _, function = target.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    assert f"def {function}(" in Path(spec.origin).read_text(encoding="utf-8")


def test_that_an_unknown_kind_is_a_usage_error(repo: Path) -> None:
    command = [sys.executable, "-m", "app", "--worker", "nonsense"]
    result = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "nonsense" in result.stderr
    assert result.stdout == ""


def test_that_a_worker_loads_neither_the_window_nor_the_command_line(repo: Path) -> None:
    code = (
        "import sys; sys.argv = ['app', '--worker', 'selftest']; import app.__main__ as entry;"
        "import app.workers.selftest as worker; worker.serve.serve = lambda handlers: None; entry.main();"
        "print(*sorted({'PySide6', 'typer', 'qasync', 'apsw', 'pydantic'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=True
    )
    # The worker has moved what is printed to stderr.
    assert (result.stdout, result.stderr.strip()) == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="stands a script in for the frozen program")
async def test_that_the_frozen_application_starts_itself(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "astroresearch"
    program.write_text(f'#!/bin/sh\ncd "{repo}"\nexec "{sys.executable}" -m app "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    worker = Worker("selftest")
    assert (await worker.call("pid")).value == worker.pid
    await worker.close()
