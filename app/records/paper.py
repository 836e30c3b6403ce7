"""The bibliographic record of a paper, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.records.identifiers import Identifier


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """What is known of a paper; empty fields mean "not known", never a guess.

    `authors` are full names in printed order, as "Given Surname" or a collaboration.
    `provenance` says per field where the value came from ("xmp", "page 1", "ads", …).
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    volume: str = ""
    pages: str = ""
    abstract: str = ""
    doctype: str = ""
    identifiers: tuple[Identifier, ...] = ()
    provenance: dict[str, str] = field(default_factory=dict)

    def identifier(self, kind: str) -> str | None:
        """Return the first identifier of this kind ("doi", "arxiv", "bibcode"), or None."""
        return next((i.value for i in self.identifiers if i.kind == kind), None)
