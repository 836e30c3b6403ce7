"""Tags, collections and the trash: how papers are put in order. All of it can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from app.errors import NotFoundError, UsageError
from app.library import lookup, sql, undo
from app.library.clock import now
from app.library.store import Store
from app.library.undo import UndoEntry
from app.records.ids import PaperId


@dataclass(frozen=True, slots=True)
class TagRow:
    """A tag and how many papers have it."""

    name: str
    papers: int


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection and how many papers lie in it directly."""

    collection_id: int
    name: str
    parent_id: int | None
    papers: int


class Shelves:
    """Tags, collections and the trash; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set_tags(self, ids: Sequence[PaperId], tags: Sequence[str]) -> None:
        """Give each of the papers exactly these tags."""
        with undo.recorded(self._store, "Set tags") as connection:
            for work in lookup.work_ids(connection, ids):
                connection.execute("DELETE FROM work_tags WHERE work_id = ?", (work,))
                _add_tags(connection, work, tags)
            _drop_unused_tags(connection)

    def add_tags(self, ids: Sequence[PaperId], tags: Sequence[str]) -> None:
        """Add tags to papers and keep those they have."""
        with undo.recorded(self._store, "Add tags") as connection:
            for work in lookup.work_ids(connection, ids):
                _add_tags(connection, work, tags)

    def remove_tags(self, ids: Sequence[PaperId], tags: Sequence[str]) -> None:
        """Take tags away from papers."""
        with undo.recorded(self._store, "Remove tags") as connection:
            for work in lookup.work_ids(connection, ids):
                connection.executemany(
                    "DELETE FROM work_tags WHERE work_id = ?"
                    " AND tag_id IN (SELECT id FROM tags WHERE name = ?)",
                    [(work, tag.strip()) for tag in tags],
                )
            _drop_unused_tags(connection)

    def tags(self) -> list[TagRow]:
        """Return all tags by name, with their papers outside the trash counted."""
        with self._store.read() as connection:
            return [
                TagRow(name, papers)
                for name, papers in connection.execute(
                    "SELECT name, count(w.id) FROM tags LEFT JOIN work_tags ON tag_id = tags.id"
                    " LEFT JOIN works w ON w.id = work_id AND w.trashed_at IS NULL"
                    " GROUP BY tags.id ORDER BY name"
                )
            ]

    def collections(self) -> list[CollectionRow]:
        """Return all collections by name; `parent_id` makes the tree."""
        with self._store.read() as connection:
            return [
                CollectionRow(*row)
                for row in connection.execute(
                    "SELECT c.id, c.name, c.parent_id, count(w.id) FROM collections c"
                    " LEFT JOIN collection_works cw ON cw.collection_id = c.id"
                    " LEFT JOIN works w ON w.id = cw.work_id AND w.trashed_at IS NULL"
                    " GROUP BY c.id ORDER BY c.name COLLATE NOCASE, c.id"
                )
            ]

    def add_collection(self, name: str, parent_id: int | None = None) -> int:
        """Make a collection, inside another one if `parent_id` is given; returns its id."""
        if not name.strip():
            raise UsageError("A collection needs a name.", hint="Type one.")
        with undo.recorded(self._store, "New collection") as connection:
            if parent_id is not None:
                _require_collection(connection, parent_id)
            row = sql.row(
                connection,
                "INSERT INTO collections(name, parent_id) VALUES (?, ?) RETURNING id",
                (name.strip(), parent_id),
            )
        return int(row[0])

    def rename_collection(self, collection_id: int, name: str) -> None:
        """Give a collection another name. Raises `NotFoundError`."""
        with undo.recorded(self._store, "Rename collection") as connection:
            _require_collection(connection, collection_id)
            connection.execute("UPDATE collections SET name = ? WHERE id = ?", (name.strip(), collection_id))

    def remove_collection(self, collection_id: int) -> None:
        """Remove a collection and those inside it; the papers stay in the library."""
        with undo.recorded(self._store, "Remove collection") as connection:
            _require_collection(connection, collection_id)
            connection.execute("DELETE FROM collections WHERE id = ?", (collection_id,))

    def put_in_collection(self, ids: Sequence[PaperId], collection_id: int) -> None:
        """Put papers into a collection. Raises `NotFoundError`."""
        with undo.recorded(self._store, "Add to collection") as connection:
            _require_collection(connection, collection_id)
            connection.executemany(
                "INSERT OR IGNORE INTO collection_works(collection_id, work_id) VALUES (?, ?)",
                [(collection_id, work) for work in lookup.work_ids(connection, ids)],
            )

    def take_from_collection(self, ids: Sequence[PaperId], collection_id: int) -> None:
        """Take papers out of a collection."""
        with undo.recorded(self._store, "Remove from collection") as connection:
            connection.executemany(
                "DELETE FROM collection_works WHERE collection_id = ? AND work_id = ?",
                [(collection_id, work) for work in lookup.work_ids(connection, ids)],
            )

    def trash(self, ids: Sequence[PaperId]) -> None:
        """Put papers into the trash: they leave the list and every search, nothing is deleted."""
        with undo.recorded(self._store, "Move to trash") as connection:
            at = now()
            connection.executemany(
                "UPDATE works SET trashed_at = ? WHERE id = ? AND trashed_at IS NULL",
                [(at, work) for work in lookup.work_ids(connection, ids)],
            )

    def restore(self, ids: Sequence[PaperId]) -> None:
        """Take papers out of the trash."""
        with undo.recorded(self._store, "Restore from trash") as connection:
            connection.executemany(
                "UPDATE works SET trashed_at = NULL WHERE id = ?",
                [(work,) for work in lookup.work_ids(connection, ids)],
            )

    def purge(self, ids: Sequence[PaperId]) -> list[str]:
        """Delete papers that are in the trash for good; returns the paths of their files, to be removed."""
        with self._store.write(durable=True) as connection:
            paths: list[str] = []
            for work in lookup.work_ids(connection, ids):
                paths += [
                    str(row[0])
                    for row in connection.execute(
                        "SELECT path FROM files JOIN manifestations m ON m.id = manifestation_id"
                        " JOIN works w ON w.id = m.work_id WHERE w.id = ? AND w.trashed_at IS NOT NULL",
                        (work,),
                    )
                ]
                connection.execute("DELETE FROM works WHERE id = ? AND trashed_at IS NOT NULL", (work,))
        return paths

    def undo(self) -> UndoEntry | None:
        """Take back the last trash, restore, merge, tag or collection change; see `undo.undo`."""
        return undo.undo(self._store)

    def undoable(self) -> UndoEntry | None:
        """Return what `undo` would take back, or None."""
        return undo.last(self._store)


def _add_tags(connection: apsw.Connection, work: int, tags: Sequence[str]) -> None:
    for tag in tags:
        name = " ".join(tag.split())
        if name:
            connection.execute("INSERT OR IGNORE INTO tags(name) VALUES (?)", (name,))
            connection.execute(
                "INSERT OR IGNORE INTO work_tags(work_id, tag_id) SELECT ?, id FROM tags WHERE name = ?",
                (work, name),
            )


def _drop_unused_tags(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM tags WHERE id NOT IN (SELECT tag_id FROM work_tags)")


def _require_collection(connection: apsw.Connection, collection_id: int) -> None:
    if sql.first(connection, "SELECT 1 FROM collections WHERE id = ?", (collection_id,)) is None:
        raise NotFoundError(
            f"No collection {collection_id} in the library.", hint="It may have been removed."
        )
