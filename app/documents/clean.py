"""Clean characters: ligatures, accents, invisible and private characters, one box each.

All decisions here are about text alone and are pure; `hyphens` joins line ends and
`quality` judges whole pages.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]

SOFT_HYPHEN = "\u00ad"
"""Kept at the end of a line only, where it says that the word goes on; never shown."""

_SOFT_HYPHENS = {SOFT_HYPHEN, "\ufffe", "\u0002"}
"""U+FFFE and U+0002 are what PDFium writes for a hyphen at a line's end."""

_JOINERS = {"\u200c", "\u200d"}
"""Invisible, but letters of Persian and Indic scripts depend on them."""

_ACCENTS = {
    "`": "\u0300",
    "\u02cb": "\u0300",
    "\u00b4": "\u0301",
    "\u02ca": "\u0301",
    "^": "\u0302",
    "\u02c6": "\u0302",
    "~": "\u0303",
    "\u02dc": "\u0303",
    "\u00af": "\u0304",
    "\u02c9": "\u0304",
    "\u02d8": "\u0306",
    "\u02d9": "\u0307",
    "\u00a8": "\u0308",
    "\u02da": "\u030a",
    "\u02dd": "\u030b",
    "\u02c7": "\u030c",
    "\u00b8": "\u0327",
    "\u02db": "\u0328",
}
"""Accents that TeX fonts draw as characters of their own, and what they combine to."""

_BLANKS = "\t\n\r\v\f"

_DOTLESS = {"\u0131": "i", "\u0237": "j"}

_COMPATIBLE = ((0xFB00, 0xFB06), (0xFB13, 0xFB17), (0xFB50, 0xFDFB), (0xFE70, 0xFEFC), (0x1D400, 0x1D7FF))
"""Ligatures, Arabic presentation forms and mathematical letters: written as the plain letters."""


_SMALL_CAPITAL_A = 0xF761
"""Adobe's private code points for small capitals, which publishers used until about 2005."""

_TWICE = re.compile(r"(\S)\1")
_SIMPLE = re.compile(r"(?:[!-\]_a-}]+(?: [!-\]_a-}]+)*)?")
"""Lines of ASCII with nothing to do: no accent, no control character, no double space."""


@dataclass(frozen=True, slots=True)
class CleanLine:
    """Clean text and, per character, the box of the glyph it came from."""

    text: str
    boxes: tuple[Box, ...]


def clean_line(glyphs: Sequence[str], boxes: Sequence[Box]) -> CleanLine:
    """Clean one printed line, glyph by glyph.

    A glyph that stands for several characters lends each its share of the box; an accent
    and its letter become one character with both boxes; what is invisible is dropped,
    and so are glyphs printed twice in the same place.
    """
    joined = "".join(glyphs)
    text = joined.rstrip(" ")
    if len(joined) == len(glyphs) and _SIMPLE.fullmatch(text) and not _doubled(text, boxes):
        return CleanLine(text, tuple(boxes[: len(text)]))
    out: list[tuple[str, Box]] = []
    last = max((i for i, glyph in enumerate(glyphs) if glyph.strip()), default=-1)
    for position, (glyph, box) in enumerate(zip(glyphs, boxes, strict=True)):
        for char, part in _expand(glyph, box, at_end=position == last):
            _append(out, char, part)
    while out and out[-1][0] == " ":
        out.pop()
    return CleanLine("".join(c for c, _ in out), tuple(b for _, b in out))


def is_noise(char: str) -> bool:
    """Whether a character means nothing to a reader: control, private use, unassigned, U+FFFD."""
    return char == "\ufffd" or (
        unicodedata.category(char) in {"Cc", "Co", "Cn", "Cs"} and char not in "\t\n\r"
    )


def _doubled(text: str, boxes: Sequence[Box]) -> bool:
    """Whether a glyph is printed twice in the same place."""
    return bool(_TWICE.search(text)) and any(
        text[i] == text[i + 1] and _same_place(boxes[i], boxes[i + 1]) for i in range(len(text) - 1)
    )


def _expand(glyph: str, box: Box, *, at_end: bool) -> list[tuple[str, Box]]:
    """Return the characters a glyph stands for, each with its share of the box."""
    if glyph in _SOFT_HYPHENS:
        return [(SOFT_HYPHEN, box)] if at_end else []
    chars = _plain_letters(glyph)
    if len(chars) == 1:
        return [(chars, box)]
    width = (box[2] - box[0]) / max(1, len(chars))
    return [
        (char, (box[0] + i * width, box[1], box[0] + (i + 1) * width, box[3])) for i, char in enumerate(chars)
    ]


@functools.lru_cache(maxsize=4096)
def _plain_letters(glyph: str) -> str:
    """Return what a glyph is written as; nothing for what is invisible."""
    return "".join(_plain_letter(char) for char in glyph)


def _plain_letter(char: str) -> str:
    if char in _BLANKS:
        return " "
    code = ord(char)
    if _SMALL_CAPITAL_A <= code < _SMALL_CAPITAL_A + 26:
        return chr(ord("A") + code - _SMALL_CAPITAL_A)
    if any(low <= code <= high for low, high in _COMPATIBLE):
        return unicodedata.normalize("NFKC", char)
    category = unicodedata.category(char)
    if is_noise(char) or (category == "Cf" and char not in _JOINERS):
        return ""
    return " " if category in {"Zs", "Zl", "Zp"} else unicodedata.normalize("NFC", char)


def _append(out: list[tuple[str, Box]], char: str, box: Box) -> None:
    if char == " ":
        if out and out[-1][0] != " ":
            out.append((char, box))
        return
    if out and out[-1][0] == char and _same_place(out[-1][1], box):
        return
    if _accented(out, char, box):
        return
    out.append((char, box))


def _accented(out: list[tuple[str, Box]], char: str, box: Box) -> bool:
    """Compose an accent with the letter it is printed over; say whether that happened."""
    # MuPDF sometimes puts a space between the two, since the letter steps back under its accent.
    back = 2 if len(out) > 1 and out[-1][0] == " " else 1
    if len(out) < back:
        return False
    before, before_box = out[-back]
    if unicodedata.combining(char):
        composed = unicodedata.normalize("NFC", _DOTLESS.get(before, before) + char) if back == 1 else ""
    elif before in _ACCENTS and char.isalpha() and _overlap(before_box, box):
        composed = unicodedata.normalize("NFC", _DOTLESS.get(char, char) + _ACCENTS[before])
    elif char in _ACCENTS and before.isalpha() and _overlap(before_box, box):
        composed = unicodedata.normalize("NFC", _DOTLESS.get(before, before) + _ACCENTS[char])
    else:
        return False
    if len(composed) != 1:
        return False
    del out[-back:]
    out.append((composed, _union(before_box, box)))
    return True


def _overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share at least half of the narrower one's width."""
    shared = min(a[2], b[2]) - max(a[0], b[0])
    return shared > 0.5 * min(a[2] - a[0], b[2] - b[0]) > 0


def _same_place(a: Box, b: Box) -> bool:
    """Whether the second glyph is a copy that makes the first look bold."""
    slack = 0.12 * max(1.0, a[3] - a[1])
    return abs(a[0] - b[0]) < slack and abs(a[1] - b[1]) < slack and a[2] - a[0] > slack


def _union(a: Box, b: Box) -> Box:
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
