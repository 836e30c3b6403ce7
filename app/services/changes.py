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


class ReindexState(StrEnum):
    """Where the index of an embedding model is."""

    RUNNING = "running"
    WAITING = "waiting"
    """It goes on by itself: a service cannot be reached, another process is at it."""
    CANCELLED = "cancelled"
    FAILED = "failed"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """How far the index of the embedding model `model` is: `done` of `total` passages have vectors.

    Search uses the model before it until the state is finished. `code` and `message` say why it waits or
    failed, as those of an AppError ("consent_needed": the person must agree first). `seconds_left` None:
    not known.
    """

    state: ReindexState
    model: str
    done: int = 0
    total: int = 0
    message: str = ""
    code: str = ""
    seconds_left: float | None = None

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.total if self.total else 1.0

    def as_json(self) -> dict[str, object]:
        """Return the shape that `models reindex --json` prints."""
        return {
            "state": self.state.value,
            "model": self.model,
            "done": self.done,
            "total": self.total,
            "message": self.message,
        }


Change = LibraryChanged | ImportProgress | NoticeGiven | ReindexProgress
