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

MIN_COVERAGE = 0.75
_WORD = re.compile(r"[㐀-鿿]|(?:(?![㐀-鿿])[^\W\d_])+(?:['’][^\W\d_]+)?")
_NAME = re.compile(r"(?<![\w-])(?:[A-Z][A-Za-z]*[-−–]?\d[\w.]*|[A-ZÀ-Þ][\w'’-]+|[A-Z]{2,})")
_DESIGNATION = re.compile(r"\b(?P<word>[A-Z][\w.’'-]*)\s(?P<number>\d+[A-Za-z]?)\b(?![.,]\d|\s?[±%°])")
_STOP = frozenset(
    """a an the this that these those of in on at by for from to with without within into onto as is are was
    were be been being it its they them their there here and or but if then than so such which who whose what
    when where while we our us i you he she his her has have had do does did can could may might will would
    shall should must also only very more most both each any all some using used use found find finds shows
    show shown paper study authors work passage passages according based given about between after before over
    under through during per via et al however therefore thus""".split()
)
_OPENERS = frozenset(
    """additionally although because finally first furthermore hence instead like many moreover namely next
    overall second several since specifically thus together unlike""".split()
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


def answers(sentence: str, question: str) -> bool:
    """Whether the sentence is about the question and says something that the question does not.

    A weak test, for models too small to keep to the subject: half of the question's
    words, and a word or number of its own.
    """
    said, asked = content_words(sentence), content_words(question)
    about = 2 * len(said & asked) >= len(asked)
    return about and bool(said - asked or quantities.missing(sentence, question))


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
    known = fold(f"{stretch} {context}")
    designations = [m for m in _DESIGNATION.finditer(sentence) if _is_designation(m, sentence)]
    values = sentence
    for match in designations:
        values = values.replace(match.group(), " " * len(match.group()))
    return (
        all(fold(match.group()) in known for match in designations)
        and not quantities.missing(values, stretch)
        and _names_stand(sentence, known)
        and _same_negation(sentence, stretch)
        and not _turned_round(sentence, stretch)
    )


def _is_designation(match: re.Match[str], sentence: str) -> bool:
    """Whether "Lantern 42" names a thing; "In 2026" and "Period 331 days" hold numbers."""
    numbers = quantities.find(sentence[match.start("number") :])
    return fold(match["word"]) not in _STOP and not (numbers and numbers[0].unit)


def _names_stand(sentence: str, known: str) -> bool:
    words = content_words(known)
    for match in _NAME.finditer(sentence):
        name = fold(match.group()).rstrip("'’")
        opens = match.start() <= 1 and (name in _OPENERS or _stem(name) in words)
        if name not in known and name not in _STOP and not opens:
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
