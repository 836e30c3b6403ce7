"""One turn at a time in a conversation, also between processes that share a library."""

from __future__ import annotations

import hashlib
from pathlib import Path

from app.errors import HomeError
from app.records.ids import SessionId
from app.services.home_lock import HomeLock
from app.services.owners import FOLDER


class TurnLock:
    """Held while a turn runs; the system frees it when its process dies. Blocking.

    It is what tells a turn that a crash has cut from one that another window is just running.
    """

    def __init__(self, home: Path, session: SessionId) -> None:
        digest = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:16]
        self._path = home / FOLDER / f"turn-{digest}.lock"
        self._lock = HomeLock(self._path)

    def acquire(self) -> bool:
        """Try to take it; False while another process has it. Raises HomeError."""
        try:
            self._path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise HomeError(
                f"The library folder {self._path.parent.parent} cannot be written: {error.strerror}.",
                hint="Give your account write permission for it, or pick another folder with --home.",
            ) from error
        return self._lock.acquire()

    def release(self) -> None:
        """Give it back."""
        self._lock.remove()
