"""Answering without a model: the sentences of the best passages that speak to the question. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from app.records import sentences, support
from app.records.answer import Citation, Sentence
from app.records.passage import PassageHit, PassageKind
from app.services.verify import cite

MAX_QUOTES = 3
_MAX_CHARS = 600


def quotes(question: str, hits: Sequence[PassageHit], labels: Sequence[str]) -> tuple[Sentence, ...]:
    """Return up to three quotes, each a sentence or two of one passage, word for word, with its citation.

    The words of the question count by how rare they are among the passages; a
    passage that shares none of them gives its first sentence, so that an answer
    found by meaning alone is still shown.
    """
    wanted = support.content_words(question)
    rarity = _rarity(wanted, hits)
    scored = []
    for rank, (hit, name) in enumerate(zip(hits, labels, strict=True)):
        if hit.passage.kind is PassageKind.REFERENCES:
            continue
        score, span = _best_span(hit.passage.text, wanted, rarity)
        if span is not None:
            scored.append((score / (1 + 0.15 * rank), -rank, cite(hit, name, span)))
    scored.sort(key=lambda entry: entry[:2], reverse=True)
    chosen: list[Citation] = []
    for _score, _rank, citation in scored:
        if all(citation.quote != other.quote for other in chosen):
            chosen.append(citation)
    return tuple(Sentence(citation.quote, (citation,)) for citation in chosen[:MAX_QUOTES])


def _rarity(wanted: set[str], hits: Sequence[PassageHit]) -> dict[str, float]:
    counts = Counter(word for hit in hits for word in wanted & support.content_words(hit.passage.text))
    return {word: math.log(1 + len(hits) / (0.5 + counts[word])) for word in wanted}


def _best_span(text: str, wanted: set[str], rarity: dict[str, float]) -> tuple[float, tuple[int, int] | None]:
    best_score, best_span = -1.0, None
    spans = [s for s in sentences.split(text) if not text[s[0] : s[1]].endswith("?")]
    for first, (start, _) in enumerate(spans):
        for last in range(first, min(first + 2, len(spans))):
            end = spans[last][1]
            if end - start > _MAX_CHARS and last > first:
                break
            words = support.content_words(text[start:end])
            # A second sentence must earn its place: longer stretches are discounted.
            score = sum(rarity[w] for w in wanted & words) / (1 + 0.25 * (last - first))
            if score > best_score:
                best_score, best_span = score, (start, min(end, start + _MAX_CHARS))
    return best_score, best_span
