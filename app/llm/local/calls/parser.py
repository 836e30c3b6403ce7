"""What reads a local model's text while it is written. Pure.

A reader gets text in pieces cut anywhere and must give the same items however it was cut, apart from
how long the pieces of one kind are. It never gives a call for JSON that merely stands in prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from app.llm.chat import CallDelta, ChatDelta, ThinkingChunk
from app.llm.json_end import ObjectEnd

ParsedItem = ChatDelta | ThinkingChunk | CallDelta


class Reader(Protocol):
    """Reads the text of one reply without its thinking."""

    @property
    def calls(self) -> int:
        """How many calls were begun."""

    @property
    def busy(self) -> bool:
        """Whether the next text belongs to a call or a quoted answer, where tags are plain text."""

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""

    def finish(self) -> list[ParsedItem]:
        """Return what was held back, at the end of the text."""


def partial_end(text: str, words: Sequence[str]) -> int:
    """Return the length of the longest end of the text that could be the beginning of a word."""
    longest = max((len(word) for word in words), default=1) - 1
    for size in range(min(longest, len(text)), 0, -1):
        if any(word.startswith(text[-size:]) for word in words):
            return size
    return 0


@dataclass(slots=True)
class ProseReader:
    """All text is text: for requests without tools."""

    calls: int = 0
    busy: bool = False

    def feed(self, text: str) -> list[ParsedItem]:
        """Return the text."""
        return [ChatDelta(text)] if text else []

    def finish(self) -> list[ParsedItem]:
        """Return nothing."""
        return []


@dataclass(slots=True)
class ObjectReader:
    """Passes on the JSON object at the head of a text, as it is written; knows what is behind it."""

    end: ObjectEnd = field(default_factory=ObjectEnd)

    @property
    def closed(self) -> bool:
        return self.end.closed

    def feed(self, text: str) -> tuple[str, str]:
        """Return what of the text belongs to the object, and what is behind it."""
        inside = self.end.feed(text)
        return text[:inside], text[inside:]


class Step(Enum):
    """What a head may hold besides fixed words."""

    STRING = "a JSON string; it is kept"
    OBJECT = "the beginning of an object, which is left to be read"


@dataclass(frozen=True, slots=True)
class Head:
    """How far a text goes along with a head: all of it (`whole`), as far as it goes, or not (None)."""

    whole: bool
    strings: tuple[str, ...] = ()
    end: int = 0


_SPACE = re.compile(r"\s*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def head_of(text: str, steps: Sequence[str | Step]) -> Head | None:
    """Compare the text with the steps of a head, white space between them aside."""
    at = 0
    strings: list[str] = []
    for step in steps:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        rest = text[at:]
        match step:
            case _ if not rest:
                return Head(whole=False)
            case Step.OBJECT:
                return Head(True, tuple(strings), at) if rest[0] == "{" else None
            case Step.STRING:
                found = _QUOTED.match(text, at)
                if not found:
                    return Head(whole=False) if rest[0] == '"' else None
                strings.append(unquoted(found[0]))
                at = found.end()
            case str(word):
                if not rest.startswith(word):
                    return Head(whole=False) if word.startswith(rest) else None
                at += len(word)
    return Head(True, tuple(strings), at)


def best_head(text: str, heads: Sequence[Sequence[str | Step]]) -> Head | None:
    """Return the head that the text has, else that it may still get one, else None."""
    found = [head for steps in heads if (head := head_of(text, steps))]
    return next((head for head in found if head.whole), found[0] if found else None)


def unquoted(quoted: str) -> str:
    """Return what a JSON string says; one that is none as it stands."""
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        return quoted[1:-1]


_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN = re.compile(r'[^"\\]+')


@dataclass(slots=True)
class StringReader:
    """Reads a JSON string behind its opening quote while it is written."""

    closed: bool = False
    _escape: str = ""
    _high: str = ""

    def feed(self, text: str) -> tuple[str, str]:
        """Return the characters that the text stands for, and what is behind the closing quote."""
        found: list[str] = []
        at = 0
        while at < len(text) and not self.closed:
            if self._escape:
                found.append(self._escaped(text[at]))
                at += 1
            elif plain := _PLAIN.match(text, at):
                found += [self._alone(), plain[0]]
                at = plain.end()
            else:
                self._escape = "\\" if text[at] == "\\" else ""
                self.closed = text[at] == '"'
                found.append(self._alone() if self.closed else "")
                at += 1
        return "".join(found), text[at:]

    def _escaped(self, character: str) -> str:
        self._escape += character
        if self._escape[1] != "u":
            self._escape = ""
            return self._alone() + _ESCAPES.get(character, character)
        if len(self._escape) < 6:
            return ""
        digits, self._escape = self._escape[2:], ""
        try:
            unit = int(digits, 16)
        except ValueError:
            return self._alone() + digits
        if 0xD800 <= unit < 0xDC00:
            alone, self._high = self._alone(), chr(unit)
            return alone
        if 0xDC00 <= unit < 0xE000:
            high, self._high = self._high, ""
            pair = (high or "\ufffd").encode("utf-16-le", "surrogatepass") + unit.to_bytes(2, "little")
            return pair.decode("utf-16-le", "replace")
        return self._alone() + chr(unit)

    def _alone(self) -> str:
        """Return what stands for the first half of a character whose second half did not come."""
        alone, self._high = "\ufffd" if self._high else "", ""
        return alone
