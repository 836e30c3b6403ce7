"""Whether a word goes on in the next line, and how the two halves are joined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.documents.clean import SOFT_HYPHEN

_HYPHENS = "-\u2010\u2011"
_DASHES = "\u2013\u2014"
_TAIL = re.compile(r"([^\W_]+(?:[-\u2010\u2011][^\W_]+)*)$")
_HEAD = re.compile(r"^([^\W_]+(?:['\u2019][^\W_]+)*)")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_ADDRESS = re.compile(r"(?:https?://|www\.|doi:|10\.\d{4,}/)\S*$", re.IGNORECASE)
_LONG_WORD = 4
_COMPOUNDING = frozenset(
    "self non well high low long short half all cross quasi near far semi single double two three four "
    "first second third so post pre ex broad narrow hot cold large small star line wide time".split()
)
"""First parts after which an unknown pair is more likely a compound than a broken word."""


@dataclass(frozen=True, slots=True)
class Joint:
    """How two lines meet: characters to drop from the end of the first, and what goes between."""

    drop: int
    separator: str


class Vocabulary:
    """The words of a document: whole ones as evidence for or against a broken one."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._words = frozenset(words)

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> Vocabulary:
        """Collect the words that stand whole within a line."""
        words: set[str] = set()
        for line in lines:
            found = [w.lower().replace("\u2010", "-").replace("\u2011", "-") for w in _WORD.findall(line)]
            if line[-1:] in (SOFT_HYPHEN, *_HYPHENS) and found:
                found.pop()
            words.update(found)
            words.update(part for word in found if "-" in word for part in word.split("-"))
        return cls(words)

    def __contains__(self, word: str) -> bool:
        return word.lower() in self._words


def joint(first: str, second: str, words: Vocabulary) -> Joint:
    """Decide how the end of one line and the start of the next belong together."""
    if not first or not second:
        return Joint(0, "")
    if first[-1] == SOFT_HYPHEN:
        return Joint(1, "")
    if first[-1] in _DASHES and second[0].isalnum() and len(first) > 1 and first[-2].isalnum():
        return Joint(0, "")
    if first[-1] not in _HYPHENS:
        return Joint(0, "" if _goes_on(first, second) else " ")
    tail, head = _TAIL.search(first[:-1]), _HEAD.match(second)
    if tail is None:
        return Joint(0, " ")
    if head is None or not second[0].isalpha() or not second[0].islower():
        # "Sunyaev-" + "Zel'dovich", "Type-" + "2": the hyphen is part of the name.
        return Joint(0, "" if second[0].isalnum() else " ")
    return Joint(1, "") if _is_broken(tail.group(1), head.group(1), words) else Joint(0, "")


def _is_broken(tail: str, head: str, words: Vocabulary) -> bool:
    """Whether the hyphen only breaks the word, judged by the rest of the document."""
    last = tail.replace("\u2010", "-").replace("\u2011", "-").rpartition("-")[2]
    hyphenated, joined = f"{last}-{head}" in words, f"{last}{head}" in words
    if hyphenated != joined:
        return joined
    if len(last) == 1 or last.isdigit() or last.lower() in _COMPOUNDING:
        return joined
    both_words = last in words and head in words and len(last) >= _LONG_WORD and len(head) >= _LONG_WORD
    return joined or not both_words


def _goes_on(first: str, second: str) -> bool:
    """Whether an address was broken at a slash, dot or equals sign."""
    return first[-1] in "/._=&?" and bool(_ADDRESS.search(first)) and second[0].isalnum() and first[-1] != "."
