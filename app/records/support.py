"""Whether a stretch of a paper proves a sentence: a strict test without any model.

Proof here is mechanical and errs on the side of doubt. The content words of the
sentence must stand in the stretch, so must its numbers (`quantities`) and its
names, and the two may not differ in negation or in direction ("larger" for
"smaller"). What passes may still be a bad summary; what fails is never shown as
proven. See `literature.md` §2, 40-41 for the public failures this guards against.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.records import quantities, sentences
from app.records.text import fold

MIN_COVERAGE = 0.7
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[㐀-鿿]")
_NAME = re.compile(r"(?<![\w-])(?:[A-Z][A-Za-z]*[-−–]?\d[\w.]*|[A-ZÀ-Þ][\w'’-]+|[A-Z]{2,})")
_STOP = frozenset(
    """a an the this that these those of in on at by for from to with without within into onto as is are was
    were be been being it its they them their there here and or but if then than so such which who whose what
    when where while we our us i you he she his her has have had do does did can could may might will would
    shall should must also only very more most both each any all some using used use found find finds shows
    show shown paper study authors work passage passages according based given about between after before over
    under through during per via et al however therefore thus""".split()
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|without|n't|fail(?:s|ed)?)\b|n['’]t\b|不|没有|無|无",
    re.IGNORECASE,
)
_OPPOSITES = [
    tuple(pair.split("/"))
    for pair in """increas/decreas higher/lower larger/smaller more/less above/below bright/faint blue/red
    older/younger hotter/cooler positive/negative upper/lower maximum/minimum longer/shorter faster/slower
    rich/poor agree/disagree consistent/inconsistent overestimat/underestimat before/after northern/southern
    early/late strong/weak""".split()
]


@dataclass(frozen=True, slots=True)
class Support:
    """A stretch `[start, end)` of the source that proves a sentence, and the share of its words there."""

    start: int
    end: int
    coverage: float


def content_words(text: str) -> set[str]:
    """Return the folded, lightly stemmed words that carry meaning; single CJK characters count as words."""
    words = (w for w in _WORD.findall(fold(text)) if w not in _STOP)
    return {_stem(w) for w in words if len(w) > 2 or "㐀" <= w <= "鿿"}


def _stem(word: str) -> str:
    for ending in (
        "ational",
        "ations",
        "ation",
        "ingly",
        "edly",
        "ings",
        "ing",
        "ies",
        "ied",
        "es",
        "ed",
        "ly",
        "s",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word.rstrip("e") if len(word) > 4 else word


def best(sentence: str, source: str, *, context: str = "") -> Support | None:
    """Return the stretch of one to three sentences of `source` that proves `sentence`, or None.

    `context` (the paper's title and section) may supply names that the stretch
    itself does not repeat; it never supplies numbers. The shortest of the best
    covering stretches wins.
    """
    wanted = content_words(sentence)
    if not wanted:
        return None
    spans = sentences.split(source)
    found: list[Support] = []
    for first in range(len(spans)):
        for last in range(first, min(first + 3, len(spans))):
            start, end = spans[first][0], spans[last][1]
            stretch = source[start:end]
            coverage = len(wanted & content_words(stretch)) / len(wanted)
            if coverage >= MIN_COVERAGE and proves(sentence, stretch, context=context):
                found.append(Support(start, end, coverage))
    return max(found, key=lambda s: (round(s.coverage, 1), s.start - s.end), default=None)


def proves(sentence: str, stretch: str, *, context: str = "") -> bool:
    """Whether numbers, names, negation and direction of `sentence` agree with `stretch`."""
    return (
        not quantities.missing(sentence, stretch)
        and _names_stand(sentence, f"{stretch} {context}")
        and _same_negation(sentence, stretch)
        and not _turned_round(sentence, stretch)
    )


def _names_stand(sentence: str, source: str) -> bool:
    known = fold(source)
    first_word = re.match(r"\W*([A-Z][a-z]+)\b", sentence)
    ordinary_start = first_word is not None and fold(first_word[1]) in _STOP | {"fourier"}
    for match in _NAME.finditer(sentence):
        name = fold(match.group()).rstrip("'’s")
        if (match.start() <= 1 and ordinary_start) or name in known or name in _STOP:
            continue
        if match.start() <= 1 and match.group().isalpha() and _stem(name) in content_words(source):
            continue
        return False
    return True


def _same_negation(sentence: str, stretch: str) -> bool:
    return bool(_NEGATION.search(sentence)) <= bool(_NEGATION.search(stretch)) and (
        bool(_NEGATION.search(sentence)) or not _negated_overlap(sentence, stretch)
    )


def _negated_overlap(sentence: str, stretch: str) -> bool:
    """Whether every sentence of the stretch that carries the claim's words is a negated one."""
    wanted = content_words(sentence)
    pieces = [stretch[a:b] for a, b in sentences.split(stretch)]
    carriers = [p for p in pieces if len(wanted & content_words(p)) * 2 >= len(wanted)]
    return bool(carriers) and all(_NEGATION.search(p) for p in carriers)


def _turned_round(sentence: str, stretch: str) -> bool:
    ours, theirs = fold(sentence), fold(stretch)
    for pair in _OPPOSITES:
        for said, printed in (pair, pair[::-1]):
            if (
                _has(said, ours)
                and not _has(printed, ours)
                and _has(printed, theirs)
                and not _has(said, theirs)
            ):
                return True
    return False


def _has(stem: str, text: str) -> bool:
    return re.search(rf"\b{stem}", text) is not None
