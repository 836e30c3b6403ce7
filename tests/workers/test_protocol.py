from __future__ import annotations

import io
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import AppError, NotFoundError, WorkerError
from app.workers.protocol import MAX_HEADER, FrameError, encode, error_body, error_from, read

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def framed(header: bytes) -> io.BytesIO:
    return io.BytesIO(struct.pack("!I", len(header)) + header)


@given(JSON_VALUES, st.lists(st.binary(max_size=64), max_size=4))
def test_that_a_frame_arrives_as_it_was_sent(value: object, blobs: list[bytes]) -> None:
    stream = io.BytesIO(encode("call", 7, {"value": value}, blobs) + b"".join(blobs))
    frame = read(stream)
    assert frame is not None
    assert (frame.kind, frame.request_id, frame.body, frame.blobs) == ("call", 7, {"value": value}, blobs)
    assert read(stream) is None


def test_that_text_of_broken_fonts_survives() -> None:
    frame = read(io.BytesIO(encode("done", 1, {"value": "H\ud800 α 漢字 🌌 \x00"})))
    assert frame is not None
    assert frame.body["value"] == "H\ud800 α 漢字 🌌 \x00"


@given(st.binary(max_size=200))
def test_that_any_other_bytes_are_refused(garbage: bytes) -> None:
    try:
        frame = read(io.BytesIO(garbage))
    except FrameError:
        return
    assert frame is None or isinstance(frame.body, dict)


@pytest.mark.parametrize(
    "header",
    [
        b"not json",
        b"[1, 2]",
        b"{}",
        b"[" * 100_000,
        b'{"kind": 1, "id": 1, "body": {}, "blobs": []}',
        b'{"kind": "done", "id": 1, "body": [], "blobs": []}',
        b'{"kind": "done", "id": 1, "body": {}, "blobs": [-1]}',
        b'{"kind": "done", "id": 1, "body": {}, "blobs": ["5"]}',
        b'{"kind": "done", "id": 1, "body": {}, "blobs": [true]}',
        b'{"kind": "done", "id": 1, "body": {}, "blobs": [99999999999]}',
        b'{"kind": "done", "id": 1, "body": {}, "blobs": [5]}',
        json.dumps({"kind": "done", "id": 1, "body": {}, "blobs": [0] * 70_000}).encode(),
    ],
)
def test_that_a_header_of_the_wrong_shape_is_refused(header: bytes) -> None:
    with pytest.raises(FrameError):
        read(framed(header))


def test_that_a_huge_length_is_refused_before_anything_is_read() -> None:
    with pytest.raises(FrameError, match="too large"):
        read(io.BytesIO(struct.pack("!I", MAX_HEADER + 1)))


def test_that_a_frame_too_large_is_refused_by_the_sender() -> None:
    with pytest.raises(FrameError, match="too large"):
        encode("call", 1, {"text": "x" * MAX_HEADER})


def test_that_an_error_arrives_as_the_same_class() -> None:
    error = error_from(error_body(NotFoundError("No such star.", hint="Look up.", code="no_star")))
    assert type(error) is NotFoundError
    assert (error.message, error.hint, error.code) == ("No such star.", "Look up.", "no_star")


@pytest.mark.parametrize("name", ["Exception", "SystemExit", "object", "", "Nonsense"])
def test_that_a_worker_cannot_choose_other_classes(name: str) -> None:
    error = error_from({"class": name, "message": "m"})
    assert type(error) is WorkerError
    assert error.code == "worker"
    assert isinstance(error, AppError)
