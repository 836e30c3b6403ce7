"""Finding passages: by words (FTS5, BM25) and by meaning (vectors of an embedding model)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from app.library import lookup, sql, vectors, words
from app.library.passages import hits_for
from app.library.store import Store
from app.library.words import Words
from app.records.ids import PaperId
from app.records.passage import PassageHit

HEADER_WEIGHT = 2.0
"""How much a word in "title | section" counts against one in the text (measured: literature.md §3.3)."""

RESCORED = 4
"""Candidates taken by Hamming distance for each hit that is wanted, at least `_LEAST_RESCORED`."""

_LEAST_RESCORED = 200

# Files of the papers asked for; without papers, all but those in the trash.
_FILES_OF = (
    "SELECT f.id FROM files f JOIN manifestations m ON m.id = f.manifestation_id"
    " WHERE m.work_id IN (SELECT value FROM json_each(:works))"
)
_FILES_IN_TRASH = (
    "SELECT f.id FROM works w JOIN manifestations m ON m.work_id = w.id"
    " JOIN files f ON f.manifestation_id = m.id WHERE w.trashed_at IS NOT NULL"
)


class PassageSearch:
    """The search index; thread rules as in `store`. Papers in the trash are never found."""

    def __init__(self, store: Store) -> None:
        self._store = store

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
            statement, values = _nearest(index, _scope(connection, papers))
            values |= {"vector": vector, "limit": limit, "candidates": max(limit * RESCORED, _LEAST_RESCORED)}
            rows = sql.rows(connection, statement, values)
            return hits_for(connection, [(i, 1.0 - distance) for i, distance in rows])

    def models(self) -> dict[str, int]:
        """Return the embedding models of the index, each with the number of passages it has vectors of."""
        with self._store.read() as connection:
            return {
                index.model: int(sql.value(connection, f"SELECT count(*) FROM {index.vectors}"))
                for index in vectors.all_indexes(connection)
            }

    def drop_model(self, model: str) -> None:
        """Remove the index of a model, once another serves in its place."""
        with self._store.write() as connection:
            vectors.drop(connection, model)


def _scope(connection: apsw.Connection, papers: Sequence[PaperId] | None) -> str | None:
    """Return the works to search as JSON, None for all."""
    return None if papers is None else json.dumps(lookup.work_ids(connection, papers))


def _by_words(
    connection: apsw.Connection, wanted: Words, scope: str | None, limit: int
) -> list[tuple[int, float]]:
    found: dict[int, float] = {}
    for table, expression, rank in (
        ("passages_fts", wanted.match(), f"bm25(passages_fts, {HEADER_WEIGHT}, 1.0)"),
        ("passages_cjk", wanted.match_runs(), "bm25(passages_cjk)"),
    ):
        if expression:
            statement = _ranked(table, rank, scope)
            values = {"match": expression, "works": scope, "limit": limit}
            for passage, score in connection.execute(statement, values):
                found[passage] = found.get(passage, 0.0) - score
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _ranked(table: str, rank: str, scope: str | None) -> str:
    # the unary plus keeps SQLite from running the match once for every passage of the scope
    files = f"IN ({_FILES_OF})" if scope is not None else f"NOT IN ({_FILES_IN_TRASH})"
    return (
        f"SELECT {table}.rowid, {rank} AS score FROM {table}"
        f" WHERE {table} MATCH :match"
        f" AND (SELECT file_id FROM passages WHERE id = {table}.rowid) {files}"
        " ORDER BY score LIMIT :limit"
    )


def _nearest(index: vectors.VectorIndex, scope: str | None) -> tuple[str, dict[str, Any]]:
    """SQL for the nearest vectors: exact within given papers, by codes first in the whole library."""
    # a vector of zeros has no direction: as far as can be told, it is like nothing
    distance = "coalesce(vec_distance_cosine(vec_int8(v.embedding), vec_int8(:vector)), 1.0) AS distance"
    if scope is not None:
        statement = (
            f"SELECT v.passage_id, {distance} FROM passages p JOIN {index.vectors} v ON v.passage_id = p.id"
            f" WHERE p.file_id IN ({_FILES_OF}) ORDER BY distance LIMIT :limit"
        )
        return statement, {"works": scope}
    statement = (
        f"SELECT v.passage_id, {distance} FROM (SELECT passage_id FROM {index.codes}"
        "  ORDER BY vec_distance_hamming(vec_bit(code), vec_quantize_binary(vec_int8(:vector)))"
        f"  LIMIT :candidates) c JOIN {index.vectors} v ON v.passage_id = c.passage_id"
        " JOIN passages p ON p.id = v.passage_id"
        f" WHERE p.file_id NOT IN ({_FILES_IN_TRASH}) ORDER BY distance LIMIT :limit"
    )
    return statement, {}
