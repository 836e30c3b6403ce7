"""Cutting text where a reader sees no harm: never inside what is shown as one character. Pure."""

from __future__ import annotations

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA = 9
"""The combining class of the signs that bind two Indic consonants."""
_LONGEST = 64
"""A cluster may be made as long as one likes; this many steps are looked back for its beginning."""


def cut_before(text: str, at: int) -> int:
    """Return the last place at or before `at` where the text may be cut."""
    at = min(max(at, 0), len(text))
    for place in range(at, max(at - _LONGEST, -1), -1):
        if not inside_cluster(text, place):
            return place
    return at


def cut_after(text: str, at: int) -> int:
    """Return the first place at or after `at` where the text may be cut."""
    at = min(max(at, 0), len(text))
    for place in range(at, min(at + _LONGEST, len(text)) + 1):
        if not inside_cluster(text, place):
            return place
    return at


def inside_cluster(text: str, at: int) -> bool:
    """Whether the characters before and after this place belong together.

    Combining marks, joined emoji, skin tones, flags, Hangul syllables in parts, Indic conjuncts, CR LF.
    """
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return before == "\r" and after == "\n"
    if _extends(after) or before == _ZERO_WIDTH_JOINER:
        return True
    if unicodedata.combining(before) == _VIRAMA and after.isalpha():
        return True
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, at) % 2 == 1
    return "\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff"


def _extends(character: str) -> bool:
    """Marks, joiners and variation selectors, skin tones, and the tags of regional flags."""
    return (
        character == _ZERO_WIDTH_JOINER
        or unicodedata.category(character) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, at: int) -> int:
    count = 0
    while count < min(at, _LONGEST) and _is_flag_letter(text[at - 1 - count]):
        count += 1
    return count
