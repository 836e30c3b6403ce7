from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import HomeError
from app.services.owners import Owner


def test_that_a_process_is_alive_from_its_claim_to_its_release(tmp_path: Path) -> None:
    mine, other = Owner(tmp_path), Owner(tmp_path)
    assert not mine.alive(mine.name)
    assert mine.claim() == mine.claim() == mine.name
    assert mine.alive(mine.name)
    assert other.alive(mine.name)
    mine.release()
    assert not other.alive(mine.name)
    assert not mine.alive(mine.name)
    assert list((tmp_path / "running").iterdir()) == []
    mine.release()


def test_that_one_nobody_knows_is_not_alive(tmp_path: Path) -> None:
    assert not Owner(tmp_path).alive("0123")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="kills a process by signal")
def test_that_a_killed_process_is_not_alive_and_its_file_goes(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from app.services.owners import Owner\n"
        "print(Owner(Path(sys.argv[1])).claim(), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], check=False, cwd=Path.cwd(), capture_output=True
    )
    assert ended.returncode == -signal.SIGKILL
    name = ended.stdout.decode().strip()
    assert (tmp_path / "running" / f"{name}.lock").exists()
    assert not Owner(tmp_path).alive(name)
    assert list((tmp_path / "running").iterdir()) == []


def test_that_old_files_of_dead_processes_are_swept_out_and_no_others(tmp_path: Path) -> None:
    alive = Owner(tmp_path)
    alive.claim()
    folder = tmp_path / "running"
    for name in ("old", "new"):
        (folder / f"{name}.lock").touch()
    for path in (folder / "old.lock", folder / f"{alive.name}.lock"):
        os.utime(path, (0, 0))
    last = Owner(tmp_path)
    last.claim()
    assert {path.stem for path in folder.iterdir()} == {"new", alive.name, last.name}
    alive.release()
    last.release()


def test_that_a_folder_in_the_way_is_a_home_error(tmp_path: Path) -> None:
    (tmp_path / "running").write_text("a file")
    with pytest.raises(HomeError):
        Owner(tmp_path).claim()
