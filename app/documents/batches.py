"""What extraction sends, batch after batch (plain values, shared by worker and client)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.documents.page_text import line_from_json, lines_as_json
from app.records.ids import PageIndex, PageLabel
from app.records.passage import Passage, PassageKind


class PageState(StrEnum):
    """Why a page gave no passages."""

    EMPTY = "empty"
    """No text layer: a blank page or a scan."""
    GARBAGE = "garbage"
    """Its text is not what is printed (fonts without a map to Unicode)."""
    FAILED = "failed"
    """It could not be read, or reading it did not end."""


@dataclass(frozen=True, slots=True)
class PageNote:
    """A page that gave no passages, and why."""

    page: PageIndex
    state: PageState
    message: str = ""


@dataclass(frozen=True, slots=True)
class PageBatch:
    """The pages `first` to `last` (both included) of `total`.

    `markdown` and `lengths` (characters of text) have an entry per page. The contextual
    header of a passage, "title | section", is for the caller, who knows the title.
    """

    first: PageIndex
    last: PageIndex
    total: int
    passages: tuple[Passage, ...]
    notes: tuple[PageNote, ...] = ()
    markdown: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain values to send between processes."""
        return {
            "first": self.first,
            "last": self.last,
            "total": self.total,
            "passages": [passage_as_json(passage) for passage in self.passages],
            "notes": [[note.page, note.state.value, note.message] for note in self.notes],
            "markdown": list(self.markdown),
            "lengths": list(self.lengths),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> PageBatch:
        """Read what `as_json` gives."""
        return cls(
            first=PageIndex(values["first"]),
            last=PageIndex(values["last"]),
            total=values["total"],
            passages=tuple(passage_from_json(passage) for passage in values["passages"]),
            notes=tuple(
                PageNote(PageIndex(p), PageState(state), message) for p, state, message in values["notes"]
            ),
            markdown=tuple(values["markdown"]),
            lengths=tuple(values["lengths"]),
        )


def passage_as_json(passage: Passage) -> list[Any]:
    """Return a passage as plain values."""
    return [
        passage.page,
        passage.page_label,
        passage.start,
        passage.text,
        passage.section,
        passage.kind.value,
        [lines_as_json(line) for line in passage.lines],
        passage.prefix,
        passage.suffix,
    ]


def passage_from_json(values: list[Any]) -> Passage:
    """Read what `passage_as_json` gives."""
    page, label, start, text, section, kind, lines, prefix, suffix = values
    return Passage(
        page=PageIndex(page),
        page_label=PageLabel(label),
        start=start,
        end=start + len(text),
        text=text,
        section=section,
        kind=PassageKind(kind),
        lines=tuple(line_from_json(line) for line in lines),
        prefix=prefix,
        suffix=suffix,
    )
