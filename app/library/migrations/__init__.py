"""Numbered steps that bring a library's file to the schema of this program, forward only.

All steps that are due run in one transaction, after a verified backup; killed half-way,
the file is as it was. A new step is one module here plus one line in `STEPS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.errors import LibraryError
from app.library import backup, sql
from app.library.migrations import m0001_start, m0002_agent
from app.library.store import Store

APPLICATION_ID = 0x41737452
"""SQLite's mark of whose file it is: "AstR"."""

STEPS: tuple[str, ...] = (m0001_start.SQL, m0002_agent.SQL)
"""SQL of each step; a file at version n has had the first n."""


def migrate(store: Store, backups: Path, *, steps: Sequence[str] = STEPS) -> Path | None:
    """Bring the file to the newest schema; return the backup made before, if one was due.

    Raises `LibraryError`: "library_newer" for a file of a newer program,
    "library_foreign" for a database that is not ours, "backup_failed".
    """
    version = _checked_version(store, len(steps))
    if version == len(steps):
        return None
    copy = None
    if version > 0:
        copy = backup.back_up(store.connection(), backups, label=f"before-v{len(steps)}")
    with store.write(durable=True) as connection:
        # another process may have done it while this one made the backup
        for step in steps[_checked_version(store, len(steps)) :]:
            connection.execute(step)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={len(steps)}")
    return copy


def _checked_version(store: Store, newest: int) -> int:
    with store.read() as connection:
        version = int(sql.value(connection, "PRAGMA user_version"))
        owner = int(sql.value(connection, "PRAGMA application_id"))
        empty = sql.value(connection, "SELECT count(*) FROM sqlite_schema") == 0
    if not empty and owner != APPLICATION_ID:
        raise LibraryError(
            f"{store.path} is the database of another program.",
            hint="Pick another folder with --home, or move that file away.",
            code="library_foreign",
        )
    if version > newest:
        raise LibraryError(
            f"This library was written by a newer AstroResearch (schema {version}; this one knows {newest}).",
            hint="Update AstroResearch; the library was not changed.",
            code="library_newer",
        )
    return version
