"""A program that is killed in the middle of background work and a team: run by `test_killed`.

`python -m tests.agent.orchestration.killed_orchestra HOME POINT`
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.agent.team_roster import Roster
from app.agent.tools import ToolOutput
from app.agent.tools.context import Conversation
from app.library import Library
from app.library.mail import Mail
from app.library.tasks import Tasks
from app.records.ids import SessionId
from tests.fakes.orchestra import Child, Orchestra, until

SESSION = SessionId("killed")

POINTS: dict[str, tuple[type[Any], str, bool]] = {
    "before a task's row": (Tasks, "create", False),
    "after a task's row": (Tasks, "create", True),
    "before a task's end": (Tasks, "set_state", False),
    "after a task's end": (Tasks, "set_state", True),
    "before a task is told of": (Tasks, "deliver", False),
    "after a task was told of": (Tasks, "deliver", True),
    "before a teammate's row": (Roster, "enrol", False),
    "after a teammate's row": (Roster, "enrol", True),
    "before a teammate begins": (Roster, "begin", False),
    "after a teammate began": (Roster, "begin", True),
    "before a teammate's last text": (Roster, "finish", False),
    "after a teammate's last text": (Roster, "finish", True),
    "before mail is shown": (Mail, "deliver", False),
    "after mail was shown": (Mail, "deliver", True),
}


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _deadly(owner: type[Any], name: str, after: bool) -> None:
    original: Callable[..., Any] = getattr(owner, name)

    def deadly(*args: Any, **kwargs: Any) -> Any:
        if after:
            original(*args, **kwargs)
        _die()

    setattr(owner, name, deadly)


async def _task(orchestra: Orchestra, lead: Conversation) -> None:
    await orchestra.use(lead, "bg_task_run", tool="parse_paper", arguments={"paper": "x"})
    await until(lambda: bool(orchestra.library.tasks.undelivered(SESSION)))
    await orchestra.background.deliver(lead)


async def _team(orchestra: Orchestra, lead: Conversation) -> None:
    await orchestra.use(lead, "spawn_teammate", name="ann", role="reader", task="the task")
    await until(lambda: bool(orchestra.library.mail.unread(SESSION, "lead")))
    await orchestra.team.deliver(lead)


async def _main(home: Path, point: str) -> None:
    with Library.open(home) as library:
        library.journal.new_session("Killed", SESSION)
        orchestra = Orchestra(library, works=_work, runs=_run)
        _deadly(*POINTS[point])
        of_a_task = POINTS[point][0] is Tasks
        await (_task if of_a_task else _team)(orchestra, orchestra.lead(SESSION))


async def _work(child: Child) -> str:
    return "the last text"


async def _run(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
    return ToolOutput("the result")


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))
