"""Is the text of a page what a reader sees? Judged by its characters alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import pairwise

from app.documents.clean import is_noise

FEW_CHARACTERS = 50
"""Below this a page that is drawn otherwise (a scan) holds a stamp, not its text."""

_NOISE_SHARE = 0.12
_SIGNIFICANT = 15
_ENOUGH = 4000
"""Characters that are looked at."""
_WORDS_NEEDED = 0.35
_PARTS = re.compile(r"[^\s/_.:,;=]+")
"""Words, and the parts of paths and addresses."""
_LATIN_WORD = re.compile(r"^[\W\d_]*[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[\W\d_]*$")
_VOWELS = set("aeiouyáàâäãåéèêëíìîïóòôöõúùûüýæœøěůÿ")
_SQUARES = set("\u25a1\u25a0\u25b3\u25b2\u25cb\u25cf\u2610\u2612\uffe8")


class PageQuality(StrEnum):
    """What a page's text is worth."""

    OK = "ok"
    EMPTY = "empty"
    GARBAGE = "garbage"


def quality(text: str, raw: Mapping[str, int] | None = None) -> PageQuality:
    """Judge a page by its clean text and by how often each character stood in the file.

    GARBAGE is text that a search must not see: fonts without a map to Unicode, shifted
    code points, boxes in place of letters. A page of numbers is OK.
    """
    shown = {c: n for c, n in (raw or Counter(text)).items() if not c.isspace()}
    total = sum(shown.values())
    if total == 0:
        return PageQuality.EMPTY
    noise = sum(n for c, n in shown.items() if any(is_noise(x) or x in _SQUARES for x in c))
    if noise >= 3 and noise > _NOISE_SHARE * total:
        return PageQuality.GARBAGE
    if total < _SIGNIFICANT:
        return PageQuality.OK if any(c.isalpha() for c in text) else PageQuality.EMPTY
    return PageQuality.GARBAGE if _absurd(text[:_ENOUGH]) else PageQuality.OK


def _absurd(text: str) -> bool:
    """Whether the letters of a Latin page do not make words."""
    letters = {c: n for c, n in Counter(text).items() if c.isalpha()}
    latin = sum(n for c, n in letters.items() if c < "\u0250")
    if latin < 0.8 * max(1, sum(letters.values())):
        return _mixed_scripts(letters)
    tokens = [t for t in _PARTS.findall(text) if len(t) >= 3 and sum(map(str.isdigit, t)) < 0.5 * len(t)]
    size = sum(map(len, tokens))
    if size < _SIGNIFICANT:
        return _symbols_share(text) > 0.5
    wordlike = sum(len(t) for t in tokens if _wordlike(t))
    return wordlike < _WORDS_NEEDED * size


def _wordlike(token: str) -> bool:
    core = token.strip("()[]{}.,;:!?'\"\u2018\u2019\u201c\u201d*†‡§¶·•-–—/")
    if not _LATIN_WORD.match(core):
        return False
    if len(core) > 1 and not core.isupper() and core[1:].lower() != core[1:]:
        return sum(a.islower() and b.isupper() for a, b in pairwise(core)) <= 1
    return bool(_VOWELS & set(core.lower())) or len(core) <= 4


def _symbols_share(text: str) -> float:
    shown = [c for c in text if not c.isspace()]
    odd = sum(unicodedata.category(c)[0] in "SC" or c in '!"#$%&*@\\^`{|}~' for c in shown)
    return odd / max(1, len(shown))


def _mixed_scripts(letters: Iterable[str]) -> bool:
    """Whether letters jump between many unrelated scripts, as shifted code points do."""
    scripts = {unicodedata.name(c, "?").split()[0] for c in letters}
    return len(scripts - {"LATIN", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "MATHEMATICAL", "MODIFIER"}) > 4
