"""Merging: which records are one work, and what the record of that work says.

A shared identifier joins; failing that an equal title with the same first author and
nearly the same year, unless an identifier contradicts. Companion papers (I and II) and
errata stay apart whatever they share.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from app.records.identifiers import Identifier, arxiv_of_bibcode
from app.records.names import ascii_key, surname
from app.records.paper import PaperRecord
from app.records.titles import is_generic, normalise, part, same_title

_KINDS_APART = frozenset(
    {"abstract", "catalog", "erratum", "phdthesis", "proposal", "software", "talk", "mastersthesis"}
)
"""Types of record that may carry a paper's title without being that paper."""

_ERRATUM = re.compile(
    r"\b(?:erratum|errata|corrigend(?:um|a)|addendum|retraction|correction)\b\s*(?:to|for|:|$)"
    r"|^(?:second |third )?correction\b",
    re.IGNORECASE,
)


def same_work(a: PaperRecord, b: PaperRecord) -> bool:
    """Whether two records are manifestations of one work."""
    if _apart(a, b):
        return False
    return bool(keys(a) & keys(b)) or _alike(a, b)


def groups(records: Sequence[PaperRecord]) -> list[list[int]]:
    """Return the indexes of records that are one work, each group and all groups in order.

    Joins chain: a preprint and an article that name no common identifier meet through
    a third record that names both, unless they are kept apart themselves.
    """
    found: list[list[int]] = []
    by_key: dict[Identifier | str, list[int]] = defaultdict(list)
    home: dict[int, list[int]] = {}
    for index, record in enumerate(records):
        handles: set[Identifier | str] = {*keys(record), normalise(record.title)}
        near = dict.fromkeys(other for handle in sorted(handles, key=str) for other in by_key[handle])
        joined = [index]
        for other in near:
            group = home[other]
            if group is joined or not same_work(record, records[other]):
                continue
            if any(_apart(records[i], records[j]) for i in joined for j in group):
                continue
            group += joined
            joined = group
            for member in group:
                home[member] = group
        home[index] = joined
        for handle in handles:
            by_key[handle].append(index)
    for index in range(len(records)):
        group = home[index]
        if min(group) == index:
            found.append(sorted(group))
    return found


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


def keys(record: PaperRecord) -> frozenset[Identifier]:
    """Return the identifiers of a record, with the arXiv ids that its bibcodes encode."""
    encoded = (arxiv_of_bibcode(i.value) for i in record.identifiers if i.kind == "bibcode")
    return frozenset(record.identifiers) | {i for i in encoded if i is not None}


def is_erratum(record: PaperRecord) -> bool:
    """Whether the record corrects another paper."""
    return record.doctype == "erratum" or bool(_ERRATUM.search(record.title))


def _apart(a: PaperRecord, b: PaperRecord) -> bool:
    """Whether two records are different works even if they share an identifier."""
    if is_erratum(a) != is_erratum(b):
        return True
    if is_erratum(a) and a.title and b.title and not same_title(a.title, b.title):
        return True
    first, second = part(a.title), part(b.title)
    return bool(first and second and first != second)


def _alike(a: PaperRecord, b: PaperRecord) -> bool:
    """The fallback without a common identifier: title, first author and year, nothing against it."""
    if is_generic(a.title) or not same_title(a.title, b.title) or part(a.title) != part(b.title):
        return False
    if not a.authors or not b.authors or a.year is None or b.year is None or abs(a.year - b.year) > 1:
        return False
    if a.doctype and b.doctype and a.doctype != b.doctype and {a.doctype, b.doctype} & _KINDS_APART:
        return False
    return _first_author(a) == _first_author(b) and not _contradict(a, b)


def _first_author(record: PaperRecord) -> str:
    return ascii_key(surname(record.authors[0]))


def _contradict(a: PaperRecord, b: PaperRecord) -> bool:
    """Whether both have identifiers of one kind and none in common; an e-print's bibcode is no rival."""
    for kind in ("arxiv", "doi", "bibcode"):
        ours, theirs = ({i.value for i in keys(r) if i.kind == kind and not _eprint(i)} for r in (a, b))
        if ours and theirs and not ours & theirs:
            return True
    return False


def _eprint(identifier: Identifier) -> bool:
    return identifier.kind == "bibcode" and arxiv_of_bibcode(identifier.value) is not None
