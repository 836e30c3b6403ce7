"""Pictures of pages: where the ink lands, in which order the bytes stand, what is refused."""

from __future__ import annotations

from multiprocessing.shared_memory import SharedMemory

import pymupdf
import pytest

from app.documents.geometry import PageGeometry, quad_bounds
from app.documents.pictures import Drawn, Picture, Tint, clip, pixel_length
from app.documents.rendering import Painter, attached, page_geometries, page_geometry
from app.errors import DocumentError
from app.records.passage import Quad

INK = (150.0, 200.0, 260.0, 240.0)
"""A black rectangle in user space: left, low, right, high."""

PAGE_BOXES = "/MediaBox [100 50 712 842] /CropBox [120 80 600 700]"


def document(rotation: int = 0, unit: float = 1, fill: str = "0 g") -> pymupdf.Document:
    """Return a one-page file with one filled rectangle, written by hand so that every box is known."""
    left, low, right, high = INK
    content = f"{fill} {left} {low} {right - left} {high - low} re f".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {PAGE_BOXES} /Rotate {rotation} /UserUnit {unit}"
        " /Resources << >> /Contents 4 0 R >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    body, offsets = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(body)
    body += b"xref\n0 5\n0000000000 65535 f \n" + table
    body += b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start
    return pymupdf.open("pdf", body)


def draw(source: pymupdf.Document, picture: Picture) -> tuple[Drawn, bytes]:
    target = bytearray(24_000_000)
    drawn = Painter().draw(source, picture, memoryview(target))
    return drawn, bytes(target[: drawn.stride * drawn.height])


def dark_box(drawn: Drawn, pixels: bytes) -> tuple[int, int, int, int]:
    """Return the box around all dark pixels."""
    columns, rows = set[int](), set[int]()
    for y in range(drawn.height):
        green = pixels[y * drawn.stride + 1 : (y + 1) * drawn.stride : 4]
        dark = [x for x, value in enumerate(green) if value < 128]
        if dark:
            rows.add(y)
            columns.update((dark[0], dark[-1]))
    return min(columns), min(rows), max(columns) + 1, max(rows) + 1


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("scale", [0.5, 1.37])
def test_that_ink_lands_where_the_geometry_says(rotation: int, unit: float, scale: float) -> None:
    source = document(rotation, unit)
    geometry = page_geometry(source, 0)
    assert geometry == PageGeometry.of((120, 80, 600, 700), rotation, unit)
    drawn, pixels = draw(source, Picture(0, scale))
    width, height = geometry.size
    assert (drawn.width, drawn.height) == (pixel_length(width, scale), pixel_length(height, scale))
    left, low, right, high = INK
    ink = Quad((left, high), (right, high), (left, low), (right, low))
    expected = quad_bounds(geometry.to_pixels(scale), ink)
    assert all(abs(a - b) <= 1 for a, b in zip(dark_box(drawn, pixels), expected, strict=True))


def test_that_bytes_stand_as_blue_green_red_opaque() -> None:
    drawn, pixels = draw(document(fill="1 0 0 rg"), Picture(0, 1.0))
    left, top, *_ = quad_bounds(
        PageGeometry.of((120, 80, 600, 700)).to_page(), Quad((150, 240), (260, 240), (150, 200), (260, 200))
    )
    at = (round(top) + 5) * drawn.stride + (round(left) + 5) * 4
    assert pixels[at : at + 4] == bytes((0, 0, 255, 255))
    assert pixels[:4] == b"\xff\xff\xff\xff"


def test_that_tiles_put_together_are_the_page() -> None:
    source = document(90)
    whole, pixels = draw(source, Picture(0, 2.3))
    rows = [pixels[y * whole.stride : (y + 1) * whole.stride] for y in range(whole.height)]
    for left in range(0, whole.width, 500):
        for top in range(0, whole.height, 400):
            tile, part = draw(source, Picture(0, 2.3, (left, top, left + 500, top + 400)))
            for y in range(tile.height):
                expected = rows[top + y][4 * left : 4 * (left + tile.width)]
                assert part[y * tile.stride : (y + 1) * tile.stride] == expected


def test_that_a_dark_page_has_the_paper_and_ink_it_was_asked_for() -> None:
    drawn, pixels = draw(document(), Picture(0, 1.0, tint=Tint(0x22252F, 0xE6E8EF)))
    assert pixels[:4] == bytes((0x2F, 0x25, 0x22, 0xFF))
    x, y = 150 - 120 + 20, 700 - 240 + 10
    at = y * drawn.stride + x * 4
    assert pixels[at : at + 4] == bytes((0xEF, 0xE8, 0xE6, 0xFF))


def test_that_hues_survive_on_a_dark_page() -> None:
    drawn, pixels = draw(document(fill="0 0 1 rg"), Picture(0, 1.0, tint=Tint(0x22252F, 0xE6E8EF)))
    at = (700 - 240 + 10) * drawn.stride + (150 - 120 + 20) * 4
    blue, _green, red, _ = pixels[at : at + 4]
    assert blue > red


@pytest.mark.parametrize(
    ("picture", "code"),
    [
        (Picture(0, 9.0), "too_large"),
        (Picture(7, 1.0), "no_page"),
    ],
)
def test_that_what_cannot_be_drawn_has_a_code(picture: Picture, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        draw(document(), picture)
    assert caught.value.code == code


def test_that_a_picture_larger_than_its_block_is_refused() -> None:
    with pytest.raises(DocumentError, match="more than fits"):
        Painter().draw(document(), Picture(0, 1.0), memoryview(bytearray(100)))


def test_that_geometries_stop_at_the_last_page() -> None:
    assert page_geometries(document(270, 2), 0, 50) == [[120, 80, 600, 700, 270, 2]]


def test_that_a_tile_is_cut_to_the_page_and_never_empty() -> None:
    assert clip((-5, -5, 10_000, 20), (0, 0, 300, 400)) == (0, 0, 300, 20)
    assert clip((900, 900, 950, 950), (0, 0, 300, 400)) == (299, 399, 300, 400)


def test_that_the_block_stays_the_parents() -> None:
    block = SharedMemory(create=True, size=1000)
    try:
        with attached(block.name) as view:
            view[:3] = b"abc"
        with attached(block.name) as view:
            assert bytes(view[:3]) == b"abc"
        assert block.buf is not None
        assert bytes(block.buf[:3]) == b"abc"
    finally:
        block.close()
        block.unlink()


def test_that_pictures_travel_as_plain_values() -> None:
    for picture in (Picture(3, 1.5), Picture(0, 2.0, (1, 2, 3, 4), Tint(1, 2))):
        assert Picture.from_params(picture.as_params()) == picture
