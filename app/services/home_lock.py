"""A lock on the library folder between processes; the system frees it however its holder ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

from app.errors import HomeError


class HomeLock:
    """One named lock, a file in the library folder. Not for threads: one object, one holder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    def acquire(self) -> bool:
        """Try to take the lock, without waiting; False while another process has it.

        Raises HomeError if the lock file cannot be written.
        """
        if self._file is not None:
            return True
        try:
            file = self._path.open("a+b")
        except OSError as error:
            raise HomeError(
                f"{self._path.name} in the library folder cannot be written: {error.strerror}.",
                hint="Check the permissions of the folder, or pick another with --home.",
            ) from error
        if not _lock(file):
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Give the lock back; the file stays, because removing it would race with another holder."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
