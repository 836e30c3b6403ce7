"""What services rely on of the store of passages and of the search index.

SQLite in the home folder is one way to keep these promises (`passages`, `search`). A
group's library on PostgreSQL with pgvector would be another, without a change above
this floor. All methods block, and may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from app.records.ids import FileId, PaperId, PassageId
from app.records.passage import Passage, PassageHit, PassageKind


class PassageStore(Protocol):
    """Passages, always written and removed together with their entries in every index."""

    def write(
        self,
        file_id: FileId,
        passages: Sequence[Passage],
        vectors: Sequence[bytes] | None,
        *,
        model: str,
        headers: Sequence[str],
        through_page: int,
        done: bool,
    ) -> list[PassageId]:
        """Write the next pages of a file, all or nothing, and how far it got."""
        ...

    def add_vectors(self, ids: Sequence[PassageId], vectors: Sequence[bytes], *, model: str) -> None:
        """Write the vectors of passages that were written without."""
        ...

    def without_vectors(
        self, model: str, limit: int = 256, *, after: int = 0
    ) -> list[tuple[PassageId, str, str, PassageKind]]:
        """Return `(id, header, text, kind)` of passages beyond `after` that have no vector of the model."""
        ...

    def progress(self, file_id: FileId) -> int:
        """Return the first page that is not written yet."""
        ...

    def delete(self, file_id: FileId) -> None:
        """Remove the passages of a file from the store and every index."""
        ...

    def get(self, passage_id: PassageId) -> PassageHit:
        """Return one passage with its paper."""
        ...

    def of_file(self, file_id: FileId, page: int | None = None) -> list[PassageHit]:
        """Return the passages of a file or page in reading order."""
        ...

    def count(self) -> int:
        """Return how many passages there are."""
        ...


class SearchIndex(Protocol):
    """Finding passages; papers in the trash are never found."""

    def keyword(
        self, query: str, *, papers: Sequence[PaperId] | None = None, limit: int = 50
    ) -> list[PassageHit]:
        """Return the passages that match the words best; any string is a query."""
        ...

    def semantic(
        self, vector: bytes, *, model: str, papers: Sequence[PaperId] | None = None, limit: int = 50
    ) -> list[PassageHit]:
        """Return the passages whose vectors of this model are nearest."""
        ...

    def models(self) -> dict[str, int]:
        """Return the embedding models there are vectors of, and how many."""
        ...

    def indexed_with(self) -> list[str]:
        """Return the embedding models there is an index of, oldest first, without counting."""
        ...

    def drop_model(self, model: str) -> None:
        """Remove the vectors of a model."""
        ...
