"""What is selected: from one caret to another, over any number of pages (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.ui.reader.text_layer import TextLayer


class Caret(NamedTuple):
    """A place between two characters; compares in reading order."""

    page: int
    offset: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The first gesture took `[start, end]` (a caret, a word or a line); `head` is where it went since."""

    start: Caret
    end: Caret
    head_start: Caret
    head_end: Caret

    @classmethod
    def at(cls, start: Caret, end: Caret | None = None) -> Selection:
        """Begin at a caret, or with a whole word or line."""
        end = start if end is None else end
        return cls(start, end, start, end)

    def to(self, start: Caret, end: Caret | None = None) -> Selection:
        """Move the head to a caret, or over a whole word or line."""
        return Selection(self.start, self.end, start, start if end is None else end)

    @property
    def first(self) -> Caret:
        """Where the selected text begins."""
        return min(self.start, self.head_start)

    @property
    def last(self) -> Caret:
        """Where the selected text ends."""
        return max(self.end, self.head_end)

    def __bool__(self) -> bool:
        return self.first < self.last

    def pages(self) -> range:
        """The pages it touches."""
        return range(self.first.page, self.last.page + 1)

    def span_on(self, page: int, length: int) -> tuple[int, int] | None:
        """Return the selected characters of a page whose text proper has `length` of them."""
        if not self or page not in self.pages():
            return None
        start = self.first.offset if page == self.first.page else 0
        end = self.last.offset if page == self.last.page else length
        return (start, end) if start < end else None

    def text(self, layers: Mapping[int, TextLayer]) -> str:
        """Return the selected text as it is copied; pages without known text are left out."""
        parts = []
        for page in self.pages():
            layer = layers.get(page)
            span = self.span_on(page, layer.body_end) if layer is not None else None
            if layer is not None and span is not None:
                parts.append(layer.text[span[0] : span[1]].strip("\n"))
        return "\n".join(parts)
