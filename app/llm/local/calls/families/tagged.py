"""Reads calls written as JSON between two tags, and puts them into the history. For Hermes and its kin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.llm.chat import CallDelta, ChatDelta
from app.llm.json_end import ObjectEnd
from app.llm.local.calls.parser import (
    ObjectReader,
    ParsedItem,
    Step,
    best_head,
    partial_end,
)

NAME = '"name"'
HEADS = tuple(
    ("{", NAME, ":", Step.STRING, ",", arguments, ":", Step.OBJECT)
    for arguments in ('"arguments"', '"parameters"')
)


@dataclass(slots=True)
class TaggedReader:
    """Reads prose and `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, any number of either.

    White space around calls is nobody's. A call that is not closed by its tag ends with its object; one
    with its words in another order is given once it is whole; one that is no object keeps its text as
    its arguments, to be answered with what is wrong with it.
    """

    opening: str
    closing: str
    calls: int = 0
    _state: Literal["text", "head", "arguments", "whole", "tail"] = "text"
    _held: str = ""
    _fresh: bool = False
    """Whether a call ended and no text came since."""
    _object: ObjectReader = field(default_factory=ObjectReader)
    _end: ObjectEnd = field(default_factory=ObjectEnd)
    _seen: int = 0
    """How much of what is held was looked at for the end of an odd call."""

    @property
    def busy(self) -> bool:
        """Whether a call is being read."""
        return self._state != "text"

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        found: list[ParsedItem] = []
        self._held += text
        before = None
        while before != (self._state, self._held):
            before = (self._state, self._held)
            found += self._step()
        return found

    def finish(self) -> list[ParsedItem]:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ""
        match self._state:
            case "text":
                return self._said(held.rstrip())
            case "head" | "whole":
                return [_odd_call(self.calls - 1, held)]
            case _:
                return []

    def _step(self) -> list[ParsedItem]:
        match self._state:
            case "text":
                return self._text()
            case "head":
                return self._head()
            case "arguments":
                inside, self._held = self._object.feed(self._held)
                self._state = "tail" if self._object.closed else "arguments"
                return [CallDelta(self.calls - 1, arguments=inside)] if inside else []
            case "whole":
                return self._whole()
            case "tail":
                return self._tail()

    def _text(self) -> list[ParsedItem]:
        at = self._held.find(self.opening)
        if at >= 0:
            said = self._said(self._held[:at].rstrip())
            self._held = self._held[at + len(self.opening) :]
            self._begin()
            return said
        kept = len(self._held) - partial_end(self._held, [self.opening])
        kept = len(self._held[:kept].rstrip())
        said, self._held = self._said(self._held[:kept]), self._held[kept:]
        return said

    def _begin(self) -> None:
        self.calls += 1
        self._state = "head"
        self._object, self._end, self._seen = ObjectReader(), ObjectEnd(), 0

    def _said(self, text: str) -> list[ParsedItem]:
        text = text.lstrip() if self._fresh else text
        self._fresh = self._fresh and not text
        return [ChatDelta(text)] if text else []

    def _head(self) -> list[ParsedItem]:
        head = best_head(self._held, HEADS)
        if not head:
            self._state = "whole"
            return []
        if not head.whole:
            return []
        self._state = "arguments"
        self._held = self._held[head.end :]
        return [CallDelta(self.calls - 1, name=head.strings[0])]

    def _whole(self) -> list[ParsedItem]:
        """Wait for the end of the object, or for a tag outside of its strings."""
        while True:
            at = self._held.find(self.closing, self._seen)
            stop = at if at >= 0 else len(self._held) - partial_end(self._held, [self.closing])
            inside = self._seen + self._end.feed(self._held[self._seen : stop])
            self._seen = max(stop, self._seen)
            if self._end.closed:
                at = inside
            elif at >= 0 and self._end.in_string:
                self._seen += len(self.closing)
                self._end.feed(self.closing)
                continue
            if at < 0:
                return []
            body, self._held = self._held[:at], self._held[at:]
            self._state = "tail"
            return [_odd_call(self.calls - 1, body)]

    def _tail(self) -> list[ParsedItem]:
        """Drop what stands between the arguments and the closing tag, or the next call."""
        ends = [(at, word) for word in (self.closing, self.opening) if (at := self._held.find(word)) >= 0]
        if not ends:
            keep = partial_end(self._held, [self.closing, self.opening])
            self._held = self._held[len(self._held) - keep :]
            return []
        at, word = min(ends)
        self._fresh = True
        if word == self.opening:
            self._state, self._held = "text", self._held[at:]
        else:
            self._state, self._held = "text", self._held[at + len(word) :]
        return []


def _odd_call(index: int, body: str) -> CallDelta:
    """Return a call from a body in another order; from one that is no call with the text as it stands."""
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return CallDelta(index, name=_name_in(body), arguments=body.strip())
    inner = value.get("function") if isinstance(value, Mapping) else None
    value = inner if isinstance(inner, Mapping) else value
    if not isinstance(value, Mapping) or not isinstance(name := value.get("name"), str):
        return CallDelta(index, arguments=body.strip())
    arguments = value.get("arguments", value.get("parameters", {}))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return CallDelta(index, name=name, arguments=text)


def _name_in(body: str) -> str:
    """Return the name in a body that is no JSON, so that its writer can be told what is wrong."""
    at = body.find(NAME)
    head = best_head(body[at:], [(NAME, ":", Step.STRING)]) if at >= 0 else None
    return head.strings[0] if head and head.whole else ""
