"""Merging: which records are one work, and what the record of that work says."""

from __future__ import annotations

from app.records.names import ascii_key, surname
from app.records.paper import PaperRecord
from app.records.titles import is_generic, part, same_title


def same_work(a: PaperRecord, b: PaperRecord) -> bool:
    """Whether two records are manifestations of one work."""
    if set(a.identifiers) & set(b.identifiers):
        return True
    if is_generic(a.title) or not same_title(a.title, b.title) or part(a.title) != part(b.title):
        return False
    if not a.authors or not b.authors or a.year is None or b.year is None:
        return False
    return ascii_key(surname(a.authors[0])) == ascii_key(surname(b.authors[0])) and abs(a.year - b.year) <= 1


def merged(a: PaperRecord, b: PaperRecord) -> PaperRecord:
    """Return one record: what `a` says, then what only `b` knows; all identifiers."""
    return PaperRecord(
        title=a.title or b.title,
        authors=a.authors or b.authors,
        year=a.year if a.year is not None else b.year,
        journal=a.journal or b.journal,
        volume=a.volume or b.volume,
        pages=a.pages or b.pages,
        abstract=a.abstract or b.abstract,
        doctype=a.doctype or b.doctype,
        identifiers=tuple(dict.fromkeys((*a.identifiers, *b.identifiers))),
        provenance={**b.provenance, **a.provenance},
    )
