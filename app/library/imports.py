"""The import queue: what was asked for, what runs, what came of it. Survives any end of the program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import NotFoundError
from app.library.clock import now
from app.library.store import Store
from app.library.tables import ImportItems
from app.records.ids import PaperId


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One file on its way into the library.

    `state` is "queued", "running" or "done"; `status` the result (CONTRACT §2) once done;
    `attempts` counts starts, also those the program did not live to finish.
    """

    id: int
    path: Path
    batch: str
    state: str
    status: str
    attempts: int
    paper_id: PaperId | None
    message: str


class Imports:
    """The import_items table; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def enqueue(self, paths: Sequence[Path], *, batch: str) -> list[int]:
        """Put files at the end of the queue, all or none; returns their ids."""
        at = now()
        with self._store.write(durable=True):
            return [
                int(
                    ImportItems.insert(path=_stored(path), batch=batch, created_at=at, updated_at=at).execute(
                        self._store.db
                    )
                )
                for path in paths
            ]

    def pending(self) -> list[ImportItem]:
        """Return what is not done, in order; "running" ones were cut short if nobody is at them."""
        return self._items(ImportItems.state != "done")

    def of_batch(self, batch: str) -> list[ImportItem]:
        """Return the files that were enqueued together, in order."""
        return self._items(ImportItems.batch == batch)

    def get(self, item_id: int) -> ImportItem:
        """Return one item. Raises `NotFoundError`."""
        found = self._items(ImportItems.id == item_id)
        if not found:
            raise NotFoundError(f"No import {item_id}.", hint="It was cleared from the queue.")
        return found[0]

    def start(self, item_id: int) -> ImportItem:
        """Count an attempt, on the disk before the work begins: so a file that kills us is known."""
        with self._store.write(durable=True):
            ImportItems.update(state="running", attempts=ImportItems.attempts + 1, updated_at=now()).where(
                ImportItems.id == item_id
            ).execute(self._store.db)
            return self.get(item_id)

    def release(self, item_id: int) -> None:
        """Put a running item back and take its attempt back: it was stopped on purpose, nothing killed us."""
        with self._store.write(durable=True):
            ImportItems.update(state="queued", attempts=ImportItems.attempts - 1, updated_at=now()).where(
                (ImportItems.id == item_id) & (ImportItems.state == "running")
            ).execute(self._store.db)

    def finish(self, item_id: int, status: str, paper_id: PaperId | None = None, message: str = "") -> None:
        """Record the one result of a file; it is on the disk when this returns, with all it rests on."""
        with self._store.write(durable=True):
            ImportItems.update(
                state="done", status=status, paper_id=paper_id, message=message, updated_at=now()
            ).where(ImportItems.id == item_id).execute(self._store.db)

    def clear_done(self) -> None:
        """Forget the finished ones."""
        with self._store.write():
            ImportItems.delete().where(ImportItems.state == "done").execute(self._store.db)

    def _items(self, condition: object) -> list[ImportItem]:
        with self._store.read():
            rows = ImportItems.select().where(condition).order_by(ImportItems.id).execute(self._store.db)
            return [
                ImportItem(
                    id=row.id,
                    path=_path(row.path),
                    batch=row.batch,
                    state=row.state,
                    status=row.status,
                    attempts=row.attempts,
                    paper_id=PaperId(row.paper_id) if row.paper_id else None,
                    message=row.message,
                )
                for row in rows
            ]


_BYTES = "bytes:"
"""Before a path that is not Unicode, which follows in hexadecimal; no absolute path begins so."""


def _stored(path: Path) -> str:
    """Return the path as text that SQLite keeps and `_path` turns back into the same path."""
    try:
        return str(path).encode().decode()
    except UnicodeEncodeError:
        return _BYTES + os.fsencode(path).hex()


def _path(text: str) -> Path:
    if text.startswith(_BYTES):
        return Path(os.fsdecode(bytes.fromhex(text.removeprefix(_BYTES))))
    return Path(text)
