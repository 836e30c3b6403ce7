"""Which state of a file somebody has seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One state of a file; `digest` is the SHA-256 of its bytes, empty where it was not taken."""

    mtime_ns: int
    size: int
    digest: str = ""

    def same_as(self, other: FileVersion) -> bool:
        """Whether two versions hold the same bytes, as far as can be known: a touched file is unchanged."""
        if self.digest and other.digest:
            return self.digest == other.digest
        return (self.mtime_ns, self.size) == (other.mtime_ns, other.size)
