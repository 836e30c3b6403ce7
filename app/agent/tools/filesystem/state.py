"""What an agent knows of files: which version it saw last, and which pages are still before its eyes.

Two things with two lives. The version is a guard against writing over what somebody else changed, and
stays as long as the conversation. That the model *has the text* holds only until the context is
compacted: `bump_generation` ends it, and the next reading gives the text again.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from app.services.files.versions import FileVersion

__all__ = ["FileStateCache", "FileVersion", "PageKey"]

MOST_KEPT = 1000

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class PageKey:
    """A page of a file in one version, as it was asked for; lines count from 1."""

    path: Path
    offset: int
    limit: int | None
    version: FileVersion


class FileStateCache:
    """The files of one conversation. Used from the loop alone; paths are resolved ones."""

    def __init__(self) -> None:
        self.generation = 0
        self._versions: dict[Path, FileVersion] = {}
        self._pages: dict[tuple[Path, int, int | None], None] = {}
        self._shown: dict[PageKey, int] = {}

    def version(self, path: Path) -> FileVersion | None:
        """Return the version that the model saw or wrote last; None if it knows nothing of the file."""
        return self._versions.get(path)

    def note_read(self, page: PageKey) -> None:
        """The model gets this page now."""
        self._versions.pop(page.path, None)
        self._versions[page.path] = page.version
        where = (page.path, page.offset, page.limit)
        self._pages.pop(where, None)
        self._pages[where] = None
        self._shown[page] = self.generation
        _drop_oldest(self._versions)
        _drop_oldest(self._pages)
        _drop_oldest(self._shown)

    def note_written(self, path: Path, version: FileVersion, *, knew: FileVersion | None) -> None:
        """The model changed a file that was in version `knew` before; None for a new one.

        If somebody else had changed it since the model's last look, it still has to look again.
        """
        seen = self._versions.get(path)
        if knew is None or (seen is not None and seen.same_as(knew)):
            self._versions.pop(path, None)
            self._versions[path] = version

    def take_seen(self, page: PageKey) -> bool:
        """Whether the model has this very page in its context, so that a stub will do.

        True once: who asks again after the stub has lost the text after all, and gets it.
        """
        return self._shown.pop(page, -1) == self.generation

    def bump_generation(self) -> None:
        """The context was compacted: what was shown before may be gone from it. Versions stay."""
        self.generation += 1
        self._shown.clear()

    def recent(self, most: int) -> list[tuple[Path, int, int | None]]:
        """Return the pages read last, newest first, as (path, offset, limit): to be restored."""
        return list(reversed(self._pages))[:most]


def _drop_oldest(kept: MutableMapping[Key, Any]) -> None:
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
