"""Cut a stretch of text into pieces of readable size at the places where it breathes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

LONGEST = 1500
"""Most characters of a passage.

Measured on the 25 locatable questions of CosmoPaperQA (BM25, header "title | section",
share covered within 4k/8k/16k characters): 1000 64/68/80, 1500 68/76/80, 2000 56/72/80.
"""

CONTEXT = 32
"""Characters kept before and after a passage for finding it again."""

Span = tuple[int, int]

_SENTENCE_END = re.compile(r"[.?!\u3002\uff01\uff1f][\"')\]\u201d\u2019]*(?:\s+|(?<=[\u3002\uff01\uff1f]))")
_SPACE = re.compile(r"\s+")


def cut(text: str, span: Span, breaks: Sequence[int] = (), *, longest: int = LONGEST) -> list[Span]:
    """Part a span into spans of at most `longest` characters, of about the same size.

    Cuts prefer `breaks` (offsets where a paragraph starts), then sentence ends, then
    spaces. White space around the pieces is left out; nothing else is.
    """
    start, end = trimmed(text, span)
    pieces: list[Span] = []
    while end - start > longest:
        count = -(-(end - start) // longest)
        aim = start + (end - start) // count
        at = _best(text, (start, end), aim, breaks, longest=longest)
        piece = trimmed(text, (start, at))
        if piece[1] > piece[0]:
            pieces.append(piece)
        start = trimmed(text, (at, end))[0]
    if end > start:
        pieces.append((start, end))
    return pieces


def trimmed(text: str, span: Span) -> Span:
    """Return the span without white space at its ends."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def context(text: str, span: Span) -> tuple[str, str]:
    """Return the text just before and after a span."""
    start, end = span
    return text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]


def _best(text: str, span: Span, aim: int, breaks: Sequence[int], *, longest: int) -> int:
    start, end = span
    low, high = start + (aim - start) // 2, min(end, start + longest)
    paragraph = [b for b in breaks[bisect_left(breaks, low) : bisect_right(breaks, high)] if b > start]
    for places in (
        paragraph,
        [m.end() for m in _SENTENCE_END.finditer(text, low, high)],
        [m.end() for m in _SPACE.finditer(text, low, high)],
    ):
        if places:
            return min(places, key=lambda place: abs(place - aim))
    return high
