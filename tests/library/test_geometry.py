from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.library.geometry import pack_lines, unpack_lines
from app.records.passage import Quad, TextLine

_number = st.floats(-2000, 15000, width=32)
_point = st.tuples(_number, _number)
_offset = st.integers(0, 2**32 - 1)
_any_quads = st.builds(Quad, _point, _point, _point, _point)


@st.composite
def _upright_quads(draw: st.DrawFn) -> Quad:
    x0, y0, x1, y1 = (draw(_number) for _ in range(4))
    return Quad((x0, y1), (x1, y1), (x0, y0), (x1, y0))


@given(st.lists(st.builds(TextLine, _offset, _offset, _any_quads), max_size=8))
def test_that_any_lines_come_back_as_they_were(lines: list[TextLine]) -> None:
    assert unpack_lines(pack_lines(lines)) == tuple(lines)


@given(st.lists(st.builds(TextLine, _offset, _offset, _upright_quads()), min_size=1, max_size=8))
def test_that_upright_lines_take_24_bytes_each(lines: list[TextLine]) -> None:
    blob = pack_lines(lines)
    assert len(blob) == 1 + 24 * len(lines)
    assert unpack_lines(blob) == tuple(lines)
