"""Fusing two rankings into one, so that the result is never worse than keywords alone.

A convex combination of scores, each scaled to 0..1 within its list; it beats reciprocal
ranks in and out of domain (arXiv 2210.11934; here: literature.md §3.3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.records import identifiers
from app.records.ids import PassageId
from app.records.passage import PassageHit

EXACT = 0.9
"""Weight of keywords for queries that name something exactly: quotes, identifiers, numbers, designations."""

PROSE = 0.5
"""Weight of keywords for everything else."""

_NUMBER = re.compile(r"\d")
_QUOTES = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')


@dataclass(frozen=True, slots=True)
class Fused:
    """A hit with its fused score and its places (from 0) in the two lists, None where it was not found."""

    hit: PassageHit
    score: float
    keyword_rank: int | None
    semantic_rank: int | None


def keyword_weight(query: str) -> float:
    """Return how much keywords count against meaning for this query, 0 to 1."""
    if len(_QUOTES.findall(query)) >= 2 or identifiers.find(query):
        return EXACT
    names = query.split()
    return EXACT if len(names) <= 4 and any(_NUMBER.search(word) for word in names) else PROSE


def fuse(
    keyword: Sequence[PassageHit], semantic: Sequence[PassageHit], *, weight: float, kept: int = 1
) -> list[Fused]:
    """Return the hits of both lists (each best first), best first, without repeats.

    `weight` is the share of the keyword score. The first `kept` keyword hits are never
    pushed below place `2 * kept`: what literally says the words is always in view. One empty
    list gives the other one's order.
    """
    by_words = {hit.passage_id: place for place, hit in enumerate(keyword)}
    by_meaning = {hit.passage_id: place for place, hit in enumerate(semantic)}
    word_scores, meaning_scores = _scaled(keyword), _scaled(semantic)
    hits = {hit.passage_id: hit for hit in (*semantic, *keyword)}
    fused = [
        Fused(
            hit,
            weight * word_scores.get(key, 0.0) + (1.0 - weight) * meaning_scores.get(key, 0.0),
            by_words.get(key),
            by_meaning.get(key),
        )
        for key, hit in hits.items()
    ]
    last = len(hits)
    fused.sort(
        key=lambda f: (
            -f.score,
            f.keyword_rank if f.keyword_rank is not None else last,
            f.semantic_rank if f.semantic_rank is not None else last,
        )
    )
    return _with_kept(fused, kept)


def _with_kept(fused: list[Fused], kept: int) -> list[Fused]:
    """Bring the first keyword hits that sank below place `2 * kept` up to there, in their order."""
    first = [f for f in fused if f.keyword_rank is not None and f.keyword_rank < kept]
    others = [f for f in fused if f.keyword_rank is None or f.keyword_rank >= kept]
    view = {f.hit.passage_id for f in (*first, *others[: max(2 * kept - len(first), 0)])}
    return sorted(fused, key=lambda f: f.hit.passage_id not in view)


def _scaled(hits: Sequence[PassageHit]) -> dict[PassageId, float]:
    """Scores from 1 for the best down to just above 0 for the worst: found is better than not found."""
    if not hits:
        return {}
    top, bottom = hits[0].score, hits[-1].score
    span = top - bottom
    if span <= 0:
        return {hit.passage_id: 1.0 for hit in hits}
    share = 1.0 / len(hits)
    return {hit.passage_id: share + (1.0 - share) * (hit.score - bottom) / span for hit in hits}
