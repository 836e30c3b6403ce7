"""Sees where in a reply a lazy grammar begins to hold. Pure.

llama.cpp can watch by itself, with regular expressions over all that was written so far: for each token
again, by recursion, and a token that does not fit behind the word ends the process. So the worker
watches with this, and checks what was already written (`gbnf.Matcher`) before it holds anything to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.llm.local.calls.parser import partial_end
from app.llm.local.calls.thinking import Tags


@dataclass(slots=True)
class TriggerWatch:
    """Looks for the first of `words` outside of thinking; `at_start` only at the head of the reply."""

    words: tuple[str, ...]
    at_start: bool = False
    tags: Tags | None = None
    inside: bool = False
    """Whether thinking is open."""
    done: bool = False
    _held: str = field(default="", init=False)
    _begun: bool = field(default=False, init=False)

    def feed(self, text: str) -> str | None:
        """Take the next piece; return the text since the word began, once; otherwise None."""
        if self.done or not self.words:
            return None
        self._held += text
        while found := self._next():
            at, word = found
            ends_thinking = self.tags is not None and word == self.tags.closing
            if word in self.words and (ends_thinking or not self.inside):
                self.done = True
                return self._held[at:]
            self._held = self._held[at + len(word) :]
            self.inside = not self.inside
            self._begun = False
        return None

    def _next(self) -> tuple[int, str] | None:
        """Return the next word or tag of thinking; None when the text so far holds none."""
        if self.tags and self.inside:
            known: tuple[str, ...] = (self.tags.closing,)
        else:
            known = (*self.words, *((self.tags.opening,) if self.tags else ()))
        found = [(at, word) for word in known if (at := self._held.find(word)) >= 0]
        if found:
            at, word = min(found)
            if not self.at_start or self.inside or word not in self.words:
                return at, word
            if not self._begun and not self._held[:at].strip():
                return at, word
        keep = partial_end(self._held, known)
        if self.at_start and not self.inside:
            self._begun = self._begun or bool(self._held[: len(self._held) - keep].strip())
            self.done = self._begun and self.tags is None
        self._held = self._held[len(self._held) - keep :]
        return None
