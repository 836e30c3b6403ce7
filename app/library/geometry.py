"""Where the lines of a passage stand, packed into a blob of 24 or 40 bytes a line.

First byte: 1 = every quad is an upright rectangle (x0, y0, x1, y1 kept), 2 = any quads
(eight numbers kept). Then per line two unsigned 32-bit integers (start, end) and the
32-bit floats, little endian. Coordinates are good to 0.001 pt on the largest PDF page.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from app.records.passage import Quad, TextLine

_UPRIGHT, _ANY = 1, 2
_UPRIGHT_LINE = struct.Struct("<2I4f")
_ANY_LINE = struct.Struct("<2I8f")


def pack_lines(lines: Sequence[TextLine]) -> bytes:
    """Return the blob; empty for no lines."""
    if not lines:
        return b""
    if all(_is_upright(line.quad) for line in lines):
        packed = (_UPRIGHT_LINE.pack(line.start, line.end, *line.quad.ll, *line.quad.ur) for line in lines)
        return bytes([_UPRIGHT]) + b"".join(packed)
    packed = (_ANY_LINE.pack(line.start, line.end, *line.quad.as_list()) for line in lines)
    return bytes([_ANY]) + b"".join(packed)


def unpack_lines(blob: bytes) -> tuple[TextLine, ...]:
    """Read what `pack_lines` wrote."""
    if not blob:
        return ()
    body = memoryview(blob)[1:]
    if blob[0] == _UPRIGHT:
        return tuple(
            TextLine(start, end, Quad((x0, y1), (x1, y1), (x0, y0), (x1, y0)))
            for start, end, x0, y0, x1, y1 in _UPRIGHT_LINE.iter_unpack(body)
        )
    return tuple(
        TextLine(start, end, Quad.from_list(list(corners)))
        for start, end, *corners in _ANY_LINE.iter_unpack(body)
    )


def _is_upright(quad: Quad) -> bool:
    return (
        quad.ul[0] == quad.ll[0]
        and quad.ur[0] == quad.lr[0]
        and quad.ul[1] == quad.ur[1]
        and quad.ll[1] == quad.lr[1]
    )
