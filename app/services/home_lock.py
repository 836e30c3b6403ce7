"""A lock on the library folder between processes; the system frees it however its holder ends."""

from __future__ import annotations

import contextlib
import os
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
        while True:
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
            if _is_at(file, self._path):
                self._file = file
                return True
            file.close()  # its last holder has removed it meanwhile: another may hold the new one

    def release(self) -> None:
        """Give the lock back; the file stays."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Give the lock back and remove its file, without a moment in which two could hold it."""
        if self._file is None:
            return
        if sys.platform == "win32":
            self.release()  # an open file cannot be removed there: whoever has taken it meanwhile keeps it
        with contextlib.suppress(OSError):
            self._path.unlink()
        self.release()


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _is_at(file: BinaryIO, path: Path) -> bool:
        return True  # what is open cannot be removed

else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _is_at(file: BinaryIO, path: Path) -> bool:
        """Whether the locked file is still the one that others find."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), path.stat())
        except OSError:
            return False
