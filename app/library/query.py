"""The query language of the library list. It never fails: what is no filter is a word.

`by:riess year:2016..2020 title:"hubble constant" tag:h0 has:pdf has:notes is:unread in:trash`,
an arXiv id, DOI or bibcode, and free words, all of which must occur in title, authors or
abstract. The last word may be unfinished: it is a prefix while nothing follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.library import cjk
from app.library.storable import storable
from app.records import identifiers
from app.records.identifiers import Identifier

MAX_QUERY = 2000
"""Characters of a query that are looked at; no one types more into a search box."""

_MAX_WORDS = 40
_ITEM = re.compile(r'(?:([A-Za-z]+):)?(?:"([^"]*)("?)|(\S+))')
_YEARS = re.compile(r"(\d{4})?(\.\.|-|–)?(\d{4})?")
_COLUMNS = {"by": "authors", "author": "authors", "title": "title", "abstract": "abstract"}
_FLAGS = {
    ("has", "pdf"), ("has", "file"), ("has", "notes"), ("has", "note"), ("has", "tags"), ("has", "abstract"),
    ("is", "unread"), ("is", "read"), ("in", "trash"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What is asked of the list; `match` is an FTS5 expression over works_fts, or ""."""

    match: str = ""
    years: tuple[tuple[int, int], ...] = ()
    tags: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    identifiers: tuple[Identifier, ...] = ()


def parse(text: str) -> ListQuery:
    """Read a query as a person typed it."""
    text = storable(text[:MAX_QUERY]).replace("\x00", " ")
    terms: list[str] = []
    years: list[tuple[int, int]] = []
    tags: list[str] = []
    flags: set[str] = set()
    known: list[Identifier] = []
    items = list(_ITEM.finditer(text))[:_MAX_WORDS]
    for item in items:
        key = (item[1] or "").lower()
        quoted = item[2] is not None
        value = item[2] if quoted else item[4]
        unfinished = item is items[-1] and item.end() == len(text) and not item[3]
        if not quoted and (identifier := identifiers.parse(item[0])):
            known.append(identifier)
        elif key == "tag" and value:
            tags.append(value)
        elif key == "year" and (span := _year_span(value)):
            years.append(span)
        elif (key, value.lower()) in _FLAGS:
            flags.add(f"{key}:{value.lower()}")
        elif key in _COLUMNS:
            terms += _terms(value, column=_COLUMNS[key], unfinished=unfinished)
        else:
            terms += _terms(f"{key} {value}" if key else value, column="", unfinished=unfinished)
    return ListQuery(" AND ".join(terms), tuple(years), tuple(tags), frozenset(flags), tuple(known))


def _terms(value: str, *, column: str, unfinished: bool) -> list[str]:
    """FTS5 strings of one word or phrase; punctuation inside a string separates tokens."""
    found = [f"grams : {cjk.phrase(run)}" for run in cjk.runs(value)]
    rest = cjk.without_runs(value).replace('"', " ").strip()
    if any(character.isalnum() for character in rest):
        prefix = "*" if unfinished and rest[-1].isalnum() else ""
        found.append(f'{column} : "{rest}"{prefix}' if column else f'"{rest}"{prefix}')
    return found


def _year_span(value: str) -> tuple[int, int] | None:
    match = _YEARS.fullmatch(value)
    if not match or not (match[1] or match[3]):
        return None
    first = int(match[1]) if match[1] else 0
    last = int(match[3]) if match[3] else (9999 if match[2] else first)
    return min(first, last), max(first, last)
