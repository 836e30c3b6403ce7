"""Passages: the pieces of a paper that are searched, quoted and marked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Quad:
    """Four corners in PDF user space (points, origin bottom left, before /Rotate).

    Order as PDF viewers write `QuadPoints`: upper left, upper right, lower left,
    lower right of the text as it reads.
    """

    ul: Point
    ur: Point
    ll: Point
    lr: Point

    def as_list(self) -> list[float]:
        """Return the eight numbers in order, as `QuadPoints` has them."""
        return [*self.ul, *self.ur, *self.ll, *self.lr]

    def as_json(self) -> list[float]:
        """Return the eight numbers to a thousandth of a point, which is finer than any eye."""
        return [round(number, 3) for number in self.as_list()]

    @classmethod
    def from_list(cls, numbers: list[float]) -> Quad:
        """Read the eight numbers that `as_list` gives."""
        x0, y0, x1, y1, x2, y2, x3, y3 = numbers
        return cls((x0, y0), (x1, y1), (x2, y2), (x3, y3))


@dataclass(frozen=True, slots=True)
class TextLine:
    """One printed line of a passage: characters `[start, end)` of its text, and where."""

    start: int
    end: int
    quad: Quad


class PassageKind(StrEnum):
    """What a passage is set as in the paper."""

    TEXT = "text"
    ABSTRACT = "abstract"
    TABLE = "table"
    CAPTION = "caption"
    REFERENCES = "references"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one page, never crossing a section, with its place in the file.

    `text` is clean (hyphens joined, ligatures expanded); `start` and `end` are its
    character span in the clean text of the page; `lines` map parts of `text` to
    quads and are empty for papers without pages (Markdown). `prefix` and `suffix`
    are up to 32 characters of page text before and after, for re-anchoring.
    """

    page: PageIndex
    page_label: PageLabel
    start: int
    end: int
    text: str
    section: str
    kind: PassageKind = PassageKind.TEXT
    lines: tuple[TextLine, ...] = ()
    prefix: str = ""
    suffix: str = ""

    @property
    def quads(self) -> tuple[Quad, ...]:
        """All line quads, in reading order."""
        return tuple(line.quad for line in self.lines)


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage found by a search, with the paper it belongs to and its score (higher is better)."""

    passage_id: PassageId
    paper_id: PaperId
    file_id: FileId
    title: str
    passage: Passage
    score: float
