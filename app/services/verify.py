"""Checking an answer: which sentences are proven, by which words on which page.

Pure. A citation is kept only if its quote stands word for word (after
normalisation) in the passage it names and that stretch proves the sentence
(`records.support`). Everything else is dropped, and the sentence stays unproven.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from app.records import sentences, support
from app.records.anchor import find_quote, quads_for
from app.records.answer import Citation, Sentence
from app.records.passage import PassageHit

_MARKER = re.compile(
    r"\s*\[(?P<numbers>\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*(?::\s*[\"“«](?P<quote>[^\"”»\]]{1,600})[\"”»])?\s*\]"
)
_PLACEHOLDER = re.compile(r"\[(?:n|x|number|value|passage|\.\.\.|…)\]", re.IGNORECASE)
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


def check(text: str, hits: Sequence[PassageHit], labels: Sequence[str]) -> tuple[Sentence, ...]:
    """Return the sentences of `text` with the citations that hold; passage n is `hits[n - 1]`.

    `labels` are the short names of the papers ("Riess+ 2016"), one a hit.
    """
    checked = []
    for start, end in sentences.split(text):
        raw = text[start:end]
        shown = _MARKER.sub("", raw).strip()
        claim = _LIST_MARK.sub("", shown)
        if support.content_words(claim):
            unfinished = _PLACEHOLDER.search(claim)
            checked.append(Sentence(shown, () if unfinished else _proofs(claim, raw, hits, labels)))
    return tuple(checked)


def _proofs(claim: str, raw: str, hits: Sequence[PassageHit], labels: Sequence[str]) -> tuple[Citation, ...]:
    named = []
    for match in _MARKER.finditer(raw):
        for number in re.findall(r"\d+", match["numbers"]):
            index = int(number) - 1
            if 0 <= index < len(hits):
                citation = _proof(claim, hits[index], labels[index], match["quote"])
                named += [citation] if citation else []
    if named:
        return tuple(dict.fromkeys(named))
    # Nothing the model named holds: a passage it was given may still prove the sentence.
    found = (
        _proof(claim, hit, name, None)
        for hit, name in zip(hits, labels, strict=True)
        if _may_prove(claim, hit.passage.text)
    )
    first = next((citation for citation in found if citation), None)
    return (first,) if first else ()


def _may_prove(claim: str, text: str) -> bool:
    """Whether enough words of the claim stand in the passage at all: a long conversation has a thousand."""
    wanted = _words_of(claim)
    return len(wanted & _words_of(text)) >= support.MIN_COVERAGE * len(wanted)


@lru_cache(maxsize=2048)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(support.content_words(text))


def _proof(claim: str, hit: PassageHit, name: str, quote: str | None) -> Citation | None:
    text = hit.passage.text
    context = f"{hit.title} {hit.passage.section}"
    if quote is None:
        found = support.best(claim, text, context=context)
        span = (found.start, found.end) if found else None
    else:
        # min_score 1: a quote is word for word or it is none.
        span = find_quote(text, quote, min_score=1.0)
        if span and not _quote_proves(claim, text, span, context):
            span = None
    return cite(hit, name, span) if span else None


def _quote_proves(claim: str, text: str, span: tuple[int, int], context: str) -> bool:
    """Whether the sentences around the quoted words prove the claim."""
    around = [s for s in sentences.split(text) if s[1] > span[0] and s[0] < span[1]]
    stretch = text[around[0][0] : around[-1][1]] if around else text[span[0] : span[1]]
    return support.best(claim, stretch, context=context) is not None


def cite(hit: PassageHit, name: str, span: tuple[int, int]) -> Citation:
    """Return the citation of characters `[start, end)` of the hit's passage, with its quads."""
    start, end = span
    return Citation(
        paper_id=hit.paper_id,
        file_id=hit.file_id,
        passage_id=hit.passage_id,
        title=hit.title,
        label=name,
        page=hit.passage.page,
        page_label=hit.passage.page_label,
        quote=hit.passage.text[start:end],
        quads=quads_for(hit.passage.lines, start, end),
    )
