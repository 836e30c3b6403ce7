"""Open PDF files, whatever state they are in (worker side: imports MuPDF).

Every way a file can be unreadable has its own `DocumentError.code`: `not_pdf`,
`empty`, `damaged`, `needs_password`, `no_pages`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import pymupdf
from pymupdf import mupdf

from app.errors import DocumentError

MUPDF_ERRORS = (RuntimeError, ValueError, IndexError, mupdf.FzErrorBase)
"""What MuPDF raises for bad content: FileDataError is a RuntimeError, page errors are FzErrorBase."""

_HEADER_WITHIN = 1024
"""Where Acrobat looks for `%PDF-`; leading junk up to here is common."""

_KNOWN_STARTS = (
    (b"version https://git-lfs", "a Git LFS pointer, which stands for a file that was not downloaded"),
    (b"<!doctype html", "a web page"),
    (b"<html", "a web page"),
    (b"<?xml", "an XML file"),
    (b"%!PS", "a PostScript file"),
    (b"PK\x03\x04", "a ZIP or office file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def open_document(path: Path, password: str | None = None) -> pymupdf.Document:
    """Open a PDF with at least one page, ready to be read.

    Files that only restrict printing or copying (owner password) open without one.
    Raises DocumentError, code `not_pdf`, `empty`, `damaged`, `needs_password` or `no_pages`.
    """
    start = _first_bytes(path)
    try:
        document = pymupdf.open(path, filetype="pdf")
    except MUPDF_ERRORS as error:
        raise _unreadable(path, start) from error
    if not document.is_pdf:
        # MuPDF goes by the content: a web page or text named .pdf opens as what it is.
        document.close()
        raise _unreadable(path, start)
    try:
        _unlock(document, path, password)
        pages = document.page_count
    except MUPDF_ERRORS as error:
        document.close()
        raise _damaged(path) from error
    except DocumentError:
        document.close()
        raise
    if pages < 1:
        document.close()
        if b"%PDF" not in start:
            raise _unreadable(path, start)
        raise DocumentError(
            f"{path.name} has no pages.", code="no_pages", hint="Open it in another reader, or get it anew."
        )
    return document


class DocumentCache:
    """The few documents read last, kept open; a changed file is opened anew."""

    def __init__(self, size: int = 4, on_close: Callable[[pymupdf.Document], None] | None = None) -> None:
        self._size = size
        self._on_close = on_close
        self._open: OrderedDict[tuple[str, int, int, str | None], pymupdf.Document] = OrderedDict()

    def get(self, path: Path, password: str | None = None) -> pymupdf.Document:
        """Return the open document. Raises DocumentError as `open_document` does."""
        try:
            stat = path.stat()
        except OSError as error:
            raise _gone(path, error) from error
        key = (str(path), stat.st_mtime_ns, stat.st_size, password)
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key]
        document = open_document(path, password)
        self._open[key] = document
        while len(self._open) > self._size:
            self._close(self._open.popitem(last=False)[1])
        return document

    def clear(self) -> None:
        """Close everything, so that the files can be moved or deleted on every system."""
        while self._open:
            self._close(self._open.popitem()[1])

    def _close(self, document: pymupdf.Document) -> None:
        if self._on_close is not None:
            self._on_close(document)
        document.close()


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            start = file.read(_HEADER_WITHIN + 8)
    except OSError as error:
        raise _gone(path, error) from error
    if not start:
        raise DocumentError(
            f"{path.name} is empty (0 bytes).",
            code="empty",
            hint="The download may have failed: get it again.",
        )
    return start


def _unlock(document: pymupdf.Document, path: Path, password: str | None) -> None:
    # Before this some encrypted files report 0 pages and read as empty.
    if not document.needs_pass:
        return
    if password and document.authenticate(password):
        return
    message = f"{path.name} is locked: the password is wrong." if password else f"{path.name} is locked."
    raise DocumentError(message, code="needs_password", hint="Give the password that opens the file.")


def _unreadable(path: Path, start: bytes) -> DocumentError:
    if b"%PDF-" in start:
        return _damaged(path)
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    what = next((name for magic, name in _KNOWN_STARTS if head.startswith(magic.lower())), "")
    message = f"{path.name} is not a PDF" + (f", but {what}." if what else ".")
    return DocumentError(message, code="not_pdf", hint="Download the PDF itself and add that.")


def _damaged(path: Path) -> DocumentError:
    return DocumentError(
        f"{path.name} is damaged and cannot be read.",
        code="damaged",
        hint="It may be cut short: get it again, or repair it with another program.",
    )


def _gone(path: Path, error: OSError) -> DocumentError:
    reason = error.strerror or "unknown reason"
    return DocumentError(
        f"{path.name} cannot be opened: {reason}.", code="failed", hint="Check that it is there."
    )
