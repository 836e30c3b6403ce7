"""What is said of a download or a copy while it runs, and how it can fail."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from app.errors import AppError


class TransferState(StrEnum):
    """What a download or a copy is doing."""

    CONNECTING = "connecting"
    RUNNING = "running"
    WAITING = "waiting"
    """The host was slow or refused; it is tried again soon, `message` says why."""
    CHECKING = "checking"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class TransferProgress:
    """How far a download or a copy is, at most ten times a second; `total` None: the host does not say."""

    name: str
    state: TransferState
    done: int = 0
    total: int | None = None
    bytes_per_s: float = 0.0
    message: str = ""
    """Which host, or what is waited for."""

    @property
    def share(self) -> float | None:
        """From 0 to 1, or None where the length is not known."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """By the present speed."""
        return (self.total - self.done) / self.bytes_per_s if self.total and self.bytes_per_s else None


OnTransfer = Callable[[TransferProgress], None]
"""Takes progress on the loop; never blocks."""


def ignore(_: TransferProgress) -> None:
    """Take progress and do nothing with it."""


class DownloadError(AppError):
    """A file could not be downloaded; what has come is kept, so that the next try goes on from there."""

    code = "download"
    hint = "Try again later: the download goes on where it ended."


class DownloadNetworkError(DownloadError):
    """No host could be reached, or all of them kept breaking off."""

    code = "download_network"
    hint = (
        "Check the network, or name a mirror in the settings (llm.model_hosts)."
        " What has come is kept: the next try goes on from there."
    )


class DownloadRefusedError(DownloadError):
    """The hosts do not have the file, or do not give it to us."""

    code = "download_refused"
    hint = "Choose another model or host (llm.model_hosts), or get the file with a browser and add it."


class DownloadDamagedError(DownloadError):
    """What came is not the file that was asked for."""

    code = "download_damaged"
    hint = "It was deleted. Try again, or another host (llm.model_hosts): this one may hold a changed file."


class DiskFullError(DownloadError):
    """There is no room for the file."""

    code = "disk_full"
    hint = "Free some space or delete a model, then try again: what has come is kept."


class Pace:
    """Thins progress out to ten reports a second and measures the speed over the last seconds."""

    def __init__(
        self, name: str, report: OnTransfer, clock: Callable[[], float], *, every_s: float = 0.1
    ) -> None:
        self._name = name
        self._report = report
        self._clock = clock
        self._every_s = every_s
        self._last = float("-inf")
        self._seen: deque[tuple[float, int]] = deque(maxlen=40)

    def moved(self, state: TransferState, done: int, total: int | None, message: str = "") -> None:
        """Report how far it is, unless that was done a moment ago."""
        now = self._clock()
        if now - self._last < self._every_s:
            return
        self._last = now
        self._seen.append((now, done))
        began, at = self._seen[0]
        speed = (done - at) / (now - began) if now > began and done > at else 0.0
        self._report(TransferProgress(self._name, state, done, total, speed, message))

    def became(self, state: TransferState, done: int, total: int | None, message: str = "") -> None:
        """Report a new state at once; the speed is measured anew."""
        self._seen.clear()
        self._last = float("-inf")
        self.moved(state, done, total, message)
