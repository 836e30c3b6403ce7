"""Anchors: where a quote stands in a file, found again when the file or its text changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from app.records.ids import PageIndex
from app.records.passage import Point, Quad, TextLine
from app.records.text import FoldedText, fold

CONTEXT = 32
"""Characters of page text kept before and after a quote."""

FUZZY_LEAST = 12
"""A shorter quote is not searched by likeness: too much looks like it."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A stretch of one page: span in the clean page text, quads, words and what is around them."""

    page: PageIndex
    start: int
    end: int
    quads: tuple[Quad, ...]
    quote: str
    prefix: str = ""
    suffix: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return plain values; `quads` as lists of eight numbers."""
        return {
            "page": self.page,
            "start": self.start,
            "end": self.end,
            "quads": [quad.as_list() for quad in self.quads],
            "quote": self.quote,
            "prefix": self.prefix,
            "suffix": self.suffix,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Anchor:
        """Read what `as_json` gives."""
        return cls(
            page=PageIndex(int(value["page"])),
            start=int(value["start"]),
            end=int(value["end"]),
            quads=tuple(Quad.from_list(list(map(float, quad))) for quad in value["quads"]),
            quote=str(value["quote"]),
            prefix=str(value.get("prefix", "")),
            suffix=str(value.get("suffix", "")),
        )


def anchor_at(page: PageIndex, text: str, start: int, end: int, lines: Sequence[TextLine] = ()) -> Anchor:
    """Return the anchor of the span `[start, end)` of a page's clean text."""
    return Anchor(
        page=page,
        start=start,
        end=end,
        quads=quads_for(lines, start, end),
        quote=text[start:end],
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[end : end + CONTEXT],
    )


def find_quote(
    text: str, quote: str, *, prefix: str = "", suffix: str = "", min_score: float = 0.9
) -> tuple[int, int] | None:
    """Return the span of the quote in the text, or None.

    Tried in turn: word for word; in the folded form (ligatures, hyphenation, quotes,
    dashes, case and spaces do not count); by likeness of at least `min_score` (0 to 1;
    1 forbids it). Where the quote stands more than once, prefix and suffix decide.
    """
    if not quote.strip():
        return None
    quote = quote.strip()
    exact = _best(text, _occurrences(text, quote), prefix, suffix)
    if exact is not None:
        return exact
    folded, wanted = FoldedText(text), fold(quote)
    if not wanted:
        return None
    before, after = fold(prefix), fold(suffix)
    span = _best(folded.text, _occurrences(folded.text, wanted), before, after)
    if span is None and min_score < 1 and len(wanted) >= FUZZY_LEAST:
        span = _alike(folded.text, wanted, before, after, min_score)
    return None if span is None else folded.raw_span(*span)


def quads_for(lines: Sequence[TextLine], start: int, end: int) -> tuple[Quad, ...]:
    """Return the quads of the lines under `[start, end)`; the first and last are cut to their share."""
    return tuple(
        _cut(line, max(start, line.start), min(end, line.end))
        for line in lines
        if max(start, line.start) < min(end, line.end)
    )


def _occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    spans = []
    at = text.find(wanted)
    while at >= 0:
        spans.append((at, at + len(wanted)))
        at = text.find(wanted, at + 1)
    return spans


def _best(text: str, spans: Sequence[tuple[int, int]], prefix: str, suffix: str) -> tuple[int, int] | None:
    if len(spans) < 2 or not (prefix or suffix):
        return spans[0] if spans else None
    return max(spans, key=lambda span: (_context(text, span, prefix, suffix), -span[0]))


def _context(text: str, span: tuple[int, int], prefix: str, suffix: str) -> float:
    """How well the surroundings agree, 0 to 200."""
    before = text[max(0, span[0] - len(prefix)) : span[0]]
    after = text[span[1] : span[1] + len(suffix)]
    return fuzz.ratio(before, prefix) + fuzz.ratio(after, suffix)


def _alike(text: str, wanted: str, prefix: str, suffix: str, min_score: float) -> tuple[int, int] | None:
    """The span most like the wanted text; with context, one that also stands right wins near ties."""
    found = [span for span in _candidates(text, wanted, prefix, suffix, min_score) if span[0] < span[1]]
    scored = [(fuzz.ratio(text[s:e], wanted) / 100, (s, e)) for s, e in found]
    good = [(score, span) for score, span in scored if score >= min_score]
    if not good:
        return None
    return max(good, key=lambda item: item[0] + 0.0005 * _context(text, item[1], prefix, suffix))[1]


def _candidates(
    text: str, wanted: str, prefix: str, suffix: str, min_score: float
) -> Iterable[tuple[int, int]]:
    """Spans worth scoring: where seeds of the words gather, alone and with their surroundings."""
    for before, after in {("", ""), (prefix, suffix)}:
        whole = before + wanted + after
        slack = len(whole) // 8 + 4
        for near, end in _windows(text, whole, min_score):
            start = max(0, near - slack)
            window = text[start : end + slack]
            first, last = _mapped(whole, window, len(before), len(before) + len(wanted))
            yield start + first, start + last


_SEED = 8
_BIN = 64


def _windows(text: str, whole: str, min_score: float) -> Iterable[tuple[int, int]]:
    """Stretches of the text that share many short runs with the words, best first.

    At nine tenths of likeness some run of eight characters is always untouched, so seeds
    find every match far faster than a sliding comparison, which serves looser searches.
    """
    votes: Counter[int] = Counter()
    for i in range(0, len(whole) - _SEED + 1, 3):
        seed = whole[i : i + _SEED]
        at, seen = text.find(seed), 0
        while at >= 0 and seen < 6:
            place = (at - i) // _BIN
            votes.update((place, place + 1))
            at, seen = text.find(seed, at + 1), seen + 1
    for place, _ in votes.most_common(4):
        start = (place - 1) * _BIN
        yield max(0, start), start + 2 * _BIN + len(whole)
    if not votes or min_score < 0.85:
        found = fuzz.partial_ratio_alignment(whole, text, score_cutoff=100 * (min_score - 0.1))
        if found is not None and len(whole) <= len(text):
            yield found.dest_start, found.dest_end


def _mapped(source: str, window: str, start: int, end: int) -> tuple[int, int]:
    """Where the stretch `[start, end)` of the source lies in the window, by their alignment.

    The outermost matching runs decide; a lone matching letter at the edge is chance.
    """
    blocks = [
        (max(b.a, start), b.b + max(b.a, start) - b.a, min(b.a + b.size, end) - max(b.a, start))
        for b in Indel.editops(source, window).as_matching_blocks()
        if b.size and b.a < end and b.a + b.size > start
    ]
    solid = [b for b in blocks if b[2] >= 3] or blocks
    if not solid:
        return 0, 0
    first, last = solid[0], solid[-1]
    lead, tail = first[0] - start, end - (last[0] + last[2])
    return max(0, first[1] - lead), min(len(window), last[1] + last[2] + tail)


def _cut(line: TextLine, start: int, end: int) -> Quad:
    length = max(1, line.end - line.start)
    a, b = (start - line.start) / length, (end - line.start) / length
    quad = line.quad
    return Quad(
        _between(quad.ul, quad.ur, a), _between(quad.ul, quad.ur, b),
        _between(quad.ll, quad.lr, a), _between(quad.ll, quad.lr, b),
    )  # fmt: skip


def _between(a: Point, b: Point, share: float) -> Point:
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)
