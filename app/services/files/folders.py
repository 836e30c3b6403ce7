"""Folders and files opened by their resolved path, such that no link put in between is followed.

A path is checked first and opened later. In between somebody could put a link in place of a folder; so each
part is opened relative to the one before it and refused if it is a link. Windows has no such calls: there
the path is resolved once more after opening.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import AppError

_PASS_THROUGH = getattr(os, "O_PATH", os.O_RDONLY)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)

TEMPORARY = ".astroresearch-"
"""How names of files begin that were not finished; nobody wants to see what a crash left of them."""


class FileAccessError(AppError):
    """A file or folder cannot be opened, read or written; the message says which and why."""

    code = "file"


class Folder:
    """An open folder; names are of files right in it. All methods block and may raise OSError."""

    def __init__(self, path: Path, handle: int | None) -> None:
        self.path = path
        self._handle = handle

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file that is not a link; a pipe does not make it wait."""
        flags |= _NO_FOLLOW | _CLOSE_ON_EXEC | _NO_WAIT | _BINARY
        descriptor = os.open(self._at(name), flags, mode, dir_fd=self._handle)
        if self._handle is None and not _leads_to_itself(self.path / name):
            os.close(descriptor)
            raise OSError(errno.ELOOP, "it is reached through a link")
        return descriptor

    def state(self, name: str) -> os.stat_result | None:
        """Return what is there, links not followed; None where nothing is."""
        try:
            return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def put(self, temporary: str, name: str) -> None:
        """Give a file its name, in the place of the one that has it."""
        os.replace(self._at(temporary), self._at(name), src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def put_new(self, temporary: str, name: str) -> None:
        """Give a file a name that must be free. Raises FileExistsError."""
        if sys.platform == "win32":
            os.rename(self._at(temporary), self._at(name))  # noqa: PTH104  fails if it is there
        else:
            self._link(temporary, name)

    def _link(self, temporary: str, name: str) -> None:
        try:
            os.link(temporary, name, src_dir_fd=self._handle, dst_dir_fd=self._handle, follow_symlinks=False)
        except OSError as error:
            if error.errno == errno.EEXIST:
                raise
            if self.state(name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error
            self.put(temporary, name)  # a file system without hard links
        else:
            self.remove(temporary)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name), dir_fd=self._handle)

    def sync(self) -> None:
        """Have the disk keep the names; Windows neither can nor needs to."""
        if self._handle is not None:
            descriptor = os.open(".", os.O_RDONLY | _FOLDER | _CLOSE_ON_EXEC, dir_fd=self._handle)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _at(self, name: str) -> str:
        return name if self._handle is not None else str(self.path / name)


@contextmanager
def open_folder(path: Path, *, make: bool = False) -> Iterator[Folder]:
    """Open a folder by its resolved path, made with its parents where `make` says so. Raises OSError."""
    if sys.platform == "win32":
        if make:
            path.mkdir(parents=True, exist_ok=True)
        if not path.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        yield Folder(path, None)
    else:
        handle = _walk_down(path, make=make)
        try:
            yield Folder(path, handle)
        finally:
            os.close(handle)


@contextmanager
def open_file(path: Path) -> Iterator[int]:
    """Open a plain file for reading by its resolved path. Raises FileAccessError."""
    with explained(path, "read"), open_folder(path.parent) as folder:
        descriptor = folder.open(path.name, os.O_RDONLY)
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(mode):
                raise OSError(errno.EINVAL, "it is not a plain file")
            yield descriptor
        finally:
            os.close(descriptor)


@contextmanager
def explained(path: Path, deed: str) -> Iterator[None]:
    """Turn what the system says into an error for people and models; `deed` is "read" or "written"."""
    try:
        yield
    except OSError as error:
        raise FileAccessError(f"{path} cannot be {deed}: {_why(error)}.", hint=_way_out(error)) from error


def _walk_down(path: Path, *, make: bool) -> int:
    handle = os.open(path.anchor, _PASS_THROUGH | _FOLDER | _CLOSE_ON_EXEC)
    for part in path.parts[1:]:
        try:
            below = _step(handle, part, make=make)
        finally:
            os.close(handle)
        handle = below
    return handle


def _step(handle: int, part: str, *, make: bool) -> int:
    flags = _PASS_THROUGH | _FOLDER | _NO_FOLLOW | _CLOSE_ON_EXEC
    try:
        return os.open(part, flags, dir_fd=handle)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):  # somebody else was quicker; whether it is a folder shows next
        os.mkdir(part, dir_fd=handle)
    return os.open(part, flags, dir_fd=handle)


def _leads_to_itself(path: Path) -> bool:
    return os.path.normcase(os.path.realpath(path)) == os.path.normcase(path)


def _why(error: OSError) -> str:
    match error.errno:
        case errno.ENOENT:
            return "there is no such file or folder"
        case errno.ELOOP | errno.ENOTDIR:
            return "a part of the path is a link or not a folder"
        case errno.EISDIR:
            return "it is a folder"
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full"
        case errno.EROFS:
            return "it lies on a volume that can only be read"
        case errno.EACCES | errno.EPERM:
            return "the account has no permission"
    return error.strerror or str(error)


def _way_out(error: OSError) -> str:
    match error.errno:
        case errno.ENOENT:
            return "glob_files lists what there is."
        case errno.EISDIR:
            return "glob_files lists what is in a folder."
        case errno.ENOSPC | errno.EDQUOT:
            return "Nothing was changed. Ask the person to free some space."
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return "Nothing was changed. Use another folder, or ask the person to change the permissions."
    return ""
