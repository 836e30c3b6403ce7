"""What a model has read of a conversation, kept on disk: one that is opened again starts at once.

A file is a header in JSON, the tokens, and the bytes that llama.cpp gave for the sequence. It is used only
for the very same model file, build and form of keys, and only when its checksum is right: llama.cpp trusts
what it is given.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
import tempfile
from array import array
from dataclasses import dataclass
from pathlib import Path

from app.workers.protocol import JSON

MAX_BYTES = 2 * 2**30
MAX_FILES = 16
_MAGIC = b"ARKV1\n"
_LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class State:
    """Tokens of a sequence and the bytes that stand for having read them."""

    ids: list[int]
    data: bytes


def model_key(path: Path, *details: object) -> str:
    """Return a name for a model file and whatever else its states depend on."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        digest.update(file.read(2**20))
    digest.update(repr((path.stat().st_size, *details)).encode())
    return digest.hexdigest()


def state_path(folder: Path, owner: str) -> Path:
    """Return the file of an owner's state; another model replaces it."""
    return folder / f"{hashlib.blake2b(owner.encode(), digest_size=16).hexdigest()}.state"


def forget(folder: Path, owner: str) -> None:
    """Take an owner's state away: a conversation that is deleted leaves nothing behind."""
    with contextlib.suppress(OSError):
        state_path(folder, owner).unlink()


class DiskStates:
    """The states in one folder: the latest few, of at most `max_bytes` together."""

    def __init__(self, folder: Path, model: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._model = model
        self._max_bytes = max_bytes

    def save(self, owner: str, state: State) -> bool:
        """Keep a state in place of the owner's last one; False where it is too large or the disk refuses."""
        if len(state.data) > self._max_bytes:
            return False
        tokens = array("i", state.ids).tobytes()
        header = {
            "model": self._model,
            "owner": owner,
            "tokens": len(tokens),
            "data": len(state.data),
            "sum": _checksum(tokens, state.data),
        }
        head = json.dumps(header).encode()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(state.data))
            _write(
                state_path(self._folder, owner), _MAGIC + _LENGTH.pack(len(head)) + head + tokens, state.data
            )
        except OSError:
            return False
        return True

    def load(self, owner: str) -> State | None:
        """Return the owner's state; None where there is none, or none that can be used."""
        path = state_path(self._folder, owner)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        state = _parsed(content, self._model, owner)
        if state is None:
            with contextlib.suppress(OSError):
                path.unlink()
        return state

    def _make_room(self, size: int) -> None:
        files = [(path.stat().st_mtime, path.stat().st_size, path) for path in self._folder.glob("*.state")]
        files.sort(key=lambda file: file[0])
        total = sum(file[1] for file in files)
        while files and (len(files) >= MAX_FILES or total + size > self._max_bytes):
            _, freed, path = files.pop(0)
            path.unlink()
            total -= freed


def _parsed(content: bytes, model: str, owner: str) -> State | None:
    try:
        if not content.startswith(_MAGIC):
            return None
        (length,) = _LENGTH.unpack_from(content, len(_MAGIC))
        start = len(_MAGIC) + _LENGTH.size
        header: dict[str, JSON] = json.loads(content[start : start + length])
        if (header["model"], header["owner"]) != (model, owner):
            return None
        middle = start + length + int(header["tokens"])
        tokens, data = content[start + length : middle], content[middle:]
        if len(data) != header["data"] or _checksum(tokens, data) != header["sum"]:
            return None
        ids = array("i")
        ids.frombytes(tokens)
    except (ValueError, KeyError, TypeError, struct.error):
        return None
    return State(ids.tolist(), data)


def _checksum(tokens: bytes, data: bytes) -> str:
    digest = hashlib.blake2b(tokens, digest_size=16)
    digest.update(data)
    return digest.hexdigest()


def _write(path: Path, head: bytes, data: bytes) -> None:
    """Replace the file in one step: a crash leaves the old one or the new one."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(head)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
