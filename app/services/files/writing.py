"""Files written whole or not at all, and only over the version that the writer knows."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from app.errors import AppError
from app.services.files.folders import TEMPORARY, FileAccessError, Folder, explained, open_file, open_folder
from app.services.files.versions import FileVersion

_CHUNK = 1 << 20


class StaleFileError(AppError):
    """The file is not in the version that the writer knows; it was left as it is."""

    code = "stale_file"


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file and the version they are."""

    data: bytes
    version: FileVersion


_locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()


@asynccontextmanager
async def file_lock(path: Path) -> AsyncIterator[None]:
    """Hold a file, by its resolved path, against all other agents of this process: read, change, write."""
    name = str(path).casefold() if sys.platform in ("win32", "darwin") else str(path)
    key = (id(asyncio.get_running_loop()), name)
    lock = _locks.get(key)
    if lock is None:
        lock = _locks[key] = asyncio.Lock()
    async with lock:
        yield


def read_whole(path: Path, *, most: int) -> Content:
    """Return a plain file of at most `most` bytes. Blocks; raises FileAccessError (code "too_large")."""
    with open_file(path) as descriptor:
        state = os.fstat(descriptor)
        chunks = []
        size = 0
        while size <= most and (chunk := os.read(descriptor, _CHUNK)):
            chunks.append(chunk)
            size += len(chunk)
        if size > most:
            raise FileAccessError(
                f"{path} is larger than {most >> 20} MB.",
                hint="grep_files finds single lines in it.",
                code="too_large",
            )
    data = b"".join(chunks)
    return Content(data, FileVersion(state.st_mtime_ns, len(data), hashlib.sha256(data).hexdigest()))


def write_whole(path: Path, data: bytes, *, expected: FileVersion | None) -> FileVersion:
    """Write a file in one step, safe against a power cut, and return its version.

    `expected` is the version it replaces; None for a file that must not be there yet, whose folders
    are made. Permissions stay. Blocks; raises StaleFileError, or FileAccessError and leaves nothing behind.
    """
    with explained(path, "written"), open_folder(path.parent, make=expected is None) as folder:
        before = folder.state(path.name)
        _check_kind(path, before)
        temporary = f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
        try:
            version = _write(folder, temporary, data, before)
            if expected is None:
                _put_new(folder, temporary, path)
            else:
                _check_version(folder, path, expected)
                folder.put(temporary, path.name)
        except BaseException:
            with contextlib.suppress(OSError):
                folder.remove(temporary)
            raise
        folder.sync()
    return version


def _write(folder: Folder, temporary: str, data: bytes, before: os.stat_result | None) -> FileVersion:
    descriptor = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as stream:
        if before is not None and sys.platform != "win32":
            os.fchmod(stream.fileno(), stat.S_IMODE(before.st_mode))
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
        written = os.fstat(stream.fileno())
    return FileVersion(written.st_mtime_ns, len(data), hashlib.sha256(data).hexdigest())


def _put_new(folder: Folder, temporary: str, path: Path) -> None:
    try:
        folder.put_new(temporary, path.name)
    except FileExistsError as error:
        raise StaleFileError(
            f"{path} exists already, and you have not read it.",
            hint="Read it with read_file first; then write it again if it shall be replaced.",
        ) from error


def _check_kind(path: Path, state: os.stat_result | None) -> None:
    if state is None:
        return
    if not stat.S_ISREG(state.st_mode):
        raise FileAccessError(f"{path} is not a plain file.", hint="Write to another path.")
    if not state.st_mode & 0o222:
        raise FileAccessError(f"{path} is write-protected.", hint="Write to another path, or ask the person.")


def _check_version(folder: Folder, path: Path, expected: FileVersion) -> None:
    """Look once more, right before the file is replaced: the window left is one system call."""
    try:
        descriptor = folder.open(path.name, os.O_RDONLY)
    except FileNotFoundError as error:
        raise StaleFileError(
            f"{path} was removed since you read it.", hint="Find out why before you write it again."
        ) from error
    with os.fdopen(descriptor, "rb") as stream:
        size = os.fstat(descriptor).st_size
        same = size == expected.size and hashlib.file_digest(stream, "sha256").hexdigest() == expected.digest
    if not same:
        raise StaleFileError(
            f"{path} was changed since you read it, and was left as it is.",
            hint="Read it again with read_file, then make your change to what is there now.",
        )
