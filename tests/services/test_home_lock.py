"""The lock between processes: never two holders, also where its file is removed at the end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from app.services import home_lock
from app.services.home_lock import HomeLock


def test_that_a_removed_lock_can_be_taken_again(tmp_path: Path) -> None:
    first, second = HomeLock(tmp_path / "a.lock"), HomeLock(tmp_path / "a.lock")
    assert first.acquire()
    assert not second.acquire()
    first.remove()
    assert not (tmp_path / "a.lock").exists()
    assert second.acquire()
    second.remove()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_that_a_file_removed_while_it_is_being_locked_is_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last holder leaves, and another takes a new file: whoever had the old one open comes too late."""
    path, real = tmp_path / "a.lock", home_lock._lock
    last, next_one, late = HomeLock(path), HomeLock(path), HomeLock(path)
    assert last.acquire()

    def slow(file: BinaryIO) -> bool:
        monkeypatch.setattr(home_lock, "_lock", real)
        last.remove()
        assert next_one.acquire()
        return real(file)

    monkeypatch.setattr(home_lock, "_lock", slow)
    assert not late.acquire()
    assert next_one.held
    next_one.remove()
