"""The library's own copies of files: hashed as they are read, written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.errors import AppError
from app.records.ids import PaperId

HEAD_BYTES = 2048
"""How much of the beginning a fingerprint keeps; enough to tell formats apart."""

_CHUNK = 1 << 20
_MAX_NAME_BYTES = 150
_FORBIDDEN = frozenset('<>:"/\\|?*')
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}
)


class FileChangedError(AppError):
    """The file changed between being hashed and being copied (it is still being written)."""

    code = "failed"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What identifies a file's content: its hash and size; `head` is its first bytes."""

    sha256: str
    size: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Staged:
    """A whole copy of a file, on its way to a paper."""

    path: Path
    sha256: str


def fingerprint(path: Path) -> Fingerprint:
    """Read a file once, in pieces, and return its fingerprint. Blocking; raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        if path.is_dir():
            os.listdir(path)  # noqa: PTH208  says why it cannot be read
        raise OSError(errno.EINVAL, "it is not a plain file")
    digest = hashlib.sha256()
    size = 0
    head = b""
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            if not size:
                head = chunk[:HEAD_BYTES]
            digest.update(chunk)
            size += len(chunk)
    return Fingerprint(digest.hexdigest(), size, head)


def safe_name(original: str, suffix: str) -> str:
    """Return a file name that every system takes, in NFC, at most 150 bytes, ending in `suffix`.

    What cannot be in a name becomes "_"; reserved names get one in front. The same input
    gives the same name on every platform.
    """
    stem = unicodedata.normalize("NFC", original)
    if stem.lower().endswith(suffix):
        stem = stem[: -len(suffix)]
    stem = "".join("_" if _unsafe(c) else c for c in stem).strip(" .")
    stem = _cut(stem, _MAX_NAME_BYTES - len(suffix.encode())).rstrip(" .") or "paper"
    if stem.split(".", 1)[0].rstrip().lower() in _RESERVED:
        stem = f"_{stem}"
    return stem + suffix


class FileStore:
    """Keeps copies under `<home>/files/<paper id>/`; all calls block and may raise OSError.

    Paths are relative to that folder, with "/", as the database has them.
    """

    def __init__(self, home: Path) -> None:
        self.root = home / "files"
        self._incoming = self.root / ".incoming"

    def path(self, relative: str) -> Path:
        """Return where the file with this path in the database lies."""
        return self.root / relative

    def stage(self, source: Path, sha256: str, suffix: str) -> Staged:
        """Copy a file beside the library's files, to be read there and then settled or dropped.

        What happens to the original from now on does not matter. Raises FileChangedError
        if the content is no longer that of `sha256`; leaves nothing behind when it raises.
        """
        folder = self._incoming / secrets.token_hex(8)
        folder.mkdir(parents=True)
        staged = Staged(folder / safe_name(source.name, suffix), sha256)
        try:
            copied = _copy(source, staged.path)
        except BaseException:
            self.drop(staged)
            raise
        if copied != sha256:
            self.drop(staged)
            raise FileChangedError(
                "The file changed while it was being read.", hint="Add it again when it is complete."
            )
        return staged

    def settle(self, staged: Staged, paper_id: PaperId) -> str:
        """Move a copy to its paper under a free name, safe against a power cut; return its path."""
        folder = self.root / paper_id
        folder.mkdir(exist_ok=True)
        name = free_name(staged.path.name, os.listdir(folder))  # noqa: PTH208
        staged.path.replace(folder / name)
        for changed in (folder, self.root):
            _sync_folder(changed)
        self.drop(staged)
        return f"{paper_id}/{name}"

    def put_back(self, staged: Staged, relative: str) -> None:
        """Move a copy to a place that the database has already."""
        target = self.root / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        staged.path.replace(target)
        _sync_folder(target.parent)
        self.drop(staged)

    def drop(self, staged: Staged) -> None:
        """Remove a copy that is not needed, if it is there."""
        shutil.rmtree(staged.path.parent, ignore_errors=True)

    def clear_incoming(self) -> None:
        """Remove what an interrupted import left; only while no other import runs."""
        shutil.rmtree(self._incoming, ignore_errors=True)


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, numbered if another has it; upper and lower case are the same name."""
    names = {other.casefold() for other in taken}
    stem, suffix = os.path.splitext(name)  # noqa: PTH122
    choice, number = name, 1
    while choice.casefold() in names:
        number += 1
        mark = f" ({number})"
        choice = _cut(stem, _MAX_NAME_BYTES - len(mark) - len(suffix)).rstrip(" .") + mark + suffix
    return choice


def _copy(source: Path, target: Path) -> str:
    digest = hashlib.sha256()
    with source.open("rb") as reader, target.open("wb") as writer:
        while chunk := reader.read(_CHUNK):
            digest.update(chunk)
            writer.write(chunk)
        writer.flush()
        os.fsync(writer.fileno())
    return digest.hexdigest()


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; Windows neither can nor needs to."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unsafe(character: str) -> bool:
    return character in _FORBIDDEN or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _cut(text: str, limit: int) -> str:
    """Cut to at most `limit` bytes of UTF-8 without splitting a character."""
    return text.encode()[:limit].decode(errors="ignore")
