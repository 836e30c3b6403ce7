"""From what a person typed to an FTS5 expression. Any string gives a valid one, or none at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.library import cjk
from app.library.storable import storable

MAX_QUERY = 8000
"""Characters of a query that are looked at: a question, or a pasted page."""

MAX_TERMS = 48
"""Different words that are searched for; more of them only cost time."""

_QUOTED = re.compile(
    '["\u201c\u201d\u201e\u00ab\u00bb]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201c\u201d\u201e\u00ab\u00bb]'
)
# "HD 189733b", "NGC 4258", "SN 2011fe", "PSR J0437-4715", "M 31": a name is its number, too
_DESIGNATION = re.compile(r"(?<!\w)([A-Z][A-Za-z]{0,9})[ \u00a0]([JB+-]?\d[\w.+-]*)")

STOP_WORDS = frozenset(
    "a about after all also an and any are as at be because been before between both but by can could did do "
    "does for from had has have how if in into is it its may more most much no not of on or our over same "
    "should since so some such than that the their them then there these they this those through to under up "
    "use used using was we were what when where which while who why will with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Words:
    """A query taken apart; every part is plain text without quotes."""

    phrases: tuple[str, ...] = ()
    """What the person put in quotes: must occur as it stands."""
    terms: tuple[str, ...] = ()
    """Words, and names such as "HD 189733b" kept together: the more the better."""
    runs: tuple[str, ...] = ()
    """Stretches of CJK characters."""

    def match(self) -> str:
        """Return the expression for the word index; empty if the query has no words for it."""
        every = " OR ".join(f'"{part}"' for part in (*self.phrases, *self.terms))
        required = "".join(f'"{phrase}" AND ' for phrase in self.phrases)
        return f"{required}({every})" if every else ""

    def match_runs(self) -> str:
        """Return the expression for the CJK index; empty if the query has no such characters."""
        return " OR ".join(dict.fromkeys(expression for run in self.runs for expression in _run(run)))

    def loose(self) -> Words:
        """Return the same words with nothing required."""
        return Words((), tuple(dict.fromkeys((*self.phrases, *self.terms))), self.runs)


def parse(query: str) -> Words:
    """Take a query apart."""
    text = storable(query[:MAX_QUERY]).replace("\x00", " ")
    runs = tuple(dict.fromkeys(cjk.runs(text)))[:MAX_TERMS]
    text = cjk.without_runs(text)
    phrases = [found for match in _QUOTED.finditer(text) if (found := _plain(match[1]))]
    text = _QUOTED.sub(" ", text)
    names = [_plain(match[0]) for match in _DESIGNATION.finditer(text)]
    words = [plain for word in text.split() if (plain := _plain(word))]
    telling = [word for word in words if word.casefold().strip("'.,;:?!()") not in STOP_WORDS]
    if not telling and not phrases and not runs:
        telling = words
    return Words(
        tuple(dict.fromkeys(phrases))[:MAX_TERMS], tuple(dict.fromkeys((*names, *telling)))[:MAX_TERMS], runs
    )


def _plain(text: str) -> str:
    """Return the text as the inside of an FTS5 string; empty if it holds no letter or digit.

    Punctuation needs no care inside a string: it separates tokens, which then must
    stand side by side ("10.1051/0004-6361:2005", "[Fe/H]").
    """
    inside = " ".join(text.replace('"', " ").split())
    return inside if any(character.isalnum() for character in inside) else ""


def _run(run: str) -> list[str]:
    """The whole run, and its pairs: a passage with all of a long run ranks above one with parts of it."""
    if len(run) <= 2:
        return [cjk.phrase(run)]
    return [cjk.phrase(run), *(cjk.phrase(run[i : i + 2]) for i in range(min(len(run) - 1, MAX_TERMS)))]
