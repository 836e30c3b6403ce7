"""Names of authors: surname, sorting, and the short forms shown on the screen.

A name comes as "Given Surname", "Surname, Given", a collaboration, or in Chinese,
Japanese or Korean characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence


def surname(full_name: str) -> str:
    """Return the family name with its particles ("van der Marel"); a collaboration whole."""
    name = _plain(full_name)
    if is_collaboration(name) or _CJK.search(name):
        return name.replace(" ", "") if _CJK.search(name) else name
    if "," in name:
        return name.partition(",")[0].strip()
    words = name.split()
    while len(words) > 1 and words[-1].rstrip(".").casefold() in _SUFFIXES:
        words.pop()
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in _PARTICLES:
        start -= 1
    return " ".join(words[max(start, 0) :])


def given_names(full_name: str) -> str:
    """Return what is left of the name without the surname; empty for collaborations."""
    name = _plain(full_name)
    if is_collaboration(name) or _CJK.search(name):
        return ""
    if "," in name:
        return name.partition(",")[2].strip()
    return name.removesuffix(surname(name)).strip()


def natural(full_name: str) -> str:
    """Return the name in reading order: "Riess, Adam G." becomes "Adam G. Riess"."""
    name = _plain(full_name)
    if "," not in name or is_collaboration(name):
        return name
    family, _, given = name.partition(",")
    return f"{given.strip()} {family.strip()}".strip()


def is_collaboration(name: str) -> bool:
    """Whether the name is of a group rather than a person."""
    return bool(_GROUP.search(name))


def ascii_key(text: str) -> str:
    """Return letters and digits alone, without accents and case, for comparing names."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(c for c in decomposed.casefold() if c.isalnum())


def sort_key(name: str) -> str:
    """Return a key that sorts by surname, then given names, ignoring accents and case."""
    return f"{ascii_key(surname(name))} {ascii_key(given_names(name))}".strip()


def short_authors(authors: Sequence[str], limit: int = 3) -> str:
    """Return the first surnames and how many more: "Riess, Macri, Hoffmann … +12"."""
    shown = ", ".join(surname(name) for name in authors[:limit])
    more = len(authors) - limit
    return f"{shown} … +{more}" if more > 0 else shown


def label(authors: Sequence[str], year: int | None) -> str:
    """Return the short name of a paper: "Riess 2016", "Riess & Macri 2016", "Riess+ 2016"."""
    if not authors:
        who = ""
    elif len(authors) == 2:
        who = f"{surname(authors[0])} & {surname(authors[1])}"
    else:
        who = surname(authors[0]) + ("+" if len(authors) > 2 else "")
    return f"{who} {year or ''}".strip()


_PARTICLES = frozenset(
    "van von der den de del della di da do dos du des la le el al ter ten te zu zum zur af av bin ibn "
    "vande vander vanden".split()
)
_SUFFIXES = frozenset("jr sr ii iii iv phd".split())
_GROUP = re.compile(
    r"\b(?:collaborations?|consorti(?:um|a)|working group)\b|\b(?:team|survey|network|project|office)s?$",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i",
                          "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ð": "d", "þ": "th"})  # fmt: skip


def _plain(name: str) -> str:
    """One-space words; a second writing in brackets ("Can Cui (崔璨)") is left out."""
    name = re.sub(r"\s+", " ", name).strip()
    without = re.sub(r"\s*[(\uff08][^()\uff08\uff09]*[)\uff09]\s*", " ", name).strip()
    return without or name
