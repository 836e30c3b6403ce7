"""Papers: one row a work, with its names and identifiers."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import apsw

from app.errors import NotFoundError
from app.library import lookup, sql
from app.library.clock import moment, now
from app.library.files import FileRow, files_of_work
from app.library.record_rows import owner_of, read_record, write_record
from app.library.storable import storable
from app.library.store import Store
from app.records import identifiers, names, titles
from app.records.identifiers import Identifier
from app.records.ids import PaperId
from app.records.paper import PaperRecord

_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class PaperDetail:
    """All that is known of one paper."""

    record: PaperRecord
    paper_id: PaperId
    files: tuple[FileRow, ...]
    note_count: int
    passage_count: int
    tags: tuple[str, ...]
    collections: tuple[str, ...]
    added_at: datetime
    trashed: bool = False
    unread: bool = True


class Records:
    """Adding, changing and finding papers; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, record: PaperRecord) -> PaperId:
        """Add a paper. Raises `LibraryError` ("identifier_taken") if one of its identifiers is taken."""
        with self._store.write() as connection:
            paper_id = _new_id(connection)
            at = now()
            connection.execute(
                "INSERT INTO works(paper_id, added_at, updated_at) VALUES (?, ?, ?)", (paper_id, at, at)
            )
            write_record(connection, lookup.work_id(connection, paper_id), record)
        return paper_id

    def update(self, paper_id: PaperId, record: PaperRecord) -> None:
        """Replace what is known of a paper; headers of its passages follow a new title."""
        with self._store.write() as connection:
            work = lookup.work_id(connection, paper_id)
            (old_title,) = sql.row(connection, "SELECT title FROM works WHERE id = ?", (work,))
            write_record(connection, work, record)
            if old_title != record.title:
                _retitle_headers(connection, work, str(old_title), record.title)

    def get(self, paper_id: PaperId) -> PaperDetail:
        """Return one paper, also from the trash. Raises `NotFoundError`."""
        with self._store.read() as connection:
            work = lookup.work_id(connection, paper_id)
            real_id, added_at, trashed_at, unread = sql.row(
                connection, "SELECT paper_id, added_at, trashed_at, unread FROM works WHERE id = ?", (work,)
            )
            files = files_of_work(connection, work)
            return PaperDetail(
                record=read_record(connection, work),
                paper_id=PaperId(real_id),
                files=files,
                note_count=_count(connection, "SELECT count(*) FROM notes WHERE work_id = ?", work),
                passage_count=sum(file.passages for file in files),
                tags=_texts(
                    connection,
                    "SELECT name FROM tags JOIN work_tags ON tag_id = id WHERE work_id = ? ORDER BY name",
                    work,
                ),
                collections=_texts(
                    connection,
                    "SELECT name FROM collections JOIN collection_works ON collection_id = collections.id"
                    " WHERE work_id = ? ORDER BY name",
                    work,
                ),
                added_at=moment(added_at),
                trashed=trashed_at is not None,
                unread=bool(unread),
            )

    def resolve(self, text: str) -> PaperId:
        """Return the paper that an id, bibcode, arXiv id, DOI or URL names. Raises `NotFoundError`."""
        name = storable(text).strip()
        with self._store.read() as connection:
            row = sql.first(
                connection,
                "SELECT works.paper_id FROM works LEFT JOIN paper_aliases a ON a.work_id = works.id"
                " WHERE works.paper_id = :name OR a.paper_id = :name",
                {"name": name.lower()[:64]},
            )
            if row is not None:
                return PaperId(row[0])
            known = identifiers.parse(name)
            found = known and owner_of(connection, known)
            if found:
                return found
        raise NotFoundError(
            f'No paper "{name[:80]}" in the library.',
            hint="Give a paper id from `astroresearch list`, a bibcode, an arXiv id, a DOI or its URL.",
        )

    def find_by_identifier(self, identifier: Identifier) -> PaperId | None:
        """Return the paper that has this identifier, or None."""
        with self._store.read() as connection:
            return owner_of(connection, identifier)

    def candidates(self, record: PaperRecord) -> list[tuple[PaperId, PaperRecord]]:
        """Return papers that may be the same work.

        They share an identifier, the title, or the first author and how the title begins.
        Papers in the trash are among them.
        """
        key = titles.normalise(record.title)
        first = names.ascii_key(names.surname(record.authors[0])) if record.authors else ""
        with self._store.read() as connection:
            found = [
                row[0]
                for identifier in record.identifiers
                for row in connection.execute(
                    "SELECT work_id FROM identifiers WHERE kind = ? AND value = ?",
                    (identifier.kind, identifier.value),
                )
            ]
            if key and not titles.is_generic(record.title):
                found += [
                    row[0]
                    for row in connection.execute(
                        "SELECT id FROM works WHERE title_key = :key UNION"
                        " SELECT works.id FROM names JOIN works ON works.id = work_id"
                        " WHERE position = 0 AND surname_key = :first AND :first <> ''"
                        " AND substr(title_key, 1, 20) = substr(:key, 1, 20) LIMIT 50",
                        {"key": key, "first": first},
                    )
                ]
            return [
                (_paper_id(connection, work), read_record(connection, work)) for work in dict.fromkeys(found)
            ]

    def labels(self, paper_ids: Iterable[PaperId]) -> dict[PaperId, str]:
        """Return the short names of these papers ("Riess+ 2016"), by title where there is no author."""
        with self._store.read() as connection:
            rows = sql.rows(
                connection,
                "SELECT paper_id, title, authors, year FROM works"
                " WHERE paper_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(paper_ids)),),
            )
        return {PaperId(key): _label(title, authors, year) for key, title, authors, year in rows}

    def mark_read(self, paper_id: PaperId, unread: bool = False) -> None:
        """Note that a paper was opened (or is unread again)."""
        with self._store.write() as connection:
            connection.execute(
                "UPDATE works SET unread = ? WHERE id = ?",
                (int(unread), lookup.work_id(connection, paper_id)),
            )


def _label(title: str, authors: str, year: int | None) -> str:
    if authors:
        return names.label(authors.split("\n"), year)
    short = title if len(title) <= 32 else f"{title[:31].rstrip()}…"
    return f"{short} {year or ''}".strip()


def _retitle_headers(connection: apsw.Connection, work: int, old: str, new: str) -> None:
    """A passage's header is "title | section": keep the search index true to the title."""
    connection.execute(
        "UPDATE passages SET header = :new || substr(header, length(:old) + 1)"
        " WHERE substr(header, 1, length(:old)) = :old AND file_id IN ("
        " SELECT f.id FROM files f JOIN manifestations m ON m.id = f.manifestation_id"
        " WHERE m.work_id = :work)",
        {"new": new, "old": old, "work": work},
    )


def _paper_id(connection: apsw.Connection, work: int) -> PaperId:
    return PaperId(sql.value(connection, "SELECT paper_id FROM works WHERE id = ?", (work,)))


def _new_id(connection: apsw.Connection) -> PaperId:
    while True:
        name = "".join(secrets.choice(_ID_LETTERS) for _ in range(8))
        taken = sql.first(
            connection,
            "SELECT 1 FROM works WHERE paper_id = :id UNION ALL"
            " SELECT 1 FROM paper_aliases WHERE paper_id = :id",
            {"id": name},
        )
        if taken is None:
            return PaperId(name)


def _count(connection: apsw.Connection, statement: str, work: int) -> int:
    return int(sql.value(connection, statement, (work,)))


def _texts(connection: apsw.Connection, statement: str, work: int) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in connection.execute(statement, (work,)))
