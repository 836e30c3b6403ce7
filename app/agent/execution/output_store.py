"""Large outputs: the whole is kept on disk, the model gets head, tail and the way to the rest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = "tool-results"


@dataclass(frozen=True, slots=True)
class Kept:
    """What enters the history, and the file that holds the whole (None where all of it enters)."""

    content: str
    path: Path | None = None


class OutputStore:
    """`<home>/tool-results/`: one file an output, written once under a name of ours."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    async def keep(self, content: str, *, max_chars: int, pages: bool) -> Kept:
        """Return what the model reads of an output.

        Outputs of at most `max_chars` characters stay as they are, those of tools that page (`pages`) up
        to the hard limit in bytes. A disk that refuses costs the middle of the output, never the call.
        """
        raise NotImplementedError

    def clean(self, max_age_days: float) -> int:
        """Delete outputs and leftovers older than that; blocking. Returns how many."""
        raise NotImplementedError
