"""Keeping a word search quick in a large library.

BM25 costs about a microsecond a passage that matches, and a word such as "galaxy" is in
every fourth one. A word that common says little: where fewer passages are enough, only
those are ranked which have one of the rarer words of the query, or else all its words, or
else one of them in the title or section; all words still add to their score. Libraries
below `COMMON` passages are always searched in full.
"""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from app.library import sql
from app.library.words import Words

COMMON = 20_000
"""A word in at least this many passages is common."""


def expression(connection: apsw.Connection, words: Words, *, enough: int) -> str:
    """Return the FTS5 expression for the words, narrowed if at least `enough` passages remain."""
    full = words.match()
    if not full or words.phrases or _found(connection, full) < COMMON:
        return full
    for narrow in _narrower(connection, [f'"{term}"' for term in words.terms]):
        if enough <= _found(connection, narrow) < COMMON:
            return f"({narrow}) AND ({full})"
    return full


def _narrower(connection: apsw.Connection, terms: list[str]) -> Iterator[str]:
    """Yield what to require, the least first."""
    rare = [term for term in terms if _found(connection, term) < COMMON]
    if rare:
        yield " OR ".join(rare)
    yield " AND ".join(terms)
    yield f"header : ({' OR '.join(terms)})"


def _found(connection: apsw.Connection, match: str) -> int:
    """Count the passages that match, up to `COMMON`."""
    statement = "SELECT count(*) FROM (SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?)"
    return int(sql.value(connection, statement, (match, COMMON)))
