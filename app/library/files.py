"""Files: the PDFs and Markdown texts of papers, each one manifestation of its work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import apsw

from app.errors import NotFoundError
from app.library import lookup, sql
from app.library.clock import now
from app.library.store import Store
from app.records.ids import FileId, PaperId


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file. `path` is relative to the library's `files` folder, with forward slashes.

    `status` is that of CONTRACT §2 (or "" while being imported); `indexed` is true once
    the passages of all its pages are written.
    """

    file_id: FileId
    paper_id: PaperId
    path: str
    sha256: str
    original_name: str
    size: int
    pages: int
    status: str
    message: str
    passages: int
    manifestation: str = ""
    indexed: bool = False
    trashed: bool = False


_SELECT = """
    SELECT f.id, w.paper_id, f.path, f.sha256, f.original_name, f.size, f.pages, f.status, f.message,
           (SELECT count(*) FROM passages p WHERE p.file_id = f.id), m.label, f.indexed,
           w.trashed_at IS NOT NULL
    FROM files f JOIN manifestations m ON m.id = f.manifestation_id JOIN works w ON w.id = m.work_id
"""


class Files:
    """The files table; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self,
        paper_id: PaperId,
        *,
        sha256: str,
        path: str | PurePath,
        original_name: str,
        size: int,
        pages: int,
        status: str,
        manifestation: str = "",
    ) -> FileId:
        """Attach a file to a paper. The same bytes again give the file that is there already."""
        with self._store.write() as connection:
            known = sql.first(connection, "SELECT id FROM files WHERE sha256 = ?", (sha256,))
            if known:
                return FileId(known[0])
            owner = manifestation_id(connection, lookup.work_id(connection, paper_id), manifestation)
            row = sql.row(
                connection,
                "INSERT INTO files(manifestation_id, sha256, path, original_name, size, pages, status,"
                " added_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (owner, sha256, PurePath(path).as_posix(), original_name, size, pages, status, now()),
            )
        return FileId(row[0])

    def by_hash(self, sha256: str) -> FileRow | None:
        """Return the file with these bytes, or None; look at `trashed` before calling it a duplicate."""
        with self._store.read() as connection:
            row = sql.first(connection, f"{_SELECT} WHERE f.sha256 = ?", (sha256,))
        return _file_row(row) if row else None

    def get(self, file_id: FileId) -> FileRow:
        """Return one file. Raises `NotFoundError`."""
        with self._store.read() as connection:
            row = sql.first(connection, f"{_SELECT} WHERE f.id = ?", (file_id,))
        if row is None:
            raise _no_file(file_id)
        return _file_row(row)

    def manages(self, relative: str) -> bool:
        """Whether a path relative to the `files` folder is that of a paper's file, in whatever case."""
        with self._store.read() as connection:
            found = sql.first(
                connection,
                "SELECT 1 FROM files WHERE path = ? COLLATE NOCASE",
                (PurePath(relative).as_posix(),),
            )
        return found is not None

    def set_status(self, file_id: FileId, status: str, message: str = "") -> None:
        """Say how the file fares. Raises `NotFoundError`."""
        with self._store.write() as connection:
            connection.execute(
                "UPDATE files SET status = ?, message = ? WHERE id = ?", (status, message, file_id)
            )
            if connection.changes() == 0:
                raise _no_file(file_id)

    def set_pages(self, file_id: FileId, pages: int) -> None:
        """Correct the page count once the file could be opened (after its password)."""
        with self._store.write() as connection:
            connection.execute("UPDATE files SET pages = ? WHERE id = ?", (pages, file_id))

    def unindexed(self) -> list[FileRow]:
        """Return the files whose passages are not all written yet, oldest first, trash left out."""
        with self._store.read() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE f.indexed = 0 AND w.trashed_at IS NULL ORDER BY f.id"
            ).fetchall()
        return [_file_row(row) for row in rows]


def files_of_work(connection: apsw.Connection, work: int) -> tuple[FileRow, ...]:
    """Return the files of a work, oldest first."""
    rows = connection.execute(f"{_SELECT} WHERE m.work_id = ? ORDER BY f.id", (work,))
    return tuple(_file_row(row) for row in rows)


def manifestation_id(connection: apsw.Connection, work: int, label: str) -> int:
    """Return the key of the work's manifestation of this label, made if it is new."""
    connection.execute("INSERT OR IGNORE INTO manifestations(work_id, label) VALUES (?, ?)", (work, label))
    row = sql.row(connection, "SELECT id FROM manifestations WHERE work_id = ? AND label = ?", (work, label))
    return int(row[0])


def _file_row(row: tuple[Any, ...]) -> FileRow:
    return replace(FileRow(*row), indexed=bool(row[-2]), trashed=bool(row[-1]))


def _no_file(file_id: FileId) -> NotFoundError:
    return NotFoundError(
        f"No file {file_id} in the library.", hint="It may have been deleted; open its paper again."
    )
