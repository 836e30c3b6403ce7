"""What an opened PDF says of itself: metadata, outline, labels and its first printed lines.

Plain values made by `inspect` in the worker, read by `recognise` and by the window.
Boxes are in points on the upright page, origin top left, as printed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of characters in one font. `raised` marks superscripts, such as footnote marks."""

    text: str
    size: float
    bold: bool = False
    italic: bool = False
    raised: bool = False


@dataclass(frozen=True, slots=True)
class InspectedLine:
    """One printed line as MuPDF sees it; `direction` is (1, 0) for upright text."""

    spans: tuple[Span, ...]
    box: Box
    direction: tuple[float, float] = (1.0, 0.0)
    baseline: float = 0.0
    """Where the characters stand, from the top; tall signs and raised marks do not move it."""

    @property
    def text(self) -> str:
        """All characters of the line."""
        return "".join(span.text for span in self.spans)

    @property
    def upright(self) -> bool:
        """Whether the line reads from left to right."""
        return self.direction[0] > 0.99


@dataclass(frozen=True, slots=True)
class InspectedPage:
    """The lines of one page, in the order of its content stream."""

    index: int
    width: float
    height: float
    lines: tuple[InspectedLine, ...]


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A bookmark: level from 1, title, zero-based page (None where it points nowhere)."""

    level: int
    title: str
    page: int | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything a decision about an opened file needs, as plain values.

    `pages` are the first few pages; `text_lengths` gives the number of printed
    characters for a sample of page indexes over the whole file.
    """

    page_count: int
    labels: tuple[str, ...] = ()
    outline: tuple[OutlineItem, ...] = ()
    info: dict[str, str] = field(default_factory=dict)
    xmp: dict[str, tuple[str, ...]] = field(default_factory=dict)
    encrypted: bool = False
    pages: tuple[InspectedPage, ...] = ()
    text_lengths: dict[int, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """Pages and parts that could not be read, in words for a log."""

    def as_json(self) -> dict[str, Any]:
        """Return plain values that `from_json` reads."""
        return {
            "page_count": self.page_count,
            "labels": list(self.labels),
            "outline": [[item.level, item.title, item.page] for item in self.outline],
            "info": dict(self.info),
            "xmp": {key: list(values) for key, values in self.xmp.items()},
            "encrypted": self.encrypted,
            "pages": [
                {
                    "index": page.index,
                    "width": page.width,
                    "height": page.height,
                    "lines": [
                        [
                            [[s.text, s.size, s.bold, s.italic, s.raised] for s in line.spans],
                            list(line.box),
                            list(line.direction),
                            line.baseline,
                        ]
                        for line in page.lines
                    ],
                }
                for page in self.pages
            ],
            "text_lengths": {str(page): length for page, length in self.text_lengths.items()},
            "problems": list(self.problems),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Inspection:
        """Read what `as_json` gives."""
        return cls(
            page_count=value["page_count"],
            labels=tuple(value["labels"]),
            outline=tuple(OutlineItem(*item) for item in value["outline"]),
            info=dict(value["info"]),
            xmp={key: tuple(values) for key, values in value["xmp"].items()},
            encrypted=value["encrypted"],
            pages=tuple(
                InspectedPage(
                    index=page["index"],
                    width=page["width"],
                    height=page["height"],
                    lines=tuple(
                        InspectedLine(tuple(Span(*span) for span in spans), _box(box), (d[0], d[1]), baseline)
                        for spans, box, d, baseline in page["lines"]
                    ),
                )
                for page in value["pages"]
            ),
            text_lengths={int(page): length for page, length in value["text_lengths"].items()},
            problems=tuple(value["problems"]),
        )


def _box(numbers: list[float]) -> Box:
    x0, y0, x1, y1 = numbers
    return x0, y0, x1, y1
