"""PDF files made by the tests, small and exact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf

BODY = 10.0
LEADING = 12.0


def minimal_pdf(
    content: str,
    *,
    media: tuple[float, ...] = (0, 0, 612, 792),
    crop: tuple[float, ...] | None = None,
    rotate: int = 0,
    unit: float = 1.0,
) -> bytes:
    """Write a one-page PDF whose content stream is in user space, with Helvetica as /F1."""
    extra = f"/Rotate {rotate}" if rotate else ""
    if crop:
        extra += f"/CropBox [{' '.join(map(str, crop))}]"
    if unit != 1.0:
        extra += f"/UserUnit {unit}"
    stream = content.encode("latin-1")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            f"<</Type/Page/Parent 2 0 R/MediaBox[{' '.join(map(str, media))}]{extra}"
            "/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>"
        ).encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(stream), stream),
    ]
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj" % number + body + b"endobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)


def write_lines(
    page: pymupdf.Page,
    x: float,
    y: float,
    lines: Sequence[str],
    *,
    size: float = BODY,
    font: str = "tiro",
    leading: float = LEADING,
) -> float:
    """Set lines one under the other from the baseline `y`; return the next baseline."""
    for line in lines:
        page.insert_text((x, y), line, fontsize=size, fontname=font)
        y += leading
    return y


def prose(word: str, count: int) -> list[str]:
    """Return lines of about the same width that say which column and line they are."""
    return [f"{word} line {i} tells of distant galaxies and nearby stars" for i in range(count)]


def two_columns(path: Path, rows: int = 40) -> Path:
    """A page with a title across, two columns of prose and a running foot."""
    document = pymupdf.open()
    page = document.new_page(width=612, height=792)
    page.insert_text(
        (120, 80), "A title that goes right across both of the columns", fontsize=16, fontname="tibo"
    )
    write_lines(page, 50, 130, prose("left", rows))
    write_lines(page, 320, 130, prose("right", rows))
    page.insert_text((300, 770), "7", fontsize=9)
    document.save(path)
    return path


def saved(document: pymupdf.Document, path: Path) -> Path:
    """Save and return the path."""
    document.save(path)
    document.close()
    return path
