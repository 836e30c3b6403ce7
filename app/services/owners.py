"""Which processes work in a library folder: each holds a lock file that the system frees when it dies."""

from __future__ import annotations

import secrets
import threading
import time
from pathlib import Path

from app.errors import HomeError
from app.services.home_lock import HomeLock

FOLDER = "running"

_OLD_S = 3600.0


class Owner:
    """This process, as one of those that work in a library folder. Blocking; for any thread."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self.name = secrets.token_hex(8)
        self._lock = HomeLock(self._path(self.name))
        self._claiming = threading.Lock()

    def claim(self) -> str:
        """Show that this process lives, and return its name. Raises HomeError."""
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise HomeError(
                f"The library folder {self._folder.parent} cannot be written: {error.strerror}.",
                hint="Give your account write permission for it, or pick another folder with --home.",
            ) from error
        with self._claiming:
            if not self._lock.held:
                self._lock.acquire()
                self._sweep()
        return self.name

    def alive(self, name: str) -> bool:
        """Whether the process of this name still works; the file of a dead one is removed.

        Where that cannot be seen it counts as alive: its work is not taken for lost.
        """
        path = self._path(name)
        if name == self.name:
            return self._lock.held
        if not path.is_file():
            return False
        lock = HomeLock(path)
        try:
            if not lock.acquire():
                return True
        except HomeError:
            return True
        lock.remove()
        return False

    def release(self) -> None:
        """Show no longer that this process lives."""
        with self._claiming:
            if self._lock.held:
                self._lock.remove()

    def _sweep(self) -> None:
        """Remove the files of the dead. A new one may be about to be locked: only old ones are looked at."""
        before = time.time() - _OLD_S
        for path in self._folder.glob("*.lock"):
            try:
                old = path.stat().st_mtime < before
            except OSError:
                continue  # another process has just removed it
            if old:
                self.alive(path.stem)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"
