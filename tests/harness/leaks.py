"""Fails a test that leaves a process behind, whoever is its parent by then."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator

import psutil

GRACE_S = 5.0
TAG = "PYTEST_LEAK_TAG"
"""A variable that children inherit: it tells those whose parent is gone."""


@contextlib.contextmanager
def no_process_left(grace_s: float = GRACE_S) -> Iterator[None]:
    """Raise AssertionError when a process started inside still runs some seconds after the end."""
    tag = uuid.uuid4().hex
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    outer = os.environ.get(TAG)
    os.environ[TAG] = tag
    try:
        yield
    finally:
        if outer is None:
            del os.environ[TAG]
        else:
            os.environ[TAG] = outer
    children = [process for process in psutil.Process().children(recursive=True) if process.pid not in before]
    orphans = [process for process in psutil.process_iter() if _is_tagged(process, tag)]
    _gone, alive = psutil.wait_procs({*children, *orphans}, timeout=grace_s)
    named = [f"{process.pid} {_command(process)}" for process in alive if process.is_running()]
    for process in alive:
        with contextlib.suppress(psutil.Error):
            process.kill()
    assert not named, f"processes left running: {named}"


def _is_tagged(process: psutil.Process, tag: str) -> bool:
    try:
        return process.pid != os.getpid() and bool(process.environ().get(TAG) == tag)
    except (psutil.Error, OSError):
        return False  # another user's, or gone


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())[:80]
    except psutil.Error:
        return "?"
