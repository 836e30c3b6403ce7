"""Which rows are headings, how deep, and the path of sections they open."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from app.documents.order import Row

MAX_ROWS = 3
_MAX_CHARS = 160

_NUMBER = re.compile(
    r"^(?:(?:section|chapter|appendix)\s+)?"
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4}|[A-H](?:\.\d{1,2}){1,3}|(?<=appendix\s)[A-H]|(?:[IVX]{1,5}|[A-H])(?=[.:]))"
    r"(?:[.:)]\s*|\s+)(?P<title>\S.*)$",
    re.IGNORECASE,
)
_NUMBER_ALONE = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,4}|[IVX]{1,5}|[A-Z])\.?$")
_KNOWN = frozenset(
    """abstract|introduction|background|related work|previous work|theory|method|methods|methodology|data|
    observations|observations and data reduction|data reduction|analysis|data analysis|results|discussion|
    results and discussion|discussion and conclusions|summary|summary and conclusions|conclusion|conclusions|
    concluding remarks|future work|acknowledgments|acknowledgements|acknowledgment|acknowledgement|references|
    bibliography|literature cited|appendix|appendices|contents|table of contents|list of tables|
    list of figures|data availability|statement of need|software|facilities|author contributions|
    competing interests|supplementary information|preface|highlights""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_ABSTRACT = frozenset({"abstract", "summary", "a b s t r a c t"})
_REFERENCES = frozenset({"references", "bibliography", "literature cited", "references cited", "reference"})
_BARE = re.compile(r"[^\w\s]|_")
_SENTENCE = re.compile(r"[.;,:\-\u2010]$")
_NOT_A_TITLE = re.compile(
    r"https?:|www\.|@|^\[|^[\u2022\u2013\u2014\u25aa*/-]|[=∑∫√]|^key\s?words\b"
    r"|^\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{4}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and its depth, 1 for a section."""

    title: str
    level: int


def outline_key(title: str) -> str:
    """Return what of a title is compared: letters and digits, without its number."""
    match = _NUMBER.match(title.strip())
    bare = match["title"] if match and len(match["title"]) > 2 and match["title"][0].isalnum() else title
    folded = unicodedata.normalize("NFKD", bare).lower()
    return "".join(c for c in folded if c.isalnum())


def is_references(title: str) -> bool:
    """Whether a section holds the list of references."""
    return _bare_name(title) in _REFERENCES


def is_abstract(title: str) -> bool:
    """Whether a section is the abstract."""
    return _bare_name(title) in _ABSTRACT


def number_depth(text: str) -> int | None:
    """Return the depth that a heading's number gives ("3.1 Data" 2), or None."""
    match = _NUMBER.match(text)
    if match is None or not match["title"][0].isalpha():
        return None
    return match["number"].count(".") + 1


def is_caps(text: str) -> bool:
    """Whether a text of some length is (nearly) all capitals."""
    letters = sum(map(str.isalpha, text))
    return letters >= 4 and sum(map(str.isupper, text)) > 0.9 * letters


@dataclass(frozen=True, slots=True)
class HeadingStyle:
    """How the rows of a candidate are set, against the body of the document."""

    text: str
    size: float
    bold: bool
    italic: bool
    other_font: bool
    """Not the font of the body: bold faces are often not marked as such."""
    centred: bool
    """Set in the middle of its column, free on both sides."""
    alone: bool
    """With space above and below, or at the top of its column."""
    short: bool
    """Does not fill its column."""

    @property
    def caps(self) -> bool:
        """Whether (nearly) all letters are capitals."""
        return is_caps(self.text)


def heading_level(style: HeadingStyle, body_size: float, outline: Mapping[str, int]) -> int | None:
    """Return the level of a heading set in this style, or None if it is none.

    Strong signs (the outline names it; a usual section name standing alone; a number and
    a style of its own) count at once; style alone needs size or weight and a free stand.
    """
    text = style.text.strip()
    if not _may_be_title(text):
        return None
    depth = number_depth(text)
    key = outline_key(text)
    if key in outline and (style.alone or style.short):
        return depth or outline[key]
    if is_usual(text) and style.short and (style.alone or style.bold or style.caps):
        return depth or 1
    if style.size < 0.95 * body_size:
        return None
    if depth is not None:
        return depth if _is_numbered_heading(style, body_size) else None
    return _level_by_style(style, body_size) if style.alone else None


def _is_numbered_heading(style: HeadingStyle, body_size: float) -> bool:
    """Whether a numbered row is a heading and not an item of a list."""
    if style.bold or style.caps or style.size > 1.06 * body_size:
        return style.text[0].isdigit() or style.text.count(",") < 2
    return (style.italic or style.other_font or style.alone) and style.short and _title_like(style.text)


def _level_by_style(style: HeadingStyle, body_size: float) -> int | None:
    text = style.text
    if _SENTENCE.search(text) or text[0].islower() or not style.short:
        return None
    if style.bold or style.size > 1.1 * body_size:
        return 1 if style.size > 1.1 * body_size or style.caps else 2
    if style.caps:
        return 1 if len(text) > 5 else None
    return 2 if (style.italic or style.other_font) and len(text) < 80 else None


def is_usual(text: str) -> bool:
    """Whether this is a name that sections of papers usually have."""
    return _bare_name(text) in _KNOWN


def row_style(
    rows: tuple[Row, ...], *, left: float, right: float, alone: bool, body_font: str
) -> HeadingStyle:
    """Describe the rows of a block for `heading_level`."""
    first, last = rows[0], rows[-1]
    width = max(1.0, right - left)
    free_left, free_right = first.box[0] - left, right - first.box[2]
    return HeadingStyle(
        text=" ".join(row.text for row in rows),
        size=first.size,
        bold=all(row.bold for row in rows),
        italic=all(row.italic for row in rows),
        other_font=all(row.font != body_font for row in rows),
        centred=free_left > 0.08 * width and abs(free_left - free_right) < 0.15 * width,
        alone=alone,
        short=last.box[2] - last.box[0] < 0.92 * width,
    )


class SectionPath:
    """The headings that are open at a point of the document, outermost first."""

    def __init__(self, open_headings: tuple[Heading, ...] = ()) -> None:
        self._open = list(open_headings)

    def enter(self, heading: Heading) -> None:
        """Open a heading and close those of its depth and below."""
        while self._open and self._open[-1].level >= heading.level:
            self._open.pop()
        self._open.append(heading)

    @property
    def name(self) -> str:
        """The path as it is shown: "3 Results > 3.1 Systematics"."""
        return " > ".join(heading.title for heading in self._open)

    @property
    def references(self) -> bool:
        """Whether this is (inside) the list of references."""
        return any(is_references(heading.title) for heading in self._open)

    @property
    def abstract(self) -> bool:
        """Whether this is the abstract."""
        return bool(self._open) and is_abstract(self._open[-1].title)


def _may_be_title(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    return (
        3 <= len(text) <= _MAX_CHARS
        and letters >= 0.5 * len(text.replace(" ", ""))
        and not _NUMBER_ALONE.match(text)
        and not _NOT_A_TITLE.search(text)
    )


def _title_like(text: str) -> bool:
    """Whether a numbered row reads like a title and not like an item of a list or an address."""
    match = _NUMBER.match(text)
    title = match["title"] if match else text
    return not _SENTENCE.search(text) and 4 <= len(title) < 90 and title[0].isupper() and text.count(",") < 2


def _bare_name(title: str) -> str:
    match = _NUMBER.match(title.strip())
    name = match["title"] if match and len(match["title"]) > 3 else title
    return " ".join(_BARE.sub(" ", name).lower().split())
