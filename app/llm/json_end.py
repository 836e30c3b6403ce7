"""Finds where a JSON object that arrives in pieces ends. Pure; every character is looked at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_OF_NOTE = re.compile(r'["{}\[\]]')
_IN_STRING = re.compile(r'["\\]')
_CLOSERS = {"{": "}", "[": "]"}


@dataclass(slots=True)
class ObjectEnd:
    """`closed` once the object is whole. Text that is no object, or is out of joint, never closes.

    Only brackets and strings are followed; whether the object is valid is for the parser to say.
    """

    closed: bool = False
    _open: list[str] = field(default_factory=list)
    _in_string: bool = False
    _escaped: bool = False
    _hopeless: bool = False

    @property
    def in_string(self) -> bool:
        """Whether the next character belongs to a string."""
        return self._in_string

    def feed(self, text: str) -> int:
        """Take the next piece; return how many of its characters are within the object (all while open)."""
        at = 0
        if self.closed:
            return 0
        if not self._open and not self._hopeless:
            at = len(text) - len(text.lstrip())
            self._hopeless = at < len(text) and text[at] != "{"
        while at < len(text) and not (self._hopeless or self.closed):
            at = self._skip_string(text, at) if self._in_string else self._step(text, at)
        return len(text) if self._hopeless else at

    def _step(self, text: str, at: int) -> int:
        found = _OF_NOTE.search(text, at)
        if not found:
            return len(text)
        match found[0]:
            case '"':
                self._in_string = True
            case "{" | "[" as opener:
                self._open.append(_CLOSERS[opener])
            case closer:
                self._hopeless = self._open.pop() != closer
                self.closed = not (self._open or self._hopeless)
        return found.end()

    def _skip_string(self, text: str, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        found = _IN_STRING.search(text, at)
        if not found:
            return len(text)
        self._escaped = found[0] == "\\"
        self._in_string = self._escaped
        return found.end()
