"""Placing: which paper a file belongs to, and the rows that say so, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from app.library import Library
from app.library.files import FileRow
from app.records.ids import FileId, PaperId
from app.records.merge import merged, same_work
from app.records.paper import PaperRecord
from app.services.importing.file_store import FileStore, Fingerprint, Staged
from app.services.importing.formats import FROM_FILE_NAME, titled


class Place(Enum):
    """How a file came to its paper."""

    NEW = auto()
    """The paper was not in the library."""
    JOINED = auto()
    """Another file of a work that was there."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a file is now; `record` is what the library knows of its paper."""

    paper_id: PaperId
    file_id: FileId
    path: str
    record: PaperRecord
    place: Place


class Placer:
    """Decides and writes; all calls block. Callers take turns, so that two files cannot both be first."""

    def __init__(self, library: Library, store: FileStore) -> None:
        self._library = library
        self._store = store

    def known(self, sha256: str) -> FileRow | None:
        """Return the file with this content; a paper in the trash is taken out of it first."""
        row = self._library.files.by_hash(sha256)
        if row is not None and row.trashed:
            self._library.papers.restore([row.paper_id])
        return row

    def place(
        self,
        record: PaperRecord,
        staged: Staged,
        seen: Fingerprint,
        original_name: str,
        manifestation: str = "",
    ) -> Placed:
        """Give a staged file to its paper, a new one if the work is not in the library yet.

        Rows and the file's move are one step: nothing remains if any of it fails.
        """
        library = self._library
        with library.transaction():
            work = self._same_work(record)
            if work is None:
                full = titled(record, original_name)
                paper_id = library.papers.add(full)
            else:
                paper_id, known = work
                full = self._joined(paper_id, known, record)
                if full != known:
                    library.papers.update(paper_id, full)
            path = self._store.settle(staged, paper_id)
            file_id = library.files.add(
                paper_id,
                sha256=seen.sha256,
                path=path,
                original_name=original_name,
                size=seen.size,
                pages=0,
                status="",
                manifestation=manifestation,
            )
        return Placed(paper_id, file_id, path, full, Place.NEW if work is None else Place.JOINED)

    def recognised_later(self, row: FileRow, record: PaperRecord) -> PaperRecord:
        """Fill in what a file says once it could be opened; return the paper's record."""
        known = self._library.papers.get(row.paper_id).record
        full = titled(self._joined(row.paper_id, known, record), row.original_name)
        if full != known:
            self._library.papers.update(row.paper_id, full)
        return full

    def _same_work(self, record: PaperRecord) -> tuple[PaperId, PaperRecord] | None:
        for paper_id, known in self._library.papers.candidates(record):
            if same_work(known, record):
                if self._library.papers.get(paper_id).trashed:
                    self._library.papers.restore([paper_id])
                return paper_id, known
        return None

    def _joined(self, paper_id: PaperId, known: PaperRecord, found: PaperRecord) -> PaperRecord:
        """Merge; what a person or a service said stays, a title that was only a file name goes.

        An identifier that another paper has is left with it.
        """
        if found.title and known.provenance.get("title") == FROM_FILE_NAME:
            kept = {k: v for k, v in known.provenance.items() if k != "title"}
            known = replace(known, title="", provenance=kept)
        owner = self._library.papers.find_by_identifier
        free = tuple(i for i in found.identifiers if owner(i) in (None, paper_id))
        return merged(known, replace(found, identifiers=free))
