"""Names for the keys and counters that must not be mixed up."""

from __future__ import annotations

from typing import NewType

PaperId = NewType("PaperId", str)
"""A work in the library: eight lower-case base-32 characters."""

FileId = NewType("FileId", int)
PassageId = NewType("PassageId", int)
NoteId = NewType("NoteId", str)
SessionId = NewType("SessionId", str)

PageIndex = NewType("PageIndex", int)
"""Zero-based place of a page in its file: what the program jumps to."""

PageLabel = NewType("PageLabel", str)
"""What is printed on the page ("iv", "L15"): what a person cites."""
