"""Passages: what is searched, quoted and marked, written with both indexes or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from app.errors import LibraryError, NotFoundError
from app.library import cjk, sql
from app.library import vectors as vector_index
from app.library.geometry import pack_lines, unpack_lines
from app.library.storable import storable
from app.library.store import Store
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Passage, PassageHit, PassageKind

_HIT_COLUMNS = (
    "p.id, p.file_id, w.paper_id, w.title, p.page, p.page_label, p.start, p.stop, p.text, p.section, p.kind,"
    " p.lines, p.prefix, p.suffix"
)
_HIT_TABLES = (
    "passages p JOIN files f ON f.id = p.file_id JOIN manifestations m ON m.id = f.manifestation_id"
    " JOIN works w ON w.id = m.work_id"
)


class Passages:
    """The passages table and its indexes; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(
        self,
        file_id: FileId,
        passages: Sequence[Passage],
        vectors: Sequence[bytes] | None,
        *,
        model: str,
        headers: Sequence[str],
        through_page: int,
        done: bool,
    ) -> list[PassageId]:
        """Write the passages of the pages from `progress(file_id)` up to and with `through_page`.

        One transaction: passages, full text, vectors and progress. `vectors` may be None:
        the words are found at once and `add_vectors` follows. `done` says that these were
        the last pages. A batch whose pages were written before raises `LibraryError`
        ("already_indexed"), so that a resumed import can never double them.
        """
        if len(headers) != len(passages) or (vectors is not None and len(vectors) != len(passages)):
            raise ValueError("one header and one vector for each passage")
        with self._store.write() as connection:
            start = _next_page(connection, file_id)
            if through_page < start or any(not start <= p.page <= through_page for p in passages):
                raise LibraryError(
                    f"Pages before {start} of file {file_id} are indexed already.",
                    hint="Continue from `progress`, or delete the passages of the file first.",
                    code="already_indexed",
                )
            first = _last_id(connection) + 1
            ids = list(range(first, first + len(passages)))
            _insert(connection, file_id, ids, passages, headers)
            if vectors is not None:
                vector_index.insert(connection, model, ids, vectors)
            connection.execute(
                "UPDATE files SET next_page = ?, indexed = ? WHERE id = ?",
                (through_page + 1, int(done), file_id),
            )
        return [PassageId(i) for i in ids]

    def add_vectors(self, ids: Sequence[PassageId], vectors: Sequence[bytes], *, model: str) -> None:
        """Write vectors of passages that have none of this model; ids deleted meanwhile are left out."""
        with self._store.write() as connection:
            alive = _alive(connection, ids)
            rows = [(i, v) for i, v in zip(ids, vectors, strict=True) if i in alive]
            vector_index.insert(connection, model, [i for i, _ in rows], [v for _, v in rows])

    def without_vectors(
        self, model: str, limit: int = 256, *, after: int = 0
    ) -> list[tuple[PassageId, str, str, PassageKind]]:
        """Return `(id, header, text, kind)` of passages that have no vector of this model, oldest first.

        Only ids above `after` are looked at: who goes through a large library need not begin at its start.
        """
        with self._store.read() as connection:
            index = vector_index.index_of(connection, model)
            missing = (
                f"AND NOT EXISTS (SELECT 1 FROM {index.vectors} v WHERE v.passage_id = p.id)" if index else ""
            )
            rows = sql.rows(
                connection,
                f"SELECT id, header, text, kind FROM passages p WHERE id > ? {missing} ORDER BY id LIMIT ?",
                (after, limit),
            )
        return [(PassageId(i), header, text, PassageKind(kind)) for i, header, text, kind in rows]

    def progress(self, file_id: FileId) -> int:
        """Return the first page of the file whose passages are not written yet."""
        with self._store.read() as connection:
            return _next_page(connection, file_id)

    def delete(self, file_id: FileId) -> None:
        """Remove the passages of a file from everywhere; indexing starts again at page 0."""
        with self._store.write() as connection:
            connection.execute("DELETE FROM passages WHERE file_id = ?", (file_id,))
            connection.execute("UPDATE files SET next_page = 0, indexed = 0 WHERE id = ?", (file_id,))

    def get(self, passage_id: PassageId) -> PassageHit:
        """Return one passage with its paper. Raises `NotFoundError`."""
        with self._store.read() as connection:
            hits = hits_for(connection, [(passage_id, 0.0)])
        if not hits:
            raise NotFoundError(
                f"Passage {passage_id} is no longer in the library.",
                hint="Its file was deleted or indexed again.",
            )
        return hits[0]

    def of_file(self, file_id: FileId, page: int | None = None) -> list[PassageHit]:
        """Return the passages of a file, or of one of its pages, in reading order."""
        with self._store.read() as connection:
            where = "p.file_id = ?" if page is None else "p.file_id = ? AND p.page = ?"
            rows = connection.execute(
                f"SELECT {_HIT_COLUMNS} FROM {_HIT_TABLES} WHERE {where} ORDER BY p.page, p.start, p.id",
                (file_id,) if page is None else (file_id, page),
            ).fetchall()
        return [_hit(row, 0.0) for row in rows]

    def count(self) -> int:
        """Return how many passages the library has."""
        with self._store.read() as connection:
            return int(sql.value(connection, "SELECT count(*) FROM passages"))


def hits_for(connection: apsw.Connection, scored: Sequence[tuple[int, float]]) -> list[PassageHit]:
    """Return the passages of these ids with their scores, in order; ids that are gone are left out."""
    wanted = json.dumps([passage_id for passage_id, _ in scored])
    rows = connection.execute(
        f"SELECT {_HIT_COLUMNS} FROM {_HIT_TABLES} WHERE p.id IN (SELECT value FROM json_each(?))", (wanted,)
    )
    found = {row[0]: row for row in rows}
    return [_hit(found[passage_id], score) for passage_id, score in scored if passage_id in found]


def _insert(
    connection: apsw.Connection,
    file_id: FileId,
    ids: Sequence[int],
    passages: Sequence[Passage],
    headers: Sequence[str],
) -> None:
    connection.executemany(
        "INSERT INTO passages(id, file_id, page, page_label, start, stop, header, text, section, kind, lines,"
        " prefix, suffix) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                i,
                file_id,
                p.page,
                storable(p.page_label),
                p.start,
                p.end,
                storable(header),
                storable(p.text),
                storable(p.section),
                str(p.kind),
                pack_lines(p.lines),
                storable(p.prefix),
                storable(p.suffix),
            )
            for i, p, header in zip(ids, passages, headers, strict=True)
        ],
    )
    grams = [(i, cjk.grams(f"{h} {p.text}")) for i, p, h in zip(ids, passages, headers, strict=True)]
    connection.executemany(
        "INSERT INTO passages_cjk(rowid, grams) VALUES (?, ?)", [(i, text) for i, text in grams if text]
    )


def _next_page(connection: apsw.Connection, file_id: FileId) -> int:
    row = sql.first(connection, "SELECT next_page FROM files WHERE id = ?", (file_id,))
    if row is None:
        raise NotFoundError(
            f"No file {file_id} in the library.", hint="It was deleted while it was being indexed."
        )
    return int(row[0])


def _last_id(connection: apsw.Connection) -> int:
    """The highest id ever given, so that ids of deleted passages do not come back."""
    row = sql.first(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'passages'")
    return int(row[0]) if row else 0


def _alive(connection: apsw.Connection, ids: Sequence[PassageId]) -> set[int]:
    return {i for i in ids if sql.first(connection, "SELECT 1 FROM passages WHERE id = ?", (i,))}


def _hit(row: tuple[Any, ...], score: float) -> PassageHit:
    passage_id, file_id, paper_id, title, page, label, start, stop, text, section, kind, lines, *around = row
    passage = Passage(
        page=PageIndex(page),
        page_label=PageLabel(label),
        start=start,
        end=stop,
        text=text,
        section=section,
        kind=PassageKind(kind),
        lines=unpack_lines(lines),
        prefix=around[0],
        suffix=around[1],
    )
    return PassageHit(PassageId(passage_id), PaperId(paper_id), FileId(file_id), title, passage, score)
