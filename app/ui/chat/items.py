"""What stands in the timeline: one frozen value an item; `timeline` makes them of events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from app.events import Outcome

if TYPE_CHECKING:
    from app.ui.chat.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person wrote.

    What was written while the agent worked is `steering`: "waits" until the agent reads it, then
    "read", or "unread" where the turn ended before.
    """

    text: str
    about: tuple[str, ...] = ()
    steering: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """What the model thought before it answered; a line until it is opened."""

    text: str
    streaming: bool = True
    started_at: float = 0.0
    seconds: float | None = None


class ToolState(StrEnum):
    """Where a tool call is."""

    ASKING = "asking"
    """It waits for the person."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


STATES: Mapping[Outcome, ToolState] = {
    Outcome.SUCCEEDED: ToolState.DONE,
    Outcome.FAILED: ToolState.FAILED,
    Outcome.DENIED: ToolState.STOPPED,
    Outcome.CANCELLED_BEFORE_START: ToolState.STOPPED,
    Outcome.INTERRUPTED: ToolState.STOPPED,
    Outcome.TIMED_OUT: ToolState.FAILED,
    Outcome.SIBLING_ABORTED: ToolState.STOPPED,
    Outcome.LOST_IN_CRASH: ToolState.FAILED,
    Outcome.REJECTED: ToolState.FAILED,
}


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call: a line until it is opened. `outcome` says how it ended, once it has."""

    id: str
    name: str
    argument: str
    arguments: Mapping[str, Any]
    started_at: float
    state: ToolState = ToolState.RUNNING
    outcome: Outcome | None = None
    seconds: float | None = None
    progress: float | None = None
    message: str = ""
    output: str = ""
    diff: str = ""
    inner: Timeline | None = None
    """What a sub-agent did inside the call. The same object grows; `inner_changes` counts its changes."""
    inner_changes: int = 0


@dataclass(frozen=True, slots=True)
class Permission:
    """A call asks whether it may run. `answer` is empty while it waits."""

    id: str
    call_id: str
    tool: str
    message: str
    preview: str = ""
    form: str = "text"
    rule: Mapping[str, str] = field(default_factory=dict)
    agent: str = ""
    answer: str = ""
    by: str = "person"

    @property
    def waits(self) -> bool:
        """Whether nothing has been answered."""
        return not self.answer


@dataclass(frozen=True, slots=True)
class Asking:
    """The agent asks the person. `status` is empty while it waits, then as in `QuestionAnswer`, or "late".

    "late" is an answer that came after the agent had gone on: it is sent as a message.
    """

    id: str
    text: str
    options: tuple[str, ...] = ()
    call_id: str = ""
    agent: str = ""
    status: str = ""
    answer: str = ""

    @property
    def waits(self) -> bool:
        """Whether the agent waits for the answer."""
        return not self.status

    @property
    def open(self) -> bool:
        """Whether an answer is still taken, in time or late."""
        return self.status in ("", "no_answer")


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer: `text` as it streams, `checked` (the JSON of `Answer`) once it has been checked.

    `partial` was cut off. `interim` was said beside calls: the answer is still to come.
    """

    text: str = ""
    checked: Mapping[str, Any] | None = None
    streaming: bool = True
    partial: bool = False
    interim: bool = False

    @property
    def kind(self) -> str:
        """ "answer", "quotes" or "not_found"; "answer" while it is still streaming."""
        return str(self.checked["kind"]) if self.checked else "answer"

    def as_markdown(self) -> str:
        """Return the source with its citations in words, for copying."""
        if self.checked is None:
            return self.text.strip()
        parts = []
        for sentence in self.checked["sentences"]:
            cites = "; ".join(f"{c['label']}, p. {c['page_label']}" for c in sentence["citations"])
            words = str(sentence["text"]).strip()
            if self.kind == "quotes":
                parts.append(f"> {words}\n>\n> ({cites})" if cites else f"> {words}")
            else:
                parts.append(f"{words} ({cites})" if cites else words)
        body = ("\n\n" if self.kind == "quotes" else " ").join(parts)
        message = str(self.checked.get("message", ""))
        return "\n\n".join(filter(None, (body, f"*{message}*" if message else "")))


@dataclass(frozen=True, slots=True)
class Added:
    """Neighbouring texts that were put before the model: (source, text, trusted) each."""

    parts: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class Compacted:
    """Earlier parts of the conversation were shortened."""

    tier: str
    before_tokens: int
    after_tokens: int
    summary: str = ""
    cleared: int = 0


@dataclass(frozen=True, slots=True)
class ModelState:
    """What the model is doing while it says nothing; `until` is when a service is asked again."""

    share: float | None
    message: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something to know that is not the answer; `level` as in events."""

    level: str
    message: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn ended otherwise than by being done; `reason` as in `TurnFinished`."""

    reason: str


Item = Asked | Thought | ToolUse | Permission | Asking | Answered | Added | Compacted | Noticed | Ended


@dataclass(frozen=True, slots=True)
class Task:
    """One line of the agent's list of what is to be done; `blocked_by` are the lines before it."""

    id: str
    content: str
    status: str
    blocked_by: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it is."""
        return self.status in ("completed", "done")


@dataclass(frozen=True, slots=True)
class Plan:
    """The agent's list."""

    tasks: tuple[Task, ...]

    @property
    def done(self) -> int:
        """How many lines are done."""
        return sum(task.done for task in self.tasks)

    @property
    def current(self) -> str:
        """What is being done now, or comes next."""
        active = [t for t in self.tasks if t.status == "in_progress"]
        waiting = [t for t in self.tasks if t.status == "pending"]
        return next((task.content for task in (*active, *waiting)), "")


def plan_of(items: tuple[Mapping[str, Any], ...]) -> Plan | None:
    """Return the list of a `Todo` event, or None where it is empty."""
    tasks = tuple(
        Task(
            str(item.get("id", place + 1)),
            str(item.get("content", "")),
            str(item.get("status", "pending")),
            tuple(str(other) for other in item.get("blockedBy", item.get("blocked_by", ())) or ()),
        )
        for place, item in enumerate(items)
    )
    return Plan(tasks) if tasks else None


_TELLING = (
    "question",
    "query",
    "command",
    "name",
    "paper",
    "path",
    "pattern",
    "task",
    "tool",
    "text",
    "content",
    "message",
)


def main_argument(arguments: Mapping[str, Any]) -> str:
    """Return the one argument that tells most about a call, as a line."""
    for name in _TELLING:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            line = " ".join(value[:400].split())
            return f"“{line}”" if name in ("question", "query") else line
    if isinstance(names := arguments.get("names"), list | tuple):
        return ", ".join(str(name) for name in names[:20])
    return ", ".join(str(v) for v in arguments.values() if isinstance(v, str | int | float))[:400]
