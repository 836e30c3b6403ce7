"""Finding passages: by words (FTS5, BM25) and by meaning (vectors of an embedding model)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from app.library import lookup, narrowing, sql, vectors, words
from app.library.codes import CodeMemory
from app.library.passages import hits_for
from app.library.store import Store
from app.library.words import Words
from app.records.ids import PaperId
from app.records.passage import PassageHit

HEADER_WEIGHT = 2.0
"""How much a word in "title | section" counts against one in the text (measured: literature.md §3.3)."""

RESCORED = 8
"""Candidates taken by Hamming distance for each hit that is wanted."""

LEAST_RESCORED = 1000
"""Candidates that are rescored however few hits are wanted: a small library is searched exactly."""

# The passages of the papers asked for, :works as a JSON list; never those in the trash.
_PASSAGES_OF = (
    "SELECT p.id FROM works w JOIN manifestations m ON m.work_id = w.id"
    " JOIN files f ON f.manifestation_id = m.id JOIN passages p ON p.file_id = f.id"
    " WHERE w.id IN (SELECT value FROM json_each(:works)) AND w.trashed_at IS NULL"
)
_PASSAGES_IN_TRASH = (
    "SELECT p.id FROM works w JOIN manifestations m ON m.work_id = w.id"
    " JOIN files f ON f.manifestation_id = m.id JOIN passages p ON p.file_id = f.id"
    " WHERE w.trashed_at IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class _TextIndex:
    table: str
    rank: str


_WORD_INDEX = _TextIndex("passages_fts", f"bm25(passages_fts, {HEADER_WEIGHT}, 1.0)")
_CJK_INDEX = _TextIndex("passages_cjk", "bm25(passages_cjk)")


class PassageSearch:
    """The search index; thread rules as in `store`. Papers in the trash are never found."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._codes = CodeMemory()

    def keyword(
        self, query: str, *, papers: Sequence[PaperId] | None = None, limit: int = 50
    ) -> list[PassageHit]:
        """Return the passages that match the words best, best first; the score is BM25, higher is better.

        Any string is a query. Words in quotes must occur as they stand if any passage
        has them so; an empty list of `papers` finds nothing, None searches all.
        """
        wanted = words.parse(query)
        with self._store.read() as connection:
            scope = _scope(connection, papers)
            scored = _by_words(connection, wanted, scope, limit)
            if not scored and wanted.phrases:
                scored = _by_words(connection, wanted.loose(), scope, limit)
            return hits_for(connection, scored)

    def semantic(
        self, vector: bytes, *, model: str, papers: Sequence[PaperId] | None = None, limit: int = 50
    ) -> list[PassageHit]:
        """Return the passages nearest in meaning, best first; the score is the cosine, -1 to 1.

        Raises `LibraryError` if the vector does not have the model's dimension. Nothing
        is found in passages that have no vector of this model yet.
        """
        with self._store.read() as connection:
            index = vectors.index_of(connection, model)
            if index is None:
                return []
            index.check(vector)
            values: dict[str, Any] = {"vector": vector, "limit": limit}
            if papers is not None:
                values["works"] = json.dumps(lookup.work_ids(connection, papers))
                candidates = _PASSAGES_OF
            else:
                near = self._codes.nearest(connection, index, vector, max(limit * RESCORED, LEAST_RESCORED))
                values["near"] = json.dumps(near)
                candidates = f"SELECT value FROM json_each(:near) EXCEPT {_PASSAGES_IN_TRASH}"
            # a vector of zeros has no direction: as far as can be told, it is like nothing
            distance = "coalesce(vec_distance_cosine(vec_int8(embedding), vec_int8(:vector)), 1.0)"
            rows = sql.rows(
                connection,
                f"SELECT passage_id, {distance} AS distance FROM {index.vectors}"
                f" WHERE passage_id IN ({candidates}) ORDER BY distance, passage_id LIMIT :limit",
                values,
            )
            return hits_for(connection, [(int(i), 1.0 - distance) for i, distance in rows])

    def models(self) -> dict[str, int]:
        """Return the embedding models of the index, each with the number of passages it has vectors of."""
        with self._store.read() as connection:
            return {
                index.model: int(sql.value(connection, f"SELECT count(*) FROM {index.codes}"))
                for index in vectors.all_indexes(connection)
            }

    def indexed_with(self) -> list[str]:
        """Return the embedding models that have an index, oldest first; nothing is counted."""
        with self._store.read() as connection:
            return [index.model for index in vectors.all_indexes(connection)]

    def drop_model(self, model: str) -> None:
        """Remove the index of a model, once another serves in its place."""
        with self._store.write() as connection:
            vectors.drop(connection, model)
        self._codes.forget()


def _scope(connection: apsw.Connection, papers: Sequence[PaperId] | None) -> str | None:
    """Return the works to search as JSON, None for all."""
    return None if papers is None else json.dumps(lookup.work_ids(connection, papers))


def _by_words(
    connection: apsw.Connection, wanted: Words, scope: str | None, limit: int
) -> list[tuple[int, float]]:
    values: dict[str, Any] = {"works": scope, "limit": limit}
    if scope is not None:
        # only passages of the scope are ranked, so all that match may be
        statement, match_words = _WITHIN, wanted.match()
    else:
        # little is in the trash: it is taken out of the best, and not asked about at every match
        values["most"] = limit + int(sql.value(connection, f"SELECT count(*) FROM ({_PASSAGES_IN_TRASH})"))
        statement = _EVERYWHERE if values["most"] > limit else _WHERE_NO_TRASH_IS
        match_words = narrowing.expression(connection, wanted, enough=values["most"])
    found: dict[int, float] = {}
    for index, match in ((_WORD_INDEX, match_words), (_CJK_INDEX, wanted.match_runs())):
        if match:
            asked = statement.format(index=index.table, rank=index.rank)
            for passage, score in sql.rows(connection, asked, {**values, "match": match}):
                # SQLite's bm25 is lower for better
                found[passage] = found.get(passage, 0.0) - score
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]


_RANKED = "SELECT rowid AS passage, {rank} AS score FROM {index} WHERE {index} MATCH :match"
_WHERE_NO_TRASH_IS = f"{_RANKED} ORDER BY score LIMIT :limit"
_EVERYWHERE = (
    f"SELECT * FROM ({_RANKED} ORDER BY score LIMIT :most) WHERE passage NOT IN ({_PASSAGES_IN_TRASH})"
    " ORDER BY score LIMIT :limit"
)
# The unary plus keeps SQLite from running the match once for every passage of the scope.
_WITHIN = f"{_RANKED} AND +rowid IN ({_PASSAGES_OF}) ORDER BY score LIMIT :limit"
