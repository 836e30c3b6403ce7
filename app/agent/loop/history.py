"""What the model has read, as a fold over journal rows. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agent.loop import fences
from app.agent.loop.repair import repair
from app.agent.loop.units import KEPT_VERBATIM, Placed, Result, Round, Said, Unit, placed
from app.llm.chat import CallPart, ChatMessage

MAX_RESULT_CHARS = 200_000
"""The last barrier before a giant result makes a conversation unusable; outputs are cut long before."""
SUMMARY_HEAD = "The conversation so far, in short (the messages themselves were left out to save room):"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call without a result; `started` says whether its own row is there."""

    id: str
    name: str
    step: int
    started: bool


class History:
    """The conversation as the model sees it; every row changes it by a little.

    `History.of(journal.rows(session))` and feeding the same rows one by one give the same. What
    a request costs depends on what is still before the model, not on how long the conversation is.
    """

    def __init__(self) -> None:
        self.last_row = 0
        self.system = ""
        self.tainted = False
        """Whether text that is not trusted was ever before the model."""
        self.private = False
        """Whether private text was ever before the model."""
        self.open_turn = ""
        """The id of a turn that has begun and not ended."""
        self.todo: tuple[Row, ...] = ()
        self.open_permissions: dict[str, str] = {}
        """Requests that nobody has answered: request id, call id."""
        self.open_questions: dict[str, str] = {}
        """Questions that wait for an answer now: id, text."""
        self.unanswered: dict[str, str] = {}
        """Questions that got none: a late answer comes as a message."""
        self._units: list[Unit] = []
        self._rounds: dict[str, Round] = {}
        self._open: dict[str, OpenCall] = {}
        self._streaming: Round | None = None
        self._sent: tuple[int, list[ChatMessage]] | None = None

    @classmethod
    def of(cls, rows: Iterable[tuple[int, Row]]) -> History:
        """Fold journal rows (number, `Event.as_json()`), oldest first."""
        history = cls()
        for row, event in rows:
            history.apply(row, event)
        return history

    def apply(self, row: int, event: Row) -> None:
        """Take one more row; one that was taken, or is nothing to the model, changes nothing."""
        if row <= self.last_row:
            return
        self.last_row = row
        if fold := _FOLDS.get(event.get("type", "")):
            fold(self, row, event)

    # -- what is asked of it ----------------------------------------------------------------------

    def messages(self) -> list[ChatMessage]:
        """Return what the next request sends, repaired: system prompt first."""
        if self._sent is None or self._sent[0] != self.last_row:
            self._sent = self.last_row, repair([entry.message for entry in self.placed()])
        return list(self._sent[1])

    def placed(self) -> list[Placed]:
        """Return the messages as they are, with the rows they came from."""
        head = [Placed(ChatMessage("system", self.system), 0, 0)] if self.system else []
        return [*head, *placed(self._units)]

    @property
    def units(self) -> Sequence[Unit]:
        """What is still before the model, the system prompt aside."""
        return self._units

    @property
    def wants_reply(self) -> bool:
        """Whether there is something that the model has not answered."""
        last = self._units[-1] if self._units else None
        return isinstance(last, Said) or (last is not None and bool(last.calls))

    def open_calls(self) -> list[OpenCall]:
        """Return the calls without a result."""
        return list(self._open.values())

    def shown(self) -> dict[str, str]:
        """Return what the model still has before it from each source of context; of memories all of it."""
        shown: dict[str, str] = {}
        for unit in self._units:
            if isinstance(unit, Said) and unit.body:
                before = shown.get("memory", "") if unit.source == "memory" else ""
                shown[unit.source] = f"{before}\n{unit.body}" if before else unit.body
        return shown

    def result(self, call_id: str) -> Result | None:
        """Return the result of a call that is still before the model."""
        found = self._rounds.get(call_id)
        return found.results.get(call_id) if found else None

    # -- the fold ---------------------------------------------------------------------------------

    def _turn_started(self, row: int, event: Row) -> None:
        self._streaming = None
        self.open_turn = event.get("turn_id", "")
        if text := event.get("text", ""):
            self._units.append(Said(row, text, "person", opens_turn=True))

    def _turn_finished(self, row: int, event: Row) -> None:
        self._streaming = None
        self.open_turn = ""

    def _steering(self, row: int, event: Row) -> None:
        self._units.append(Said(row, event["text"], "person"))

    def _context(self, row: int, event: Row) -> None:
        source, text = event["source"], event["text"]
        if source == "system":
            self.system = text
            return
        trusted = event.get("trusted", True)
        self.tainted = self.tainted or not trusted
        fence = fences.context if trusted else fences.untrusted
        self._units.append(Said(row, fence(text, source), source, body=text))

    def _tool_call(self, row: int, event: Row) -> None:
        call_id, step = event["id"], event.get("step", 0)
        if (known := self._rounds.get(call_id)) and call_id not in known.results:
            known.last = row
            self._open[call_id] = OpenCall(call_id, event["name"], step, started=True)
            return
        current = self._streaming
        if current is None or current.step != step:
            current = self._streaming = Round(row, row, step)
            self._units.append(current)
        current.last = row
        arguments = json.dumps(event.get("arguments", {}), ensure_ascii=False)
        self._add_call(current, CallPart(call_id, event["name"], arguments), started=True)

    def _message(self, row: int, event: Row) -> None:
        calls = [CallPart(c["id"], c["name"], c["arguments"]) for c in event.get("calls", ())]
        current, self._streaming = self._streaming, None
        if current is not None and not {c.id for c in calls} & {c.id for c in current.calls}:
            current = None  # a call that the program made by itself, before this reply
        if current is None:
            if not calls and not event["text"].strip():
                return
            current = Round(row, row, event.get("step", 0))
        else:
            self._units.pop(_index_of(current, self._units))
        current.last, current.written = row, True
        current.text, current.thinking = event["text"], event.get("thinking", "")
        early = {call.id: call for call in current.calls}
        current.calls = [*calls, *(c for c in current.calls if c.id not in {w.id for w in calls})]
        for call in calls:
            if call.id not in early:
                self._add_call(current, call, started=False, listed=True)
        self._units.insert(self._place(event.get("read_to", 0)), current)

    def _answer(self, row: int, event: Row) -> None:
        """Take the answer of the direct path, which has no `Message`; elsewhere it repeats one."""
        last = self._units[-1] if self._units else None
        text = event.get("answer", {}).get("text", "")
        if text and not (isinstance(last, Round) and last.written):
            self._streaming = None
            self._units.append(Round(row, row, 0, text=text, written=True))

    def _tool_result(self, row: int, event: Row) -> None:
        call_id, metadata = event["tool_call_id"], event.get("metadata") or {}
        found = self._rounds.get(call_id)
        if found is None or call_id in found.results:
            return  # an orphan, or a second result: the first one counts
        self._open.pop(call_id, None)
        found.last = row
        text = str(event.get("output", ""))
        if len(text) > MAX_RESULT_CHARS:
            text = f"{text[:MAX_RESULT_CHARS]}\n… {len(text) - MAX_RESULT_CHARS:,} characters left out"
        self.private = self.private or bool(metadata.get("private"))
        trusted = not metadata.get("untrusted")
        if not trusted:
            self.tainted = True
            text = fences.untrusted(text, event["name"])
        found.results[call_id] = Result(row, event["name"], text, trusted)

    def _compaction(self, row: int, event: Row) -> None:
        for call_id in event.get("cleared", ()):
            if result := self.result(call_id):
                result.cleared = True
        if not event.get("summary"):
            return
        kept_from = event.get("kept_from", 0)
        kept = [unit for unit in self._units if unit.last >= kept_from]
        gone = [unit for unit in self._units if unit.last < kept_from]
        for unit in gone:
            for call in unit.calls if isinstance(unit, Round) else ():
                if self._rounds.get(call.id) is unit:
                    del self._rounds[call.id]
        # a summary of what others wrote has no more authority than they have
        fence = fences.untrusted if self.tainted else fences.context
        summary = fence(event["summary"], "summary")
        self._units = [Said(0, f"{SUMMARY_HEAD}\n{summary}", "summary"), *verbatim(gone, kept), *kept]

    def _todo(self, row: int, event: Row) -> None:
        self.todo = tuple(event.get("items", ()))

    def _permission_request(self, row: int, event: Row) -> None:
        self.open_permissions[event["id"]] = event.get("tool_call_id", "")

    def _permission_answer(self, row: int, event: Row) -> None:
        self.open_permissions.pop(event["id"], None)

    def _question(self, row: int, event: Row) -> None:
        self.open_questions[event["id"]] = event["text"]

    def _question_answer(self, row: int, event: Row) -> None:
        text = self.open_questions.pop(event["id"], "")
        if event.get("status") == "no_answer":
            self.unanswered[event["id"]] = text
        else:
            self.unanswered.pop(event["id"], None)

    def _nested(self, row: int, event: Row) -> None:
        """Take requests of sub-agents: they wait for the same person."""
        while event.get("type") == "nested":
            event = event.get("event") or {}
        if event.get("type") in _REQUESTS:
            _FOLDS[event["type"]](self, row, event)

    def _place(self, read_to: int) -> int:
        """Return where a reply belongs: before what was said after the model had begun it."""
        index = len(self._units)
        while read_to and index and isinstance(said := self._units[index - 1], Said) and said.row > read_to:
            index -= 1
        return index

    def _add_call(self, current: Round, call: CallPart, *, started: bool, listed: bool = False) -> None:
        if not listed:
            current.calls.append(call)
        self._rounds[call.id] = current
        self._open[call.id] = OpenCall(call.id, call.name, current.step, started)


def verbatim(gone: Sequence[Unit], kept: Sequence[Unit]) -> list[Said]:
    """Return what must not be lost of the part that is left out: what the person asked last, and added.

    Nothing, where the kept part begins with or holds a newer question.
    """
    if any(isinstance(unit, Said) and unit.opens_turn for unit in kept):
        return []
    said = [unit for unit in gone if isinstance(unit, Said) and unit.source in KEPT_VERBATIM]
    start = max((i for i, unit in enumerate(said) if unit.opens_turn), default=0)
    return said[start:]


def _index_of(current: Round, units: Sequence[Unit]) -> int:
    return next(index for index in reversed(range(len(units))) if units[index] is current)


_REQUESTS = ("permission_request", "permission_answer", "question", "question_answer")
_FOLDS: Mapping[str, Callable[[History, int, Row], None]] = {
    "turn_started": History._turn_started,
    "turn_finished": History._turn_finished,
    "steering": History._steering,
    "context": History._context,
    "tool_call": History._tool_call,
    "message": History._message,
    "answer": History._answer,
    "tool_result": History._tool_result,
    "compaction": History._compaction,
    "todo": History._todo,
    "nested": History._nested,
    "permission_request": History._permission_request,
    "permission_answer": History._permission_answer,
    "question": History._question,
    "question_answer": History._question_answer,
}
