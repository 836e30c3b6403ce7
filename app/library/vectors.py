"""Vectors of passages, one pair of tables a model: `vectors_N` and `codes_N`.

`vectors_N` holds the int8 vectors, `codes_N` one bit a dimension (its sign): a search
takes the nearest by code (see `codes`) and rescores them by cosine, with sqlite-vec's
functions. Plain tables and not vec0, because a search of 200,000 passages takes 190 ms in
vec0 here, and because a plain table can have a foreign key: a vector cannot outlive its
passage on any path of deletion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from app.errors import LibraryError
from app.library import sql

_MAKE = """
CREATE TABLE vectors_{0} (
    passage_id INTEGER PRIMARY KEY REFERENCES passages(id) ON DELETE CASCADE,
    embedding BLOB NOT NULL
) STRICT;
CREATE TABLE codes_{0} (
    seq INTEGER PRIMARY KEY,               -- order of writing: readers fetch what is new
    passage_id INTEGER NOT NULL UNIQUE REFERENCES vectors_{0}(passage_id) ON DELETE CASCADE,
    code BLOB NOT NULL
) STRICT;
CREATE TRIGGER codes_{0}_removed AFTER DELETE ON codes_{0} BEGIN
    UPDATE vector_models SET removals = removals + 1 WHERE id = {0};
END;
"""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The tables of one embedding model."""

    key: int
    model: str
    dim: int

    @property
    def vectors(self) -> str:
        """Name of the table of int8 vectors."""
        return f"vectors_{self.key}"

    @property
    def codes(self) -> str:
        """Name of the table of one-bit codes."""
        return f"codes_{self.key}"

    def check(self, vector: bytes) -> None:
        """Raise `LibraryError` unless the vector has this model's dimension."""
        if len(vector) != self.dim:
            raise LibraryError(
                f"A vector of {len(vector)} numbers came to the index of {self.model}, which has {self.dim}.",
                hint="The embedding model changed under the same name; give the new one a name of its own.",
                code="vector_dimension",
            )


def index_of(connection: apsw.Connection, model: str) -> VectorIndex | None:
    """Return the model's tables, or None if nothing was ever written with it."""
    row = sql.first(connection, "SELECT id, model, dim FROM vector_models WHERE model = ?", (model,))
    return VectorIndex(*row) if row else None


def all_indexes(connection: apsw.Connection) -> list[VectorIndex]:
    """Return the tables of all models, oldest first."""
    return [
        VectorIndex(*row)
        for row in connection.execute("SELECT id, model, dim FROM vector_models ORDER BY id")
    ]


def insert(connection: apsw.Connection, model: str, ids: Sequence[int], vectors: Sequence[bytes]) -> None:
    """Write vectors of existing passages, of which none has one yet; the first ones make the tables."""
    if not vectors:
        return
    index = index_of(connection, model) or _make(connection, model, len(vectors[0]))
    for vector in vectors:
        index.check(vector)
    rows = list(zip(ids, vectors, strict=True))
    connection.executemany(f"INSERT OR IGNORE INTO {index.vectors} VALUES (?, ?)", rows)
    connection.executemany(
        f"INSERT OR IGNORE INTO {index.codes}(passage_id, code) VALUES (?, vec_quantize_binary(vec_int8(?)))",
        rows,
    )


def drop(connection: apsw.Connection, model: str) -> None:
    """Remove a model's index, once another serves in its place."""
    if index := index_of(connection, model):
        connection.execute(f"DROP TABLE {index.codes}; DROP TABLE {index.vectors}")
        connection.execute("DELETE FROM vector_models WHERE id = ?", (index.key,))


def _make(connection: apsw.Connection, model: str, dim: int) -> VectorIndex:
    if dim == 0 or dim % 8:
        raise LibraryError(
            f"Vectors of {dim} numbers cannot be indexed: the number must be a multiple of eight.",
            hint="Choose another embedding model.",
            code="vector_dimension",
        )
    row = sql.row(
        connection, "INSERT INTO vector_models(model, dim) VALUES (?, ?) RETURNING id", (model, dim)
    )
    connection.execute(_MAKE.format(int(row[0])))
    return VectorIndex(int(row[0]), model, dim)
