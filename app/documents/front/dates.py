"""The year of a paper, from the dates printed around its front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.documents.front.lines import Line
from app.records.titles import normalise

MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)


def printed_year(lines: Sequence[Line], title: str) -> tuple[int, str] | None:
    """Return the year of publication printed among these lines, and the kind of line it came from.

    A publication date wins over the issue, that over a preprint's date, that over the
    dates of acceptance, copyright and submission and over a date standing alone. Dates
    within sentences do not count.
    """
    found = [candidate for text in _with_labels(lines) for candidate in _years(text, normalise(title)[:40])]
    if not found:
        return None
    best = min(range(len(found)), key=lambda i: (_KINDS.index(found[i][0]), i))
    return found[best][1], found[best][0]


_KINDS = (
    "journal line", "citation", "publication date", "issue", "preprint date", "acceptance date", "copyright",
    "submission date", "date",
)  # fmt: skip
_LABELS = (
    ("publication date", r"\bpublished(?: online)?\b|\bpublication date\b|网络首发|出版"),
    ("preprint date", r"\b(?:draft|preprint|version|compiled|typeset|dated?|revision|arxiv)\b"),
    ("acceptance date", r"\baccepted\b|接受|录用"),
    ("submission date", r"\b(?:received|submitted|revised)\b|收稿|修回"),
)
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b(?:{_DAY}\s+)?(?:{MONTHS})\b\.?,?\s*(?:{_DAY}(?:\s*[-–]\s*\d{{1,2}})?,?\s+)?(?P<year>{_YEAR})\b"
    rf"|\b(?P<first>{_YEAR})\s+(?:{MONTHS})\b"
    rf"|\b(?P<iso>{_YEAR})[-/.](?:0?[1-9]|1[0-2])[-/.](?:[0-2]?\d|3[01])\b"
    rf"|(?P<cjk>{_YEAR})\s*年",
    re.IGNORECASE,
)
_LABEL_ALONE = re.compile(
    r"^\W*(?:received|accepted|published(?: online)?|revised|date|dated)\W*$", re.IGNORECASE
)
_HEADLINE = re.compile(rf"^\s*(?:mnras|apj[ls]?|aj|a&a|pasp)\s+\d{{1,4}}\s*,.*\(({_YEAR})\)", re.IGNORECASE)
_ISSUE = re.compile(
    r"\b(?:vol(?:ume)?|no|issue|pp|conference|workshop|symposium|proceedings)\b|第.{1,4}期"
    r"|\b[A-Z]{3,8}\s?[’'`]\d\d\b",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(rf"(?:©|\(c\)|copyright|⃝)\D{{0,40}}({_YEAR})\b", re.IGNORECASE)
_ALONE = re.compile(rf"^\W*(?:\w+day,?\s+)?(?:[A-Za-z.]+\s+){{0,2}}\(?({_YEAR})\)?\W*$")


def _with_labels(lines: Sequence[Line]) -> Iterator[str]:
    """The texts; a label with its date in the line below is read with it."""
    for line in lines:
        below = [
            other
            for other in lines
            if other.box[1] >= line.box[3] - 2
            and min(other.box[2], line.box[2]) > max(other.box[0], line.box[0])
        ]
        alone = _LABEL_ALONE.match(line.text) and below
        yield f"{line.text} {below[0].text}" if alone else line.text


def _years(text: str, title: str) -> Iterator[tuple[str, int]]:
    if len(text) > 260:
        return
    if match := _HEADLINE.match(text):
        yield "journal line", int(match[1])
    if len(title) > 15 and title in normalise(text) and (match := re.search(rf"\(({_YEAR})\)", text)):
        yield "citation", int(match[1])
    if match := _COPYRIGHT.search(text):
        yield "copyright", int(match[1])
    for date in _DATE.finditer(text):
        year = int(date["year"] or date["first"] or date["iso"] or date["cjk"])
        labels = [
            (date.start() - label.start(), kind)
            for kind, pattern in _LABELS
            for label in re.finditer(pattern, text[: date.start()], re.IGNORECASE)
        ]
        if labels:
            yield min(labels)[1], year
        elif len(text) - len(date[0]) < 24:
            yield "date", year
    if len(text) < 160 and _ISSUE.search(text) and (match := re.search(rf"\b({_YEAR})\b", text)):
        yield "issue", int(match[1])
    if match := _ALONE.match(text):
        yield "date", int(match[1])
