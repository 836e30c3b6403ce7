"""What the application tells whoever is looking: the library changed, an import moved on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.records.ids import PaperId


class LibraryChangeKind(StrEnum):
    """What happened to the papers named in a change."""

    PAPERS_ADDED = "papers_added"
    PAPERS_CHANGED = "papers_changed"
    PASSAGES_ADDED = "passages_added"
    NOTES_CHANGED = "notes_changed"


@dataclass(frozen=True, slots=True)
class LibraryChanged:
    """Something committed to the library that a view may be showing."""

    kind: LibraryChangeKind
    paper_ids: tuple[PaperId, ...]


class ImportState(StrEnum):
    """Where a file is in the import queue."""

    WAITING = "waiting"
    READING = "reading"
    INDEXING = "indexing"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """One step of one file; `done` of `total` pages are searchable (`total` 0: not known yet).

    `status` is the import status once `state` is finished, else empty.
    """

    item_id: int
    path: Path
    state: ImportState
    status: str = ""
    paper_id: PaperId | None = None
    done: int = 0
    total: int = 0
    message: str = ""

    @property
    def finished(self) -> bool:
        """Whether this is the last step of the file."""
        return self.state is ImportState.FINISHED


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """Something the person should know that concerns no single file; `level` as in events."""

    level: str
    message: str


Change = LibraryChanged | ImportProgress | NoticeGiven
