"""Authors as printed below the title: names taken out of marks, commas and affiliations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from app.documents.front.lines import Line, is_mark, is_sign, tidy
from app.documents.front.words import is_affiliation, is_furniture, is_name
from app.records.names import is_collaboration

_CUT = "\x1f"
"""Stands for a mark or a line's end between two names."""

_LABEL = re.compile(r"^(?:PI|co-?PIs?|co-?Is?|authors?|by|written by|作者)\s*[:：]\s*", re.IGNORECASE)
_WITH = re.compile(r"^(?:by|with|and|&|und|et)\s+", re.IGNORECASE)
_SEPARATOR = re.compile(rf"{_CUT}|[,;，、；&|•·]|\band\b|\bund\b|\s{{3,}}|\u3000")
_STOP = re.compile(
    r"^(?:abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|keywords?|key words|(?:1\.?\s+)?introduction"
    r"|contents"
    r"|received|submitted|accepted|draft|dated?\b|doi\b|a thesis|a dissertation|supervised|foreword"
    r"|摘\s*要|关键词)",
    re.IGNORECASE,
)
_RUNNING_HEAD = re.compile(r"^\W*\d*\s*[\w.’'-]+(?: [\w’'-]+)? et al\.?\W*\d*$", re.IGNORECASE)
_CJK = r"[\u3400-\u9fff]"


def printed_authors(
    lines: Sequence[Line], title: Sequence[Line], body: float, next_page: Sequence[Line] = ()
) -> tuple[str, ...]:
    """Return the authors printed below the title's lines, in order; empty where none are to be found.

    A list that fills its page goes on in the lines of the next.
    """
    names: list[str] = []
    authors: list[Line] = []
    style: Line | None = None
    open_end = ""
    misses = 0
    for line in (*_below(lines, title), *next_page):
        text = line.text
        if _RUNNING_HEAD.search(text):
            continue
        if _STOP.match(text.strip()) and names and not _under(line, authors):
            continue  # the heading of another column
        if _STOP.match(text.strip()) or misses > 40 or (names and _running_text(line, text, body)):
            break
        found, tail = _names(line, open_end, known=bool(names))
        alike = style is None or (
            abs(line.size - style.size) <= 0.06 * style.size and line.bold == style.bold
        )
        # a lone word can only be told from other words by its size
        lone = not names and len(found) == 1 and found[0].isascii() and " " not in found[0]
        if not found or not alike or _starts_with_mark(line) or (lone and line.size < 1.15 * body):
            misses += 1
            open_end = ""
            if style is None and misses > 3 and not is_affiliation(text):
                break
            continue
        style = style or line
        authors.append(line)
        if open_end and names:
            names.pop()
        names += found
        open_end = tail
    return tuple(dict.fromkeys(_printed_form(name) for name in names))


def _below(lines: Sequence[Line], title: Sequence[Line]) -> list[Line]:
    """The lines under the title in its column: side bars hold dates and key words."""
    left, right = min(line.box[0] for line in title), max(line.box[2] for line in title)
    below = [line for line in lines if line.box[1] > title[-1].box[1] + 1 and line not in title]
    near = title[-1].box[3] + 0.2 * max(line.box[3] for line in lines)
    wide = [line for line in below if len(line.text) > 40 and line.box[0] < right and line.box[2] > left]
    wide = [line for line in wide if line.box[3] < near]
    left = min([left, *(line.box[0] for line in wide)])
    right = max([right, *(line.box[2] for line in wide)])
    return [line for line in below if line.box[2] > left and line.box[0] < right]


def _under(line: Line, authors: Sequence[Line]) -> bool:
    """Whether a line stands below the authors found so far."""
    return any(line.box[0] < author.box[2] and line.box[2] > author.box[0] for author in authors)


def _running_text(line: Line, text: str, body: float) -> bool:
    """Whether the paper itself has begun: a long line of body text that is no list of names."""
    words = text.split()
    lower = sum(word.islower() for word in words)
    prose = len(words) > 7 and lower > 0.6 * len(words)
    return prose and abs(line.size - body) < 0.05 * body and not is_affiliation(text)


def _starts_with_mark(line: Line) -> bool:
    first = next((span for span in line.spans if span.text.strip()), None)
    return first is not None and is_mark(first, line.size) and not first.text.strip().startswith(",")


def _names(line: Line, open_end: str, *, known: bool) -> tuple[list[str], str]:
    """The names of one line, and the last of them if it may go on in the next line."""
    text = _list_of_names(line, open_end)
    whole = _bare(text)
    split = [whole] if is_collaboration(whole) and "," not in whole else _SEPARATOR.split(text)
    pieces = [piece for piece in map(_bare, split) if piece]
    names = list(filter(is_name, itertools.takewhile(lambda p: is_name(p) or not is_affiliation(p), pieces)))
    if not names or not _convincing(text, pieces, names, known=known or bool(open_end)):
        return [], ""
    last = names[-1]
    ended = bool(re.search(rf"(?:{_SEPARATOR.pattern})\s*$", text))
    broken = len(last.split()) == 1 or bool(re.search(r"\s[A-Z]\.$", last))
    goes_on = not ended and len(pieces) > 1 and last == pieces[-1] and broken
    return names, last if goes_on else ""


def _list_of_names(line: Line, open_end: str) -> str:
    """The words of a line with marks turned into separators, labels and brackets taken away."""
    parts = [_CUT if is_mark(span, line.size) and span.text.strip() else span.text for span in line.spans]
    # marks that are set no smaller than the name they follow
    text = "".join(_CUT if is_sign(c) else c for c in "".join(parts))
    text = re.sub(r"(?<=[^\W\d_])\d[\d, ]*", _CUT, text)
    text = re.sub(r"[(（][^()（）]*[)）]", " ", text)
    text = _LABEL.sub("", text.strip())
    text = _WITH.sub("", re.sub(r"\bet al\b\.?", "", text))
    if open_end:
        text = f"{open_end} {text}"
    return _spaced_cjk(text) if re.search(_CJK, text) else text


def _convincing(text: str, pieces: Sequence[str], names: Sequence[str], *, known: bool) -> bool:
    """Whether a line is a list of authors, given its pieces and those that have the shape of names."""
    address = is_affiliation(text)
    if len(names) < 0.5 * len(pieces) and not (address and pieces[0] == names[0]):
        return False
    if is_furniture(text) and not is_collaboration(text):
        return False
    if any(len(name.split()) > 1 or re.search(_CJK, name) for name in names):
        # "Hayang, Kyongsan, South Korea": an address begins with a lone word
        return not address or len(pieces[0].split()) > 1 or bool(re.search(_CJK, pieces[0]))
    # single words: one alone may be the only author, below others it is a place
    return not address and (len(pieces) == 1) != known


def _bare(piece: str) -> str:
    piece = _WITH.sub("", tidy(piece.replace(_CUT, " "))).strip(" :*-–—'\"")
    initial = re.search(r"\b[A-Z]\.$|\b[JS]r\.$", piece)
    return piece.lstrip(".") if initial else piece.strip(" .")


def _spaced_cjk(text: str) -> str:
    """Chinese names of two characters are set with a space in them to match those of three."""
    text = re.sub(rf"(?<!{_CJK})({_CJK})\s+({_CJK})(?!{_CJK})", r"\1\2", text)
    return re.sub(rf"(?<={_CJK})\s+(?={_CJK})", _CUT, text)


def _printed_form(name: str) -> str:
    """Words set in capitals become "Surname"; initials and all else stay as printed."""
    words = name.split()
    if len(words) < 2 or is_collaboration(name):
        return name
    least = 2 if name.isupper() else 3
    return " ".join(_capitalised(word, 4 if i == 0 else least) for i, word in enumerate(words))


def _capitalised(word: str, least: int) -> str:
    if len(word) < least or not word.isupper() or "." in word or re.fullmatch(r"[IVX]+", word):
        return word
    return "-".join(part[:1] + part[1:].lower() for part in word.split("-"))
