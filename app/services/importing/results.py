"""What an import reports: one result a file, in the words of the contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.records.ids import PaperId
from app.records.paper import PaperRecord


class ImportStatus(StrEnum):
    """How the import of one file ended.

    A different PDF of a work that is already in the library is `ADDED`: the file is new,
    it joins that work. `DUPLICATE` means that nothing new came in.
    """

    ADDED = "added"
    DUPLICATE = "duplicate"
    NEEDS_PASSWORD = "needs_password"  # noqa: S105
    NO_TEXT = "no_text"
    NOT_PDF = "not_pdf"
    DAMAGED = "damaged"
    FAILED = "failed"

    @property
    def in_library(self) -> bool:
        """Whether the paper is in the library after this, so that it can at least be opened."""
        return self in _KEPT


_KEPT = frozenset(
    {ImportStatus.ADDED, ImportStatus.DUPLICATE, ImportStatus.NEEDS_PASSWORD, ImportStatus.NO_TEXT}
)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The one result of a file; `message` says in a line what happened and what to do.

    `paper_id` and the fields of the record are empty for files that are not in the library.
    """

    path: Path
    status: ImportStatus
    paper_id: PaperId | None = None
    record: PaperRecord = field(default_factory=PaperRecord)
    pages: int = 0
    passages: int = 0
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the shape of CONTRACT §2, `add`."""
        return {
            "path": str(self.path),
            "status": self.status.value,
            "paper_id": self.paper_id,
            "title": self.record.title,
            "authors": list(self.record.authors),
            "year": self.record.year,
            "identifiers": {kind: self.record.identifier(kind) for kind in ("doi", "arxiv", "bibcode")},
            "pages": self.pages,
            "passages": self.passages,
            "message": self.message,
        }
