"""The library: one object for the database of a home folder, with a part for each of its tables."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from app.errors import HomeError
from app.library import checks
from app.library.audit import Audit
from app.library.backup import back_up
from app.library.files import Files
from app.library.imports import Imports
from app.library.journal import Journal
from app.library.listing import Listing
from app.library.mail import Mail
from app.library.memories import Memories
from app.library.merging import Merging
from app.library.migrations import migrate
from app.library.notes import NoteTable
from app.library.papers import Records
from app.library.passages import Passages
from app.library.protocols import PassageStore, SearchIndex
from app.library.search import PassageSearch
from app.library.shelves import Shelves
from app.library.state import StateTable
from app.library.store import Store, damaged
from app.library.tasks import Tasks

DATABASE = "library.sqlite3"


class Papers(Records, Listing, Shelves, Merging):
    """Everything about papers: records, the list, tags, collections, trash, merging, undo."""


@dataclass(frozen=True)
class Library:
    """An open library. Every method of every part may be called from any thread and blocks it.

    The files of papers lie in `files_dir`, verified copies of the database in `backups_dir`.
    """

    home: Path
    store: Store
    papers: Papers
    files: Files
    passages: PassageStore
    search: SearchIndex
    notes: NoteTable
    imports: Imports
    journal: Journal
    audit: Audit
    tasks: Tasks
    mail: Mail
    memories: Memories
    state: StateTable

    @classmethod
    def open(cls, home: Path) -> Library:
        """Open the library of a home folder, made if it is new and migrated if it is old.

        Raises `HomeError` (cannot be written) or `LibraryError` (damaged, newer than this
        program, another program's, disk full).
        """
        home = Path(home)
        try:
            home.mkdir(parents=True, exist_ok=True)
            (home / "files").mkdir(exist_ok=True)
        except OSError as error:
            raise HomeError(
                f"The library folder {home} cannot be made or written: {error.strerror}.",
                hint="Give your account write permission for it, or pick another folder with --home.",
            ) from error
        if _lost(home):
            raise damaged(home / DATABASE, "is empty or gone, but the papers' files are here")
        store = Store(home / DATABASE)
        try:
            migrate(store, home / "backups")
        except BaseException:
            store.close()
            raise
        journal = Journal(store)
        return cls(
            home=home,
            store=store,
            papers=Papers(store),
            files=Files(store),
            passages=Passages(store),
            search=PassageSearch(store),
            notes=NoteTable(store),
            imports=Imports(store),
            journal=journal,
            audit=Audit(store),
            tasks=Tasks(store, journal),
            mail=Mail(store, journal),
            memories=Memories(store),
            state=StateTable(store),
        )

    @property
    def files_dir(self) -> Path:
        """Where the files of papers lie; `FileRow.path` is relative to it."""
        return self.home / "files"

    @property
    def backups_dir(self) -> Path:
        """Where the verified copies of the database lie."""
        return self.home / "backups"

    def transaction(self, *, durable: bool = False) -> AbstractContextManager[object]:
        """One transaction around several calls of one thread: all of them or none; see `store`."""
        return self.store.write(durable=durable)

    def back_up(self) -> Path:
        """Make a verified copy of the database now; returns its path."""
        return back_up(self.store.connection(), self.backups_dir, label="manual")

    def verify(self) -> list[str]:
        """Return what is wrong with the database, in words; an empty list when all is well."""
        return checks.problems(self.store)

    def close(self) -> None:
        """Close all connections; nothing may be running."""
        self.store.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _lost(home: Path) -> bool:
    """Whether there are files of papers without a database: never begin anew beside them."""
    database = home / DATABASE
    empty = not database.exists() or database.stat().st_size == 0
    return empty and not (home / f"{DATABASE}-wal").exists() and any((home / "files").iterdir())
