"""Keeps thinking apart from what is said. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.llm.chat import ThinkingChunk
from app.llm.local.calls.parser import ParsedItem, Reader, partial_end


@dataclass(frozen=True, slots=True)
class Tags:
    """What opens and closes thinking in a model's text."""

    opening: str
    closing: str


THINK = Tags("<think>", "</think>")
BRACKETS = Tags("[THINK]", "[/THINK]")
CHANNEL = Tags("<|channel>thought\n", "<channel|>")
KNOWN = (THINK, BRACKETS, CHANNEL)


def tags_of(template: str) -> Tags | None:
    """Return the tags that a chat template speaks of; None where it knows no thinking."""
    return next((tags for tags in KNOWN if tags.closing in template), None)


@dataclass(slots=True)
class ThinkingReader:
    """Gives thinking as it is written and everything else to `reader`, which never sees any thinking."""

    reader: Reader
    tags: Tags
    inside: bool = False
    """Whether the text begins within thinking, because the prompt opened it."""
    _held: str = field(default="", init=False)
    _fresh: bool = field(default=True, init=False)

    @property
    def calls(self) -> int:
        return self.reader.calls

    @property
    def busy(self) -> bool:
        return self.reader.busy

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        self._held += text
        found: list[ParsedItem] = []
        while True:
            word = self.tags.closing if self.inside else self.tags.opening
            at = self._held.find(word)
            # Inside a call a tag is an argument's text: the reader, which has begun a call, gets it all.
            if at < 0 or (self.reader.busy and not self.inside):
                keep = 0 if self.reader.busy else partial_end(self._held, [word])
                found += self._passed(len(self._held) - keep)
                return found
            found += self._passed(at)
            if self.reader.busy:
                continue
            self._held = self._held[len(word) :]
            self.inside = not self.inside
            if not self.inside:
                self._held = self._held.lstrip("\n") if self._held else ""
                self._fresh = True

    def finish(self) -> list[ParsedItem]:
        """Return what was held back, at the end of the text."""
        found = self._passed(len(self._held))
        return found + self.reader.finish()

    def _passed(self, size: int) -> list[ParsedItem]:
        text, self._held = self._held[:size], self._held[size:]
        if self.inside:
            return [ThinkingChunk(text)] if text else []
        if self._fresh:
            text = text.lstrip("\n")
            self._fresh = not text
        return self.reader.feed(text) if text else []
