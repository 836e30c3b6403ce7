"""Printed lines put together: pieces of one line joined, sizes and styles judged."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.documents.inspection import Box, InspectedLine, InspectedPage, Span

MARKS = "*∗⋆★☆†‡§¶‖#$◦•✉✝⊥∥♯¹²³⁴⁵⁶⁷⁸⁹⁰"
"""Signs that lead to a footnote or an affiliation."""

_MARK_TEXT = re.compile(rf"^[\s,;.\d{re.escape(MARKS)}a-zα-ω()\[\]+&-]*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line, its pieces joined where the gap is that of a word space."""

    spans: tuple[Span, ...]
    box: Box
    size: float
    bold: bool
    italic: bool

    @property
    def text(self) -> str:
        """All words with single spaces."""
        return tidy("".join(span.text for span in self.spans))

    @property
    def height(self) -> float:
        """Height of the box in points."""
        return self.box[3] - self.box[1]

    @property
    def centre(self) -> float:
        """Middle of the line, from the left edge of the page."""
        return (self.box[0] + self.box[2]) / 2


def tidy(text: str) -> str:
    """Return the text with single spaces and none at its ends."""
    return re.sub(r"\s+", " ", text).strip()


def is_mark(span: Span, size: float) -> bool:
    """Whether a span is a footnote or affiliation mark in a line of this size."""
    small = span.raised or span.size < 0.82 * size
    if small and _MARK_TEXT.match(span.text):
        return True
    text = span.text.strip()
    return any(map(is_sign, text)) and all(is_sign(c) or c in ", " for c in text)


def is_sign(char: str) -> bool:
    """Whether a character is a sign that marks a footnote: a symbol that no name holds."""
    return char in MARKS or (unicodedata.category(char) in {"So", "Sm"} and char not in "~|+<=>")


def name_list(line: Line) -> str:
    """Return the words of a line with commas for its marks: how a list of authors reads."""
    return tidy("".join(", " if is_mark(span, line.size) else span.text for span in line.spans))


def upright_lines(page: InspectedPage) -> list[Line]:
    """Return the lines that read left to right, from top to bottom, line numbers left out."""
    pieces = [line for line in page.lines if line.upright and not _line_number(line, page)]
    pieces.sort(key=lambda line: (line.baseline, line.box[0]))
    rows: list[list[InspectedLine]] = []
    for piece in pieces:
        if rows and _same_row(rows[-1], piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [line for row in rows for line in _joined(sorted(row, key=lambda piece: piece.box[0]))]


def body_size(pages: Iterable[InspectedPage]) -> float:
    """Return the size in which most of the text is set."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            if line.upright and len(line.text) > 30:
                for span in line.spans:
                    sizes[span.size] += len(span.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _line_number(line: InspectedLine, page: InspectedPage) -> bool:
    """Margin numbers of referee manuscripts: lone small digits outside the text."""
    outside = line.box[2] < 0.09 * page.width or line.box[0] > 0.93 * page.width
    return outside and line.text.strip().isdigit()


def _same_row(row: Sequence[InspectedLine], piece: InspectedLine) -> bool:
    """Whether a piece stands on the row, or is raised above its baseline as marks are."""
    spans = [_band(line) for line in row]
    top, bottom = min(band[0] for band in spans), max(band[1] for band in spans)
    a, b = _band(piece)
    return min(bottom, b) - max(top, a) > 0.55 * min(bottom - top, b - a)


def _band(line: InspectedLine) -> tuple[float, float]:
    """The height that letters of the line's size take; signs such as roots reach far beyond."""
    size = _size([line])
    return max(line.box[1], line.baseline - 0.75 * size), min(line.box[3], line.baseline + 0.25 * size)


def _joined(row: Sequence[InspectedLine]) -> Iterable[Line]:
    run: list[InspectedLine] = []
    for piece in row:
        if run and _apart(run, piece):
            yield _line(run)
            run = []
        run.append(piece)
    if run:
        yield _line(run)


def _apart(run: Sequence[InspectedLine], piece: InspectedLine) -> bool:
    """Whether a piece on the same height belongs to another column."""
    gap = piece.box[0] - max(line.box[2] for line in run)
    a, b = _size(run), _size([piece])
    other_style = not 0.7 < a / (b or 1) < 1.4 and not is_mark(piece.spans[0], a)
    return gap > (0.6 if other_style else 1.6) * min(a, b)


def _line(run: Sequence[InspectedLine]) -> Line:
    size = _size(run)
    spans: list[Span] = []
    for before, piece in zip([None, *run[:-1]], run, strict=True):
        if before is not None:
            # a wide gap separates names; tidied text shows one space for both
            wide = piece.box[0] - before.box[2] > 0.8 * size
            spans.append(Span("   " if wide else " ", size))
        spans += piece.spans
    letters = [(span, sum(c.isalnum() for c in span.text)) for span in spans if not is_mark(span, size)]
    total = sum(count for _, count in letters) or 1
    boxes = [piece.box for piece in run]
    return Line(
        spans=tuple(spans),
        box=(min(b[0] for b in boxes), min(b[1] for b in boxes),
             max(b[2] for b in boxes), max(b[3] for b in boxes)),
        size=size,
        bold=sum(count for span, count in letters if span.bold) > 0.6 * total,
        italic=sum(count for span, count in letters if span.italic) > 0.6 * total,
    )  # fmt: skip


def _size(run: Sequence[InspectedLine]) -> float:
    """The largest size that sets a tenth of the letters: small capitals do not make a line small."""
    counts: Counter[float] = Counter()
    for piece in run:
        for span in piece.spans:
            if not span.raised:
                counts[span.size] += sum(c.isalnum() for c in span.text)
    total = sum(counts.values())
    sizes = [size for size, count in counts.items() if count and count >= 0.1 * total]
    return max(sizes, default=max((span.size for piece in run for span in piece.spans), default=0.0))
