"""Finds calls between two tags, whatever their inside looks like. For syntaxes that are not JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from app.llm.chat import ChatDelta
from app.llm.local.calls.parser import ParsedItem, partial_end


class CallBody(Protocol):
    """Reads the inside of one call."""

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""

    def finish(self, *, closed: bool) -> list[ParsedItem]:
        """Return what was held back; `closed` says whether the call was ended by its tag."""


@dataclass(slots=True)
class EnclosedReader:
    """Reads prose and calls; white space around calls is nobody's."""

    opening: str
    closing: str
    body: Callable[[int], CallBody]
    calls: int = 0
    _held: str = ""
    _open: CallBody | None = None
    _fresh: bool = field(default=False)

    @property
    def busy(self) -> bool:
        """Whether a call is being read."""
        return self._open is not None

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        self._held += text
        found: list[ParsedItem] = []
        while True:
            word = self.closing if self._open else self.opening
            at = self._held.find(word)
            if at < 0:
                keep = partial_end(self._held, [word])
                return found + self._passed(len(self._held) - keep, last=False)
            found += self._passed(at, last=True)
            self._held = self._held[len(word) :]
            if self._open:
                found += self._open.finish(closed=True)
                self._open, self._fresh = None, True
            else:
                self._open = self.body(self.calls)
                self.calls += 1

    def finish(self) -> list[ParsedItem]:
        """Return what was held back, at the end of the text."""
        found = self._passed(len(self._held), last=True)
        return found + (self._open.finish(closed=False) if self._open else [])

    def _passed(self, size: int, *, last: bool) -> list[ParsedItem]:
        text = self._held[:size]
        if self._open:
            self._held = self._held[size:]
            return self._open.feed(text) if text else []
        said = text.rstrip()
        # White space waits: a call may follow, and then it is nobody's.
        self._held = self._held[size:] if last else self._held[len(said) :]
        said = said.lstrip() if self._fresh else said
        self._fresh = self._fresh and not said
        return [ChatDelta(said)] if said else []
