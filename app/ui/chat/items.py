"""Events to timeline items: what was asked, what was done, what was answered. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.events import (
    AnswerReady,
    Event,
    Notice,
    Outcome,
    PermissionRequest,
    Question,
    TextDelta,
    Todo,
    ToolCall,
    ToolProgress,
    ToolResult,
    TurnFinished,
    TurnStarted,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person wrote."""

    text: str
    about: tuple[str, ...] = ()


class ToolState(StrEnum):
    """Where a tool call is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call: a line until it is opened."""

    id: str
    name: str
    argument: str
    arguments: str
    started_at: float
    state: ToolState = ToolState.RUNNING
    seconds: float | None = None
    progress: float | None = None
    message: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer: `text` as it streams, `checked` (the JSON of `Answer`) once it has been checked."""

    text: str = ""
    checked: Mapping[str, Any] | None = None
    streaming: bool = True

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
class Noticed:
    """Something to know that is not the answer; `level` as in events."""

    level: str
    message: str


Item = Asked | ToolUse | Answered | Noticed


@dataclass(frozen=True, slots=True)
class Plan:
    """The agent's to-do list in figures."""

    done: int
    total: int
    current: str


@dataclass(slots=True)
class Timeline:
    """All items of a conversation; `apply` takes an event and returns the places that changed."""

    items: list[Item] = field(default_factory=list)
    plan: Plan | None = None
    running: bool = False
    steps: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)

    def ask(self, text: str, about: tuple[str, ...] = ()) -> int:
        """Add what the person wrote; return its place."""
        return self._add(Asked(text, about))

    def apply(self, event: Event, now: float = 0.0) -> list[int]:
        """Take one event; `now` is a clock in seconds, for the time a tool took."""
        match event:
            case TurnStarted():
                self.running = True
            case TextDelta(text):
                return [self._stream(text)]
            case ToolCall(id, name, arguments, _step):
                self.steps += 1
                use = ToolUse(id, name, main_argument(arguments), _pretty(arguments), now)
                return [*self._close_stream(), self._add(use)]
            case ToolProgress(id, progress, message):
                return self._tool(id, progress=progress, message=message)
            case ToolResult():
                return self._finish_tool(event, now)
            case AnswerReady(answer):
                return [self._check(answer)]
            case Notice(level, message):
                return [self._add(Noticed(level, message))]
            case PermissionRequest(message=message) | Question(text=message):
                return [self._add(Noticed("warning", message))]
            case Todo(items):
                self.plan = plan_of(items)
            case TurnFinished(reason, usage):
                return self._finish(reason, usage)
        return []

    def stop(self) -> list[int]:
        """The person stopped the turn: nothing runs any more, whatever still arrives."""
        changed = [*self._close_stream()]
        for place, item in enumerate(self.items):
            if isinstance(item, ToolUse) and item.state is ToolState.RUNNING:
                self.items[place] = dataclasses.replace(item, state=ToolState.STOPPED)
                changed.append(place)
        self.running = False
        return changed

    def _add(self, item: Item) -> int:
        self.items.append(item)
        return len(self.items) - 1

    def _open_answer(self) -> tuple[int, Answered] | None:
        for place in range(len(self.items) - 1, -1, -1):
            match self.items[place]:
                case Answered(streaming=True) as item:
                    return place, item
                case Asked():
                    return None
        return None

    def _stream(self, text: str) -> int:
        open_answer = self._open_answer()
        if open_answer is None:
            return self._add(Answered(text))
        number, item = open_answer
        self.items[number] = dataclasses.replace(item, text=item.text + text)
        return number

    def _check(self, answer: Mapping[str, Any]) -> int:
        open_answer = self._open_answer()
        checked = Answered(str(answer.get("text", "")), answer, streaming=False)
        if open_answer is None:
            return self._add(checked)
        self.items[open_answer[0]] = checked
        return open_answer[0]

    def _close_stream(self) -> list[int]:
        open_answer = self._open_answer()
        if open_answer is None:
            return []
        place, item = open_answer
        self.items[place] = dataclasses.replace(item, streaming=False)
        return [place]

    def _tool(self, id: str, **changes: Any) -> list[int]:
        for place in range(len(self.items) - 1, -1, -1):
            item = self.items[place]
            if isinstance(item, ToolUse) and item.id == id:
                self.items[place] = dataclasses.replace(item, **changes)
                return [place]
        return []

    def _finish_tool(self, event: ToolResult, now: float) -> list[int]:
        started = next(
            (i.started_at for i in self.items if isinstance(i, ToolUse) and i.id == event.tool_call_id), now
        )
        seconds = event.metadata.get("seconds", now - started if now else None)
        match event.outcome:
            case Outcome.SUCCEEDED:
                state = ToolState.FAILED if event.is_error else ToolState.DONE
            case Outcome.INTERRUPTED | Outcome.CANCELLED_BEFORE_START:
                state = ToolState.STOPPED
            case _:
                state = ToolState.FAILED
        return self._tool(
            event.tool_call_id, state=state, seconds=seconds, output=event.output, progress=None
        )

    def _finish(self, reason: str, usage: Mapping[str, Any]) -> list[int]:
        self.usage = usage
        return self.stop()


def main_argument(arguments: Mapping[str, Any]) -> str:
    """Return the one argument that tells most about a call, as a line."""
    for name in (
        "question",
        "query",
        "name",
        "paper",
        "path",
        "pattern",
        "command",
        "task",
        "text",
        "message",
    ):
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return f"“{value}”" if name in ("question", "query") else value
    return ", ".join(str(v) for v in arguments.values() if isinstance(v, str | int | float))


def plan_of(items: tuple[Mapping[str, Any], ...]) -> Plan | None:
    """Return the figures of a to-do list, or None where it is empty."""
    if not items:
        return None
    done = sum(1 for item in items if item.get("status") in ("completed", "done"))
    active = [i for i in items if i.get("status") == "in_progress"] or [
        i for i in items if i.get("status") == "pending"
    ]
    return Plan(done, len(items), str(active[0].get("content", "")) if active else "")


def _pretty(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False, indent=2) if arguments else ""
