"""Identifiers of papers: the one place that knows the grammar of DOI, arXiv id and bibcode.

`find` reads free text, `parse` a whole string that should be one identifier or its
URL. Values are canonical, so that equal values mean the same paper: DOI in lower
case, arXiv id without version and without subject class, bibcode as printed. A DOI
of arXiv itself (10.48550/arXiv.…) is an arXiv id.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote


@dataclass(frozen=True, slots=True, order=True)
class Identifier:
    """One identifier; `kind` is "doi", "arxiv" or "bibcode", `value` is canonical."""

    kind: str
    value: str


def find(text: str) -> list[Identifier]:
    """Return the identifiers in the text, in order and without repeats."""
    return list(dict.fromkeys(identifier for _, _, identifier in find_spans(text)))


def find_spans(text: str) -> list[tuple[int, int, Identifier]]:
    """Return `(start, end, identifier)` for every identifier in the text, in order.

    DOIs come first and are masked, because a DOI may end in what looks like an
    arXiv id; then bibcodes of e-prints, which contain one; then arXiv ids and the
    other bibcodes.
    """
    found: list[tuple[int, int, Identifier]] = []
    rest = text
    for spans in (_dois, _eprint_bibcodes, _arxiv_ids, _bibcodes):
        new = list(spans(rest))
        for start, end, _ in new:
            rest = f"{rest[:start]}{_MASK * (end - start)}{rest[end:]}"
        found += new
    return sorted(found, key=lambda span: span[:2])


def parse(text: str) -> Identifier | None:
    """Return the identifier that the whole string is, or None.

    Takes prefixes (`doi:`, `arXiv:`), URLs, a file ending `.pdf` and the subject
    class of an arXiv stamp around it, and no other words.
    """
    text = text.strip().strip("<>").strip()
    if _URL.match(text):
        known = find(unquote(text))
        return known[0] if len(known) == 1 else None
    bare = _PREFIX.sub("", text)
    if _BIBCODE_FIELD.fullmatch(bare):
        return Identifier("bibcode", bare)
    spans = find_spans(bare)
    if len(spans) != 1:
        return None
    start, end, identifier = spans[0]
    alone = not bare[:start].strip() and _SUFFIX.fullmatch(bare[end:])
    return identifier if alone else None


def arxiv_version(text: str) -> int | None:
    """Return the version of the first arXiv id in the text that names one, or None."""
    for start, end, identifier in find_spans(text):
        if identifier.kind == "arxiv" and (version := re.search(r"v(\d+)$", text[start:end])):
            return int(version[1])
    return None


def arxiv_of_bibcode(bibcode: str) -> Identifier | None:
    """Return the arXiv id that an e-print's bibcode encodes, or None for any other bibcode."""
    if match := _EPRINT_BIBCODE.fullmatch(bibcode):
        number = match[1]
        return _new_style(number if "." in number else f"{number[:4]}.{number[4:]}")
    if match := _OLD_BIBCODE.fullmatch(bibcode):
        year, archive, page = match[1], match[2].strip("."), match[3].lstrip(".")
        known = _OLD_ARCHIVE_CODES.get(archive.rstrip("."))
        if known and len(page) >= 4:
            return Identifier("arxiv", f"{known}/{year[2:]}{int(page[:-3]):02d}{page[-3:]}")
    return None


_MASK = "\N{FULL BLOCK}"
"""Stands for characters already taken: no grammar below accepts it, nor sees a word in it."""

_URL = re.compile(r"(?:https?://|(?:www\.|dx\.)?(?:doi|arxiv)\.org/|ui\.adsabs)", re.IGNORECASE)
_PREFIX = re.compile(r"^(?:(?:info|urn)[:/])?(?:doi|arxiv|eprint|bibcode|ads)\s*[:/=.]?\s*", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:\.pdf)?\s*(?:\[[\w.-]+\](?:\s+\d{1,2} \w{3} \d{4})?)?[.,;]?", re.IGNORECASE)

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\uff0d"), "-") | {0xAD: None}

_DOI_CHAR = r'[^\s"<>{}|\\^`\u2018-\u201f\u2026\u2588\u3000-\uffff]'
_DOI = re.compile(
    r"(?<![\d.])10\.\d{4,9}(?:\.\d+)*(?:/|%2[Ff])"
    # a SICI holds <…>, LaTeX escapes the underscore, a narrow column breaks after a hyphen
    rf"(?:{_DOI_CHAR}|<[^\s<>\"/]{{1,40}}>(?=\d\.\d)|\{{?\\[_&%#]\}}?"
    r"|(?<=[-/_:(\u2010\u00ad])[ \t]*\n[ \t]*(?=[a-z0-9(]))+"
)
_DOI_ESCAPE = re.compile(r"\{?\\([_&%#])\}?")
_DOI_URL_TAIL = re.compile(
    r"(?:[?#].*|/(?:pdf|epdf|meta|abstract|full|fulltext|html)|\.full|\.pdf|\.abstract)$", re.IGNORECASE
)
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


def _dois(text: str) -> Iterator[tuple[int, int, Identifier]]:
    for match in _DOI.finditer(text):
        start, raw = match.start(), _without_loose_end(match[0])
        host = re.search(r"https?://[^\s\"<>]*$", text[max(0, start - 200) : start], re.IGNORECASE)
        value = html.unescape(_DOI_ESCAPE.sub(r"\1", raw)) if "\\" in raw or "&" in raw else raw
        value = re.sub(r"\s+", "", unquote(value)).translate(_DASHES)
        while host and (shorter := _DOI_URL_TAIL.sub("", value)) != value:
            value = shorter
        value = _without_loose_end(value).lower()
        prefix, _, suffix = value.partition("/")
        if not suffix or _MASK in value:
            continue
        if prefix == "10.48550" and suffix.startswith("arxiv."):
            inner = list(_arxiv_ids(suffix.removeprefix("arxiv.")))
            if inner:
                yield start, start + len(raw), inner[0][2]
                continue
        yield start, start + len(raw), Identifier("doi", value)


def _without_loose_end(raw: str) -> str:
    """Drop what belongs to the sentence: closing punctuation and unbalanced brackets."""
    while raw:
        last = raw[-1]
        opening = _PAIRS.get(last)
        if last in ".,;:'*&-/" or (opening and raw.count(last) > raw.count(opening)):
            raw = raw[:-1]
        else:
            break
    return raw


_NEW_STYLE = re.compile(
    r"(?:(?<![A-Za-z0-9.=+\-])|(?<=arxiv[:.\-_ /])|(?<=arxiv))"
    r"(\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(v[1-9]\d{0,2})?(?!\d)(?!\.\d)",
    re.IGNORECASE,
)
_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas "
    "cond-mat cs dg-ga funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex "
    "nucl-th patt-sol physics plasm-ph q-alg q-bio quant-ph solv-int supr-con"
).split()
_OLD_STYLE = re.compile(
    r"(?<![\w.-])(?P<archive>"
    + "|".join(sorted(map(re.escape, _ARCHIVES), key=len, reverse=True))
    + r")(?:\.[a-z]{2,5}(?:-[a-z]+)?)?/"
    r"(?P<number>(?:9[1-9]|0[0-7])(?:0[1-9]|1[0-2])\d{3})(?:v[1-9]\d{0,2})?(?!\d)",
    re.IGNORECASE,
)


def _arxiv_ids(text: str) -> Iterator[tuple[int, int, Identifier]]:
    for match in _NEW_STYLE.finditer(text):
        if known := _new_style(match[1]):
            yield match.start(), match.end(), known
    for match in _OLD_STYLE.finditer(text):
        number = match["number"]
        if number[0] == "9" or number[:4] <= "0703":
            yield match.start(), match.end(), Identifier("arxiv", f"{match['archive'].lower()}/{number}")


def _new_style(value: str) -> Identifier | None:
    """Four digits after the dot until December 2014, five from January 2015."""
    month, _, number = value.partition(".")
    digits = 4 if 704 <= int(month) <= 1412 else 5 if int(month) >= 1501 else 0
    return Identifier("arxiv", value) if len(number) == digits and number.strip("0") else None


_BIBCODE_CHAR = r"(?:[A-Za-z0-9&.]|%26)"
_BIBCODE = re.compile(rf"(?<![\w.&])[12]\d{{3}}[A-Za-z]{_BIBCODE_CHAR}{{13}}[A-Za-z.:](?![\w&])")
_BIBCODE_FIELD = re.compile(r"[12]\d{3}[A-Za-z0-9&.:]{14}[A-Za-z.:]")
_EPRINT_BIBCODE = re.compile(r"(?<![\w.&])[12]\d{3}arXiv(\d{4}\.\d{4}|\d{9})[A-Za-z.:](?![\w&])")
_OLD_BIBCODE = re.compile(r"([12]\d{3})([a-z][a-z.]{6,7})(\.*\d{4,5})[A-Z.:]")
_OLD_ARCHIVE_CODES = {archive.replace("-", "."): archive for archive in _ARCHIVES if "-" in archive}


def _eprint_bibcodes(text: str) -> Iterator[tuple[int, int, Identifier]]:
    for match in _EPRINT_BIBCODE.finditer(text):
        yield match.start(), match.end(), Identifier("bibcode", match[0])


def _bibcodes(text: str) -> Iterator[tuple[int, int, Identifier]]:
    for match in _BIBCODE.finditer(text):
        value = match[0].replace("%26", "&")
        # nineteen letters after a year are a word; volume and page hold digits or filling dots
        if len(value) == 19 and 1500 <= int(value[:4]) <= 2100 and re.search(r"[\d.]", value[9:]):
            yield match.start(), match.end(), Identifier("bibcode", value)
