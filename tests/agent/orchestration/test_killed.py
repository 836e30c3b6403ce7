from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.library import Library
from tests.agent.orchestration.killed_orchestra import POINTS, SESSION
from tests.fakes.orchestra import Orchestra, until

AT_WORK = ("after a teammate began", "before a teammate's last text", "after a teammate's last text")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="kills a process by signal"),
]


def _killed_at(home: Path, point: str) -> None:
    command = [sys.executable, "-m", "tests.agent.orchestration.killed_orchestra", str(home), point]
    ended = subprocess.run(command, check=False, cwd=Path.cwd(), capture_output=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()


@pytest.mark.parametrize("point", [point for point in POINTS if "task" in point])
async def test_that_a_task_is_told_of_once_wherever_the_program_was_killed(home: Path, point: str) -> None:
    """Bug 32, trap 0.11: kill -9 between any two writes; what began is told of, as done or as lost."""
    _killed_at(home, point)
    with Library.open(home) as library:
        assert library.verify() == []
        began = bool(library.tasks.of_session(SESSION))
        assert began is (point != "before a task's row")
        orchestra = Orchestra(library)
        await orchestra.background.recover()
        lead = orchestra.lead(SESSION)
        await orchestra.background.deliver(lead)
        assert await orchestra.background.deliver(lead) == 0
        told = [row for row in library.journal.events(SESSION) if row.get("source") == "background"]
        assert len(told) == int(began)
        if began:
            lost = point in ("after a task's row", "before a task's end")
            assert ("is lost" if lost else "the result") in told[0]["text"]
        await orchestra.close()


@pytest.mark.parametrize("point", [point for point in POINTS if "task" not in point])
async def test_that_no_letter_is_lost_wherever_the_program_was_killed(home: Path, point: str) -> None:
    """Bug 33, trap 0.12: kill -9 between any two writes; the lead hears of the work, or that it was lost."""
    _killed_at(home, point)
    with Library.open(home) as library:
        assert library.verify() == []
        began = bool(library.tasks.of_session(SESSION, "teammate"))
        assert began is (point != "before a teammate's row")
        orchestra = Orchestra(library)
        lost = await orchestra.team.recover()
        if "mail" not in point:  # by then the teammate is idle, or still looks into its mailbox
            assert lost == ([SESSION] if point in AT_WORK else [])
        lead = orchestra.lead(SESSION)
        await orchestra.team.deliver(lead)  # wakes one whose task waits
        if began and not lost:
            await until(lambda: bool(library.mail.unread(SESSION, "lead")) or bool(_shown(library)))
        await orchestra.team.deliver(lead)
        assert bool(_shown(library)) is began
        assert library.mail.unread(SESSION, "lead") == library.mail.unread(SESSION, "ann") == []
        text = "".join(_shown(library))
        if "last text" in point or "mail" in point:
            assert text.count("the last text") == int(point != "before a teammate's last text")
        await orchestra.close()


def _shown(library: Library) -> list[str]:
    return [row["text"] for row in library.journal.events(SESSION) if row.get("source") == "mail"]
