from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import app

PARENT = """
import asyncio
from app.workers.host import Worker

async def main():
    worker = Worker("selftest")
    print((await worker.call("pid")).value, flush=True)
    await worker.call({method!r})

asyncio.run(main())
"""


def is_running(pid: int) -> bool:
    """True for a process that lives; a zombie nobody has collected yet does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("method", ["hang", "hang_with_lock"])
def test_that_a_killed_application_leaves_no_worker(method: str) -> None:
    root = Path(app.__file__).resolve().parent.parent
    command = [sys.executable, "-c", PARENT.format(method=method)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        time.sleep(0.2)
        assert is_running(worker)
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    alive = is_running(worker)
    if alive:
        os.kill(worker, signal.SIGKILL)
    assert not alive
