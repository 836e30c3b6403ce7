"""Find words in a document: page by page from where the reader is, all hits kept in reading order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass

from app.records.passage import Quad
from app.records.text import FoldedText, fold

LEAST = 2
"""Shorter words are not looked for."""

MOST_ON_A_PAGE = 500


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """Characters `[start, end)` of the clean text of a page."""

    page: int
    start: int
    end: int
    quads: tuple[Quad, ...] = ()


def occurrences(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Yield the spans where `words` stand; case, hyphens, ligatures and spaces do not count."""
    wanted = fold(words)
    if len(wanted) < LEAST:
        return
    folded = FoldedText(text)
    at = folded.text.find(wanted)
    count = 0
    while at >= 0 and count < MOST_ON_A_PAGE:
        yield folded.raw_span(at, at + len(wanted))
        at = folded.text.find(wanted, at + len(wanted))
        count += 1


def page_order(pages: int, start: int) -> Iterator[int]:
    """Yield all pages, from `start` to the end and then from the front."""
    yield from range(start, pages)
    yield from range(start)


class Hits:
    """The hits so far and which of them is shown."""

    def __init__(self) -> None:
        self.all: list[Hit] = []
        self.current: Hit | None = None

    def add(self, hit: Hit) -> None:
        """Take in a hit, in whatever order pages are searched."""
        insort(self.all, hit)

    @property
    def number(self) -> int:
        """Which one is shown, counted from 1; 0 for none."""
        return 0 if self.current is None else bisect_left(self.all, self.current) + 1

    def step(self, ahead: bool) -> Hit | None:
        """Go to the next or the previous hit, around the ends."""
        if not self.all:
            return None
        if self.current is None:
            self.current = self.all[0] if ahead else self.all[-1]
        else:
            at = bisect_left(self.all, self.current) + (1 if ahead else -1)
            self.current = self.all[at % len(self.all)]
        return self.current

    def first_from(self, page: int) -> Hit | None:
        """Show the first hit on or after a page."""
        self.current = next((hit for hit in self.all if hit.page >= page), self.all[0] if self.all else None)
        return self.current
