"""Frames between the application and a worker: a length, a JSON header, raw blobs.

    4 bytes big endian: length of the header
    header: a JSON object; its key "blobs" lists the lengths of what follows
    the blobs, one after the other

JSON and never pickle: a worker has read hostile files, so what it sends is data to check.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias

from app.errors import AppError, WorkerError

JSON: TypeAlias = Any
"""What `json.loads` gives; whoever receives it checks it."""

MAX_HEADER = 64 * 2**20
MAX_BLOBS = 2**30
MAX_BLOB_COUNT = 65_536

_LENGTH = struct.Struct("!I")


class FrameError(Exception):
    """The other side sent something that is not a frame; the stream cannot be trusted any more."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a handler answers: a JSON value and raw bytes beside it."""

    value: JSON = None
    blobs: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: `kind` is call, cancel, ready, part, done, error or cancelled."""

    kind: str
    request_id: int
    body: dict[str, JSON]
    blobs: list[bytes]


def encode(kind: str, request_id: int, body: dict[str, JSON], blobs: Sequence[bytes] = ()) -> bytes:
    """Return length and header of a frame; the blobs are written after it as they are.

    Raises TypeError or ValueError when the body has no JSON form, FrameError when it is too large.
    """
    sizes = [len(blob) for blob in blobs]
    # ASCII escapes: text from broken PDFs holds lone surrogates, which UTF-8 cannot carry.
    header = json.dumps({"kind": kind, "id": request_id, "body": body, "blobs": sizes}).encode("ascii")
    _check_sizes(len(header), sizes)
    return _LENGTH.pack(len(header)) + header


def read(stream: BinaryIO) -> Frame | None:
    """Read the next frame; None at a clean end. Raises FrameError for anything else."""
    prefix = stream.read(_LENGTH.size)
    if not prefix:
        return None
    if len(prefix) < _LENGTH.size:
        raise FrameError("the stream ended inside a frame")
    (length,) = _LENGTH.unpack(prefix)
    _check_sizes(length, ())
    frame, sizes = _parse(_exactly(stream, length))
    _check_sizes(length, sizes)
    frame.blobs.extend(_exactly(stream, size) for size in sizes)
    return frame


def error_body(error: AppError) -> dict[str, JSON]:
    """Return the JSON form of an error on its way from the worker to the application."""
    return {"class": type(error).__name__, "code": error.code, "message": error.message, "hint": error.hint}


def error_from(body: dict[str, JSON]) -> AppError:
    """Rebuild an error sent by a worker; a class nobody here knows becomes WorkerError."""
    name, code, message, hint = (str(body.get(key, "")) for key in ("class", "code", "message", "hint"))
    known: dict[str, type[AppError]] = {found.__name__: found for found in _with_subclasses(AppError)}
    return known.get(name, WorkerError)(message, hint=hint, code=code or None)


def _parse(header: bytes) -> tuple[Frame, list[int]]:
    try:
        data = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise FrameError("the header is not JSON") from error
    match data:
        case {"kind": str(kind), "id": int(request_id), "body": dict(body), "blobs": list(sizes)}:
            return Frame(kind, request_id, body, []), sizes
    raise FrameError("the header has the wrong shape")


def _check_sizes(header: int, blobs: Sequence[int]) -> None:
    if header > MAX_HEADER:
        raise FrameError(f"a header of {header} bytes is too large")
    if len(blobs) > MAX_BLOB_COUNT:
        raise FrameError(f"{len(blobs)} blobs are too many")
    if not all(type(size) is int and size >= 0 for size in blobs):
        raise FrameError("a blob has no valid size")
    if sum(blobs) > MAX_BLOBS:
        raise FrameError(f"blobs of {sum(blobs)} bytes are too large")


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise FrameError("the stream ended inside a frame")
    return data


def _with_subclasses(base: type[AppError]) -> list[type[AppError]]:
    return [base, *(below for found in base.__subclasses__() for below in _with_subclasses(found))]
