"""What a background task is: its states, its name, and how it is put before the model. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

BgState = Literal["running", "done", "failed", "cancelled", "lost"]

ENDINGS = {
    "cancelled": "It was cancelled; what it had done by then stays.",
    "lost": "The program ended while it ran; what it had done is not known: look before you repeat it.",
    "failed": "It met a mistake in AstroResearch; please report it with the log.",
}
"""What is said of a task that has no result."""

NEWS_CHARACTERS = 16_000
"""How much of the results of tasks is told at once."""


@dataclass(frozen=True, slots=True)
class BgTask:
    """A task as it stands. `result` is what the tool gave back, or why there is nothing."""

    task_id: str
    tool: str
    arguments: dict[str, Any]
    state: BgState
    progress: float | None = None
    message: str = ""
    result: str = ""
    untrusted: bool = False
    delivered: bool = False

    def text(self) -> str:
        """Return the task with its result."""
        return f"{self.line()}\n{self.result}".rstrip()

    def line(self) -> str:
        """Return the task in one line."""
        call = f"{self.task_id}: {self.tool} {json.dumps(self.arguments, ensure_ascii=False)}"
        share = "" if self.progress is None else f", {self.progress:.0%}"
        words = f" ({self.message})" if self.message and self.state == "running" else ""
        return f"{call} is {self.state}{share if self.state == 'running' else ''}{words}"


def task_id(number: int) -> str:
    """Return the name of a task for the model."""
    return f"bg-{number}"


def number_of(task: str) -> int:
    """Return the number in a task's name; 0, which no task has, where there is none."""
    digits = task.strip().casefold().removeprefix("bg-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def told_together(tasks: Sequence[BgTask]) -> list[BgTask]:
    """Return the first of the tasks, not more than are read at once; the rest is told next."""
    chosen: list[BgTask] = []
    room = NEWS_CHARACTERS
    for task in tasks:
        room -= len(task.result)
        if chosen and room < 0:
            break
        chosen.append(task)
    return chosen
