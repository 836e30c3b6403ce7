"""Events: one frozen dataclass is the journal row, the timeline item and the `--events` line.

The field names are those of CONTRACT §4; `as_json` adds the `type`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar


class Outcome(StrEnum):
    """How a tool call ended; every call ends in exactly one of these."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DENIED = "denied"
    CANCELLED_BEFORE_START = "cancelled_before_start"
    INTERRUPTED = "interrupted"
    TIMED_OUT = "timed_out"
    SIBLING_ABORTED = "sibling_aborted"
    LOST_IN_CRASH = "lost_in_crash"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Event:
    """Base of everything that happens in a turn."""

    type: ClassVar[str] = ""

    def as_json(self) -> dict[str, Any]:
        """Return the event as one JSON line's value, `type` first."""
        return {"type": self.type, **dataclasses.asdict(self)}


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A turn begins; `text` is what the person asked."""

    type: ClassVar[str] = "turn_started"
    turn_id: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta(Event):
    """A piece of the model's answer, as it comes."""

    type: ClassVar[str] = "text_delta"
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta(Event):
    """A piece of the model's thinking, as it comes."""

    type: ClassVar[str] = "thinking_delta"
    text: str


@dataclass(frozen=True, slots=True)
class ModelProgress(Event):
    """How far the model is with reading the prompt, or what is waited for; shown, never kept.

    `share` is from 0 to 1, or None where it is not known. `wait_s` are the seconds until a service is
    asked again, counted from now.
    """

    type: ClassVar[str] = "model_progress"
    share: float | None
    message: str = ""
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Steering(Event):
    """What the person typed while the agent worked; the model reads it at the next step."""

    type: ClassVar[str] = "steering"
    text: str


@dataclass(frozen=True, slots=True)
class Message(Event):
    """One whole reply of the model; the pieces that streamed before it are not kept in the journal.

    `calls` are `{"id", "name", "arguments"}` with the arguments as the model wrote them (text).
    `partial` marks a reply that was cut; its incomplete calls are not in it. `read_to` is the last
    journal row that the model had read when it began: what came later is answered later.
    """

    type: ClassVar[str] = "message"
    text: str
    step: int
    thinking: str = ""
    calls: tuple[dict[str, Any], ...] = ()
    model: str = ""
    partial: bool = False
    read_to: int = 0


@dataclass(frozen=True, slots=True)
class ContextAdded(Event):
    """Text put before the model that neither the person nor a tool call brought in.

    `source` is "system" (the system prompt, not shown), "date", "papers", "hook", "background", "mail",
    "memory", "files", "skill", "todo", "questions" or "runtime" (the loop itself); text that is not
    `trusted` is fenced as data.
    """

    type: ClassVar[str] = "context"
    source: str
    text: str
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class ToolCall(Event):
    """The model asks for a tool; `step` counts the rounds of the turn."""

    type: ClassVar[str] = "tool_call"
    id: str
    name: str
    arguments: dict[str, Any]
    step: int


@dataclass(frozen=True, slots=True)
class ToolProgress(Event):
    """`progress` is a share from 0 to 1, or None where the length is not known."""

    type: ClassVar[str] = "tool_progress"
    id: str
    progress: float | None
    message: str


@dataclass(frozen=True, slots=True)
class ToolResult(Event):
    """How a call ended: exactly one for every ToolCall."""

    type: ClassVar[str] = "tool_result"
    tool_call_id: str
    name: str
    output: str
    is_error: bool
    outcome: Outcome
    step: int
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PermissionRequest(Event):
    """A call waits for the person to allow it; `preview` is what will happen, `form` how to set it.

    `form` is "command", "diff", "path", "text" or "consent" (`preview` is then the service that private
    text would be sent to, and allowing it once counts for the library). `rule` is what "always" would
    write into the settings: `{"tool", "match"}`; empty where "always" is not offered. `agent` names the
    sub-agent or teammate that asks.
    """

    type: ClassVar[str] = "permission_request"
    id: str
    tool_call_id: str
    tool: str
    message: str
    preview: str = ""
    form: str = "text"
    rule: dict[str, str] = field(default_factory=dict)
    agent: str = ""


@dataclass(frozen=True, slots=True)
class PermissionAnswer(Event):
    """How a request ended.

    `answer` is "once", "session", "always", "deny" or "cancelled"; `by` is "person", "option" (`--yes`)
    or "nobody" (no one could answer).
    """

    type: ClassVar[str] = "permission_answer"
    id: str
    tool_call_id: str
    answer: str
    by: str = "person"


@dataclass(frozen=True, slots=True)
class Question(Event):
    """The agent asks the person something; free text is always taken besides the options."""

    type: ClassVar[str] = "question"
    id: str
    text: str
    options: tuple[str, ...] = ()
    tool_call_id: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class QuestionAnswer(Event):
    """`status` is "answered", "no_answer" (time ran out: never consent) or "cancelled"."""

    type: ClassVar[str] = "question_answer"
    id: str
    status: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Nested(Event):
    """Something that happened inside a call: `event` is the `as_json` of a sub-agent's event."""

    type: ClassVar[str] = "nested"
    tool_call_id: str
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Todo(Event):
    """The agent's list of what is to be done, whole."""

    type: ClassVar[str] = "todo"
    items: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Compaction(Event):
    """Old parts of the conversation were shortened to free room.

    `tier` is "micro", "auto" or "manual". `summary` stands for what is left out; `kept_from` is the
    journal row from which events are still read whole; `cleared` are the calls whose results became
    placeholders (micro).
    """

    type: ClassVar[str] = "compaction"
    tier: str
    before_tokens: int
    after_tokens: int
    summary: str = ""
    kept_from: int = 0
    cleared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice(Event):
    """`level` is "info", "warning" or "error"."""

    type: ClassVar[str] = "notice"
    level: str
    message: str


@dataclass(frozen=True, slots=True)
class AnswerReady(Event):
    """The whole answer once it has been checked: sentences with their proven citations.

    `answer` has the shape of `app.records.answer.Answer.as_json()`. The text in it
    replaces what `text_delta` streamed, which had not been checked yet.
    """

    type: ClassVar[str] = "answer"
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TurnFinished(Event):
    """`reason` is "done", "stopped", "failed", "max_steps", "loop" or "context_full".

    `usage` counts tokens and seconds.
    """

    type: ClassVar[str] = "turn_finished"
    reason: str
    usage: dict[str, Any] = field(default_factory=dict)
