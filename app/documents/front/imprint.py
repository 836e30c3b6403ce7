"""The imprint: journal, volume, page and year as printed, and the bibcode they make."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.records.identifiers import Identifier
from app.records.names import ascii_key, is_collaboration, surname


@dataclass(frozen=True, slots=True)
class Imprint:
    """Where a paper was printed. `journal` is the ADS abbreviation; `page` may be "L5" or "A16"."""

    journal: str
    volume: str
    page: str
    year: int


_JOURNALS = (
    ("MNRAS", r"(?:mnras|monthly notices of the royal.{,25}|mon\.?\s*not\.?\s*r\.?\s*astr\w*\.?\s*soc\.?)"),
    ("A&A", r"(?:a\s?&\s?a|astron\.?\s*(?:&|and)?\s*astrophys\.?|astronomy\s*(?:&|and)\s*astrophysics)"),
    ("ApJL", r"(?:apjl|the astrophysical journal letters|astrophys\.?\s*j\.?\s*lett\.?)"),
    ("ApJS", r"(?:apjs|the astrophysical journal supplement(?: series)?|astrophys\.?\s*j\.?\s*suppl\.?)"),
    ("ApJ", r"(?:apj|the astrophysical journal|astrophys\.?\s*j\.?)"),
    ("AJ", r"(?:aj|the astronomical journal|astron\.?\s*j\.?)"),
    ("PASP", r"(?:pasp|publications of the astronomical society of the pacific)"),
    ("PASJ", r"(?:pasj|publ\.?\s*astron\.?\s*soc\.?\s*(?:of\s*)?japan)"),
)  # fmt: skip
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_PAGE = r"(?P<page>[AL]?\d{1,5})"
_FORMS = (
    # A&A 443, 143–156 (2005) · MNRAS 465, 1–20 (2017) · A&A, 571, A16 (2014)
    rf",?\s*(?:vol\.?\s*)?(?P<volume>\d{{1,4}})\s*[,:]\s*{_PAGE}(?:\s*[^\w\s(),]\s*[AL]?\d+)?\s*\(\s*{_YEAR}\s*\)",
    # The Astrophysical Journal, 826:56 (31pp), 2016 July 20 · 500:525–553, 1998 June 20
    rf",?\s*(?P<volume>\d{{1,4}})\s*:\s*{_PAGE}(?:\s*[^\w\s(),]\s*[AL]?\d+)?\s*(?:\(\d+\s*pp\))?,\s*{_YEAR}\b",
    # MNRAS (2017) 465, 1–20 · ApJ 2016, 826, 56
    rf",?\s*\(?\s*{_YEAR}\s*\)?,?\s+(?P<volume>\d{{1,4}})\s*[,:]\s*{_PAGE}\b",
)


def journal_line(texts: Iterable[str]) -> Imprint | None:
    """Return the imprint of the first line that begins with a journal, volume, page and year."""
    for text in texts:
        for name, pattern in _JOURNALS:
            for form in _FORMS:
                match = re.match(rf"\s*{pattern}{form}", text, re.IGNORECASE)
                if match and int(match["volume"]) > 0:
                    return Imprint(name, match["volume"], match["page"], int(match["year"]))
    return None


def bibcode(imprint: Imprint, first_author: str) -> Identifier | None:
    """Return the bibcode that ADS gives such an imprint, or None where it cannot be told."""
    family = ascii_key(surname(first_author)) if first_author else ""
    if not family or is_collaboration(first_author) or not family.isascii():
        return None
    journal, qualifier, page = imprint.journal, ".", imprint.page
    if page[0] in "AL":
        qualifier, page = page[0], page[1:]
    if journal == "ApJL":
        journal, qualifier = "ApJ", "L"
    place = f"{qualifier}{page.rjust(4, '.')}" if len(page) <= 4 else page.rjust(5, ".")
    value = f"{imprint.year}{journal.ljust(5, '.')}{imprint.volume.rjust(4, '.')}{place}{family[0].upper()}"
    return Identifier("bibcode", value) if len(value) == 19 else None
