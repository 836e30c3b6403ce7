"""Printed lines with the place of every character, before anything is judged.

Made from MuPDF's "rawdict" in two spaces: *reading space* (the page turned so that most
of its text runs left to right, y downwards), in which all decisions are taken, and PDF
user space, in which quads are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.documents.clean import CleanLine, clean_line
from app.documents.geometry import Affine
from app.records.passage import Quad

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in reading space."""

_BOLD_FLAG, _ITALIC_FLAG = 16, 2
_UPRIGHT = 0.99

_TURNS = {
    (1, 0): Affine(1, 0, 0, 1, 0, 0),
    (0, -1): Affine(0, 1, -1, 0, 0, 0),
    (-1, 0): Affine(-1, 0, 0, -1, 0, 0),
    (0, 1): Affine(0, -1, 1, 0, 0, 0),
}
"""Per direction of text on the page, the turn that makes it run to the right."""


@dataclass(frozen=True, slots=True)
class Line:
    """A run of characters on one baseline, cleaned; every character has the box of its glyph."""

    text: str
    boxes: tuple[Box, ...]
    box: Box
    size: float
    bold: bool = False
    italic: bool = False
    direction: tuple[float, float] = (1.0, 0.0)
    """Where the text runs in reading space; (1, 0) for all but side notes and watermarks."""
    order: int = 0
    """Place in the content of the page."""
    font: str = ""

    @property
    def upright(self) -> bool:
        """Whether the line runs as most of the page does."""
        return self.direction[0] > _UPRIGHT

    @property
    def height(self) -> float:
        """Height of the line's box."""
        return self.box[3] - self.box[1]

    @property
    def middle(self) -> float:
        """Height on the page of the line's middle."""
        return (self.box[1] + self.box[3]) / 2


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """All lines of a page in content order, and how reading space maps to user space."""

    lines: tuple[Line, ...]
    width: float
    height: float
    to_user: Affine
    upright: bool = True
    """Whether most text runs to the right on the page as it is without /Rotate."""
    raw: Counter[str] = field(default_factory=Counter)
    """How often each character stood in the file, before cleaning: what quality is judged by."""


def read_glyphs(raw: Mapping[str, Any], unrotated_to_user: Affine) -> PageGlyphs:
    """Read a "rawdict" of the page as it is without /Rotate.

    `unrotated_to_user` maps MuPDF's coordinates of that page to PDF user space.
    """
    raw_lines = [line for block in raw["blocks"] if block["type"] == 0 for line in block["lines"]]
    direction = _main_direction(raw_lines)
    turn = _TURNS[direction]
    corners = [turn.apply((x, y)) for x in (0.0, raw["width"]) for y in (0.0, raw["height"])]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    turn = turn.then(Affine(1, 0, 0, 1, -left, -top))
    counted: Counter[str] = Counter()
    lines = []
    for order, raw_line in enumerate(raw_lines):
        counted.update([glyph["c"] for span in raw_line["spans"] for glyph in span["chars"]])
        line = _line(raw_line, turn, order)
        if line is not None:
            lines.append(line)
    return PageGlyphs(
        lines=tuple(lines),
        width=max(x for x, _ in corners) - left,
        height=max(y for _, y in corners) - top,
        to_user=turn.inverse().then(unrotated_to_user),
        upright=direction == (1, 0),
        raw=counted,
    )


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around boxes, of which there must be one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def quad_of(boxes: Sequence[Box], to_user: Affine, direction: tuple[float, float] = (1.0, 0.0)) -> Quad:
    """Return the quad in user space around glyph boxes of one line that runs in `direction`."""
    x0, y0, x1, y1 = around(boxes)
    corners = [to_user.apply(p) for p in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    turned = round(direction[0]), round(direction[1])
    first = {(0, 1): 1, (-1, 0): 2, (0, -1): 3}.get(turned, 0)
    upper_left, upper_right, lower_right, lower_left = corners[first:] + corners[:first]
    return Quad(upper_left, upper_right, lower_left, lower_right)


def _main_direction(raw_lines: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    weight: Counter[tuple[int, int]] = Counter()
    for line in raw_lines:
        x, y = line["dir"]
        if max(abs(x), abs(y)) > _UPRIGHT:
            weight[round(x), round(y)] += sum(len(span["chars"]) for span in line["spans"])
    return weight.most_common(1)[0][0] if weight else (1, 0)


def _line(raw_line: Mapping[str, Any], turn: Affine, order: int) -> Line | None:
    spans = raw_line["spans"]
    glyphs = [glyph for span in spans for glyph in span["chars"]]
    plain = turn.b == 0 and turn.c == 0 and turn.a == 1 and turn.d == 1
    boxes = [g["bbox"] for g in glyphs] if plain else [_turned(g["bbox"], turn) for g in glyphs]
    clean: CleanLine = clean_line([g["c"] for g in glyphs], boxes)
    if not clean.text:
        return None
    used = clean.boxes
    ink = [b for c, b in zip(clean.text, used, strict=True) if c != " "]
    dx, dy = raw_line["dir"]
    main = max(spans, key=lambda span: len(span["chars"]))
    bold = sum(len(s["chars"]) for s in spans if s["flags"] & _BOLD_FLAG or _bold_name(s["font"]))
    italic = sum(len(s["chars"]) for s in spans if s["flags"] & _ITALIC_FLAG)
    return Line(
        text=clean.text,
        boxes=used,
        box=around(ink),
        size=round(main["size"], 1),
        bold=bold > 0.6 * len(glyphs),
        italic=italic > 0.6 * len(glyphs),
        direction=(turn.a * dx + turn.c * dy, turn.b * dx + turn.d * dy),
        order=order,
        font=main["font"],
    )


def _bold_name(font: str) -> bool:
    name = font.lower()
    return (
        "bold" in name or "black" in name or name.startswith(("cmbx", "cmb1")) or name.endswith(("-bd", "-b"))
    )


def _turned(box: Box, turn: Affine) -> Box:
    (xa, ya), (xb, yb) = turn.apply((box[0], box[1])), turn.apply((box[2], box[3]))
    return (min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))
