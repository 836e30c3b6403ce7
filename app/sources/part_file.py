"""The part of a file that has come so far: `<name>.part`, and beside it where it came from. Blocks."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from app.sources.transfer import DiskFullError, DownloadError

PART, NOTE = ".part", ".part.json"
RESERVE = 256 * 2**20
"""Bytes that stay free on the disk whatever is downloaded."""
_BLOCK = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Source:
    """What the part came from: another file may not be appended to it."""

    url: str = ""
    etag: str = ""
    sha256: str = ""
    total: int | None = None


class PartFile:
    """Grows beside its final name and takes it in one step when it is whole. One thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.part = path.with_name(path.name + PART)
        self._note = path.with_name(path.name + NOTE)
        self._file: BinaryIO | None = None
        self._hash = hashlib.sha256()
        self._hashed = 0
        self.size = 0
        self.source = Source()

    def look(self) -> None:
        """Find out how much is there, and of what."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.size = self.part.stat().st_size
            said = json.loads(self._note.read_text("utf-8"))
            self.source = Source(str(said["url"]), str(said["etag"]), str(said["sha256"]), said["total"])
        except FileNotFoundError:
            self.source = Source()
        except (OSError, ValueError, LookupError, TypeError):
            self.source = Source()  # of a part nobody knows anything about: only a checksum can save it
        self._hash, self._hashed = hashlib.sha256(), 0

    def check_room(self, total: int | None, have: int) -> None:
        """Raise DiskFullError when the rest of `total` bytes leaves no room; `have` of them are there."""
        missing = max((total or 0) - have, 0)
        free = shutil.disk_usage(self.path.parent).free
        if missing + RESERVE > free:
            raise DiskFullError(
                f"{self.path.name} needs {gigabytes(missing)} more, and {gigabytes(max(free - RESERVE, 0))}"
                " are free on this disk."
            )

    def begin(self, source: Source, *, afresh: bool) -> None:
        """Open the part to append, or empty it first; from now on it is of this source."""
        self.close()
        if afresh or not self.part.exists():
            self.size = 0
            self._hash, self._hashed = hashlib.sha256(), 0
        self.source = source
        replace_text(self._note, json.dumps(asdict(source)))
        self._file = self.part.open("r+b" if self.size else "w+b")
        self._file.seek(self.size)
        self._file.truncate()

    def write(self, block: bytes) -> None:
        """Append. Raises DiskFullError, or DownloadError for another fault of the disk."""
        if self._file is None:
            raise ValueError("not begun")
        try:
            self._file.write(block)
        except OSError as error:
            raise _disk_error(error, self.path) from error
        if self._hashed == self.size:
            self._hash.update(block)
            self._hashed += len(block)
        self.size += len(block)

    def hash_step(self) -> bool:
        """Hash one more block of what lies on the disk; True when all is hashed."""
        if self._hashed < self.size:
            if self._file is not None:
                self._file.flush()
            with self.part.open("rb") as file:
                file.seek(self._hashed)
                block = file.read(min(_BLOCK * 4, self.size - self._hashed))
            if not block:
                raise DownloadError(f"{self.part.name} was changed by somebody while it was downloaded.")
            self._hash.update(block)
            self._hashed += len(block)
        return self._hashed >= self.size

    @property
    def hashed(self) -> int:
        """How many bytes the checksum covers so far."""
        return self._hashed

    def sha256(self) -> str:
        """Return the checksum of what was hashed."""
        return self._hash.hexdigest()

    def finish(self) -> None:
        """Sync, and give the part its final name in one step."""
        try:
            with self._file or self.part.open("r+b") as file:
                file.flush()
                os.fsync(file.fileno())
            self._file = None
            self.part.replace(self.path)
            sync_folder(self.path.parent)
        except OSError as error:
            raise _disk_error(error, self.path) from error
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Delete the part: it is not what was asked for."""
        self.close()
        self.part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.size = 0
        self.source = Source()
        self._hash, self._hashed = hashlib.sha256(), 0

    def close(self) -> None:
        """Keep what is there for the next time."""
        if self._file is not None:
            file, self._file = self._file, None
            try:
                file.close()
            except OSError as error:
                raise _disk_error(error, self.path) from error


def replace_text(path: Path, text: str) -> None:
    """Write a small file in one step: a crash leaves the old one or the new one."""
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise _disk_error(error, path) from error


def sync_folder(folder: Path) -> None:
    """Make a rename in the folder last over a power cut; Windows does so by itself."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def gigabytes(size: int) -> str:
    """Return a size for people, e.g. "2.5 GB"."""
    return f"{size / 1e9:.1f} GB" if size >= 5e7 else f"{size / 1e6:.1f} MB"


def _disk_error(error: OSError, path: Path) -> DownloadError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"The disk is full: {path.name} cannot be written further.")
    return DownloadError(
        f"{path.name} cannot be written: {error.strerror or error}.",
        hint=f"Make {path.parent} writable, then try again: what has come is kept.",
    )
