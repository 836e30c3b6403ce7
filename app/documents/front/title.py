"""The title as printed on the first page: found by size, weight and place, mended to one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.front.lines import MARKS, Line, is_mark, name_list, tidy
from app.documents.front.words import is_address, is_furniture, names_in
from app.documents.hyphens import Vocabulary, joint
from app.documents.inspection import Span

_LONGEST = 400
_FEWEST = 3
_MOST_LINES = 7
_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.)\s+[A-Z]")
_RUNNING_HEAD = re.compile(r"^\s*\d{1,4} {3}|\s{3}\d{1,4}\s*$")
"""A page number, a wide gap, words: the head of a page inside a paper."""
_ABSTRACT = re.compile(r"\W*a\s?b\s?s\s?t\s?r\s?a\s?c\s?t\b", re.IGNORECASE)
_CJK = re.compile(r"[\u3400-\u9fff]")
_CAPTION = re.compile(r"^(?:fig(?:ure)?|table|tab)\.?\s*\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PrintedTitle:
    """The title's words and the lines of the page that hold it."""

    text: str
    lines: tuple[Line, ...]


def printed_title(lines: Sequence[Line], body: float, height: float) -> PrintedTitle | None:
    """Return the title among the upright lines of a page, or None where nothing stands out.

    `body` is the size of running text, `height` that of the page, both in points.
    """
    blocks = [block for block in _blocks(lines) if _possible(block, lines, body, height)]
    if not blocks:
        return None
    scored = [(_score(block, lines, body, height), -number) for number, block in enumerate(blocks)]
    if _abstract_below(blocks[0], lines):
        scored[0] = (1.08 * scored[0][0], 0)
    score, number = max(scored)
    if score < _LEAST:
        return None
    block = _extended(blocks[-number], lines, body)
    text = _words(block, lines)
    return PrintedTitle(text, tuple(block)) if sum(map(str.isalpha, text)) >= _FEWEST else None


_LEAST = 1.12
"""Below this a block stands out no more than running text does."""


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines of one size and weight that follow one another closely, column by column."""
    blocks: list[list[Line]] = []
    for line in lines:
        block = next((b for b in reversed(blocks[-8:]) if _continues(b[-1], line)), None)
        if block is None:
            blocks.append([line])
        else:
            block.append(line)
    return blocks


def _continues(a: Line, b: Line) -> bool:
    same = abs(a.size - b.size) <= 0.04 * a.size and a.bold == b.bold
    return same and -0.6 * a.size < b.box[1] - a.box[3] < 1.05 * a.size and _overlap(a, b) > 0


def _overlap(a: Line, b: Line) -> float:
    return min(a.box[2], b.box[2]) - max(a.box[0], b.box[0])


def _possible(block: Sequence[Line], lines: Sequence[Line], body: float, height: float) -> bool:
    text = tidy(" ".join(line.text for line in block))
    letters = sum(c.isalpha() for c in text)
    size = block[0].size
    least = 3 if _CJK.search(text) or size > 1.8 * body else 5
    if letters < max(least, 0.5 * len(text.replace(" ", ""))) or len(text) > _LONGEST:
        return False
    if len(block) > _MOST_LINES or is_furniture(text) or _CAPTION.match(text):
        return False
    if size < 1.3 * body and is_address(text):
        return False
    if size < 1.3 * body and _NUMBERED.match(text) and lines.index(block[0]) > 3:
        return False
    if block[0] in lines[:2] and _RUNNING_HEAD.search("".join(span.text for span in block[0].spans)):
        return False
    lowest = 0.66 if size > 1.3 * body else 0.5
    return size >= 0.97 * body and block[0].box[1] <= lowest * height


def _score(block: Sequence[Line], lines: Sequence[Line], body: float, height: float) -> float:
    text = " ".join(line.text for line in block)
    bold, capitals = block[0].bold, text.isupper()
    ratio = block[0].size / body if body else 1.0
    score = min(ratio, 2.2) * (1.0 - 0.3 * block[0].box[1] / height)
    score *= 1.18 if bold else 1.0
    score *= 1.1 if capitals else 1.0
    score *= 1.12 if _centred(block, lines) else 1.0
    score *= 1.15 if _leads_to_names(block, lines) else 1.0
    if len(text.split()) < 3 and not re.search(r"[\u3400-\u9fff]{5}", text):
        score *= 0.85
    if ratio < 1.1 and not bold and not capitals and (text.endswith((".", ",", ";")) or len(block) > 4):
        score *= 0.75
    if names_in(text):
        score *= 0.9
    return score


def _centred(block: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Whether the block stands centred over what the page holds."""
    left = min(line.box[0] for line in lines)
    right = max(line.box[2] for line in lines)
    middle, width = (left + right) / 2, right - left
    inside = [line for line in block if line.box[2] - line.box[0] < 0.97 * width]
    return bool(inside) and all(abs(line.centre - middle) < 0.03 * width for line in inside)


def _abstract_below(block: Sequence[Line], lines: Sequence[Line]) -> bool:
    return any(_ABSTRACT.match(line.text) and line.box[1] > block[-1].box[3] for line in lines)


def _leads_to_names(block: Sequence[Line], lines: Sequence[Line]) -> bool:
    below = [line for line in lines if line.box[1] > block[-1].box[3] - 2 and _overlap(line, block[-1]) > 0]
    return any(names_in(name_list(line)) for line in below[:2])


def _extended(block: Sequence[Line], lines: Sequence[Line], body: float) -> list[Line]:
    """Take in a subtitle below and a first part above that are set alike but in another size."""
    title = list(block)
    for line in lines:
        if line.box[1] > title[-1].box[1] and _belongs(title[-1], line, body):
            title.append(line)
    for line in reversed(lines):
        if line.box[1] < title[0].box[1] and _belongs(title[0], line, body):
            title.insert(0, line)
    return title


def _belongs(inner: Line, outer: Line, body: float) -> bool:
    gap = max(outer.box[1] - inner.box[3], inner.box[1] - outer.box[3])
    return (
        inner.bold
        and outer.bold
        and outer.size > 1.2 * body
        and gap < 1.4 * outer.size
        and _overlap(inner, outer) > 0
        and not is_furniture(outer.text)
        and not names_in(name_list(outer))
    )


def _words(block: Sequence[Line], page: Sequence[Line]) -> str:
    words = Vocabulary.of_lines(line.text for line in page)
    text = ""
    for number, line in enumerate(block, start=1):
        printed = _title_line(line, last=number == len(block))
        how = joint(text, printed, words)
        text = text[: len(text) - how.drop] + how.separator + printed
    text = re.sub(rf"\s*[{re.escape(MARKS)}]+\s*$", "", tidy(text))
    text = re.sub(r"\s+([,:;])", r"\1", text)
    return text.removesuffix(".") if not text.endswith("..") else text


def _leads_away(span: Span, size: float) -> bool:
    return is_mark(span, size) and bool(span.text.strip(" +-\u2212"))


def _sign(span: Span, size: float) -> bool:
    """Whether a span is a footnote sign; a digit may belong to the title."""
    return is_mark(span, size) and bool(span.text.strip()) and not span.text.strip(MARKS + ", ")


def _title_line(line: Line, *, last: bool) -> str:
    """A line's words; raised signs go, raised digits stay (isotopes) unless they end the title."""
    spans = [span for span in line.spans if not _sign(span, line.size)]
    # a charge ("H⁺") belongs to the title, a number or letter behind it does not
    while last and spans and (not spans[-1].text.strip(" .") or _leads_away(spans[-1], line.size)):
        spans.pop()
    # a report number in tiny type may share the title's last line
    return tidy("".join(span.text for span in spans if span.raised or span.size >= 0.5 * line.size))
