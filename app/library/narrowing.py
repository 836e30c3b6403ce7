"""Keeping a word search quick in a large library.

BM25 costs about a microsecond a passage that matches, and a word such as "galaxy" is in
every fourth one. A word that common says little: when rarer words of the query already
find enough, a passage must have one of those, and the common ones only add to its score.
Libraries below `COMMON` passages are searched in full.
"""

from __future__ import annotations

import apsw

from app.library import sql
from app.library.words import Words

COMMON = 20_000
"""A word in at least this many passages is common."""


def expression(connection: apsw.Connection, words: Words, *, enough: int) -> str:
    """Return the FTS5 expression for the words, narrowed if at least `enough` passages remain."""
    full = words.match()
    if words.phrases or len(words.terms) < 2 or _found(connection, full, COMMON) < COMMON:
        return full
    counted = [(_found(connection, f'"{term}"', COMMON), term) for term in words.terms]
    rare = [term for found, term in counted if found < COMMON]
    if not rare or sum(found for found, term in counted if found < COMMON) < enough:
        return full
    required = " OR ".join(f'"{term}"' for term in rare)
    return f"({required}) AND ({full})"


def _found(connection: apsw.Connection, match: str, limit: int) -> int:
    statement = "SELECT count(*) FROM (SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?)"
    return int(sql.value(connection, statement, (match, limit)))
