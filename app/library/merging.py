"""Merging two papers that are one work: the union of everything, and it can be undone."""

from __future__ import annotations

from app.errors import UsageError
from app.library import lookup, sql, undo
from app.library.files import manifestation_id
from app.library.record_rows import read_record, write_record
from app.library.store import Store
from app.records.ids import PaperId
from app.records.merge import merged


class Merging:
    """Merging papers; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def merge(self, keep: PaperId, other: PaperId) -> None:
        """Make one paper of two: what `keep` says wins, what only `other` knows is added.

        Files, notes, tags, collections and identifiers become those of `keep`; the id
        `other` finds it from then on. One transaction; `undo` restores every row.
        """
        with undo.recorded(self._store, "Merge papers") as connection:
            kept, gone = lookup.work_id(connection, keep), lookup.work_id(connection, other)
            if kept == gone:
                raise UsageError("A paper cannot be merged with itself.", hint="Select two papers.")
            both = merged(read_record(connection, kept), read_record(connection, gone))
            (gone_id, gone_unread) = sql.row(
                connection, "SELECT paper_id, unread FROM works WHERE id = ?", (gone,)
            )
            for old, label in sql.rows(
                connection, "SELECT id, label FROM manifestations WHERE work_id = ?", (gone,)
            ):
                connection.execute(
                    "UPDATE files SET manifestation_id = ? WHERE manifestation_id = ?",
                    (manifestation_id(connection, kept, label), old),
                )
            ids = {"kept": kept, "gone": gone}
            connection.execute("UPDATE notes SET work_id = :kept WHERE work_id = :gone", ids)
            connection.execute("UPDATE paper_aliases SET work_id = :kept WHERE work_id = :gone", ids)
            connection.execute(
                "INSERT OR IGNORE INTO work_tags SELECT :kept, tag_id FROM work_tags WHERE work_id = :gone",
                ids,
            )
            connection.execute(
                "INSERT OR IGNORE INTO collection_works SELECT collection_id, :kept FROM collection_works"
                " WHERE work_id = :gone",
                ids,
            )
            if not gone_unread:
                connection.execute("UPDATE works SET unread = 0 WHERE id = :kept", {"kept": kept})
            connection.execute("DELETE FROM works WHERE id = :gone", {"gone": gone})
            connection.execute("INSERT INTO paper_aliases(paper_id, work_id) VALUES (?, ?)", (gone_id, kept))
            write_record(connection, kept, both)
