"""Draw pages into shared memory (worker side: the only reader of pixels in MuPDF).

The parent makes a shared memory block, names it, and gets back how many pixels were
written. Pixels are BGRA with premultiplied alpha (opaque), top row first, which Qt wraps
as `Format_ARGB32_Premultiplied` without converting.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker, shared_memory

import pymupdf
from pymupdf import mupdf

from app.documents.geometry import PageGeometry
from app.documents.pictures import BYTES_PER_PIXEL, MAX_PIXELS, Drawn, Picture, Tint, clip, pixel_length
from app.errors import DocumentError

KEPT_PAGES = 6
"""Display lists kept, so that the tiles of a page do not interpret it anew."""

_MUPDF_ERRORS = (RuntimeError, ValueError, IndexError, mupdf.FzErrorBase)
_DARKEST = 4
"""What MuPDF's luminance inversion makes of white, out of 255."""


def page_geometry(document: pymupdf.Document, page: int) -> PageGeometry:
    """Return where a page lies, as MuPDF sees it; a page that cannot be loaded is letter paper."""
    try:
        loaded = document.load_page(page)
        pdf_page = mupdf.pdf_page_from_fz_page(loaded.this)
        if not pdf_page.m_internal:
            return PageGeometry.of((0, 0, loaded.rect.width, loaded.rect.height))
        box, matrix = mupdf.FzRect(), mupdf.FzMatrix()
        mupdf.pdf_page_transform(pdf_page, box, matrix)
        unit = max(abs(matrix.a), abs(matrix.b))
        return PageGeometry.of((box.x0, box.y0, box.x1, box.y1), loaded.rotation, unit)
    except _MUPDF_ERRORS:
        return PageGeometry.of((0, 0, 0, 0))


def page_geometries(document: pymupdf.Document, first: int, last: int) -> list[list[float]]:
    """Return `[x0, y0, x1, y1, rotation, user_unit]` for the pages `[first, last)`."""
    rows = (page_geometry(document, page) for page in range(first, min(last, document.page_count)))
    return [[*g.box, float(g.rotation), g.user_unit] for g in rows]


class Painter:
    """Draws pages of open documents, remembering the last few it interpreted."""

    def __init__(self) -> None:
        self._lists: OrderedDict[tuple[int, int], pymupdf.DisplayList] = OrderedDict()

    def forget(self) -> None:
        """Drop what is remembered; call whenever a document is closed."""
        self._lists.clear()

    def draw(self, document: pymupdf.Document, picture: Picture, target: memoryview) -> Drawn:
        """Draw `picture` into `target` and say how large it came out.

        Raises DocumentError: "too_large" when it would not fit the block or the bound,
        "no_page" for a page that is not there or cannot be read.
        """
        listed, scale = self._display_list(document, picture.page), picture.scale
        area = listed.rect
        full = (0, 0, pixel_length(area.width, scale), pixel_length(area.height, scale))
        left, top, right, bottom = clip(picture.tile or full, full)
        drawn = Drawn(right - left, bottom - top, (right - left) * BYTES_PER_PIXEL)
        if drawn.width * drawn.height > MAX_PIXELS or drawn.stride * drawn.height > len(target):
            raise DocumentError(
                f"A picture of {drawn.width} × {drawn.height} pixels is more than fits.",
                code="too_large",
                hint="Ask for tiles of the page.",
            )
        bgr = mupdf.FzColorspace(mupdf.FzColorspace.Fixed_BGR)
        pixmap = mupdf.FzPixmap(bgr, mupdf.FzIrect(left, top, right, bottom), mupdf.FzSeparations(), 1)
        pixmap.fz_clear_pixmap_with_value(0xFF)
        _run(listed, mupdf.FzMatrix(scale, 0, 0, scale, -area.x0 * scale, -area.y0 * scale), pixmap)
        if picture.tint is not None:
            _darken(pixmap, picture.tint)
        target[: drawn.stride * drawn.height] = mupdf.fz_pixmap_samples_memoryview(pixmap)
        return drawn

    def _display_list(self, document: pymupdf.Document, page: int) -> pymupdf.DisplayList:
        key = (id(document), page)
        if key in self._lists:
            self._lists.move_to_end(key)
            return self._lists[key]
        try:
            listed: pymupdf.DisplayList = document.load_page(page).get_displaylist(annots=1)
        except _MUPDF_ERRORS as error:
            raise DocumentError(f"Page {page + 1} cannot be read: {error}", code="no_page") from error
        self._lists[key] = listed
        while len(self._lists) > KEPT_PAGES:
            self._lists.popitem(last=False)
        return listed


@contextmanager
def attached(name: str) -> Iterator[memoryview]:
    """Open the parent's block for the time of one drawing, without taking charge of it.

    Python before 3.13 counts every opened block as its own and unlinks it at exit; the
    parent owns ours, so the registration is left out.
    """
    register = resource_tracker.register
    resource_tracker.register = lambda *_: None
    try:
        block = shared_memory.SharedMemory(name=name)
    finally:
        resource_tracker.register = register
    try:
        with memoryview(block.buf or b"") as view:
            yield view
    finally:
        block.close()


def _run(listed: pymupdf.DisplayList, matrix: mupdf.FzMatrix, pixmap: mupdf.FzPixmap) -> None:
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(), pixmap)
    everything = mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE)
    mupdf.fz_run_display_list(listed.this, device, matrix, everything, mupdf.FzCookie())
    mupdf.fz_close_device(device)


def _darken(pixmap: mupdf.FzPixmap, tint: Tint) -> None:
    mupdf.fz_invert_pixmap_luminance(pixmap)
    mupdf.fz_tint_pixmap(pixmap, _black_for(tint), tint.ink)


def _black_for(tint: Tint) -> int:
    """Return the black end of the ramp for which inverted white comes out as `paper`."""
    result = 0
    for shift in (16, 8, 0):
        paper, ink = tint.paper >> shift & 0xFF, tint.ink >> shift & 0xFF
        black = (255 * paper - _DARKEST * ink) / (255 - _DARKEST)
        result |= max(0, round(black)) << shift
    return result
