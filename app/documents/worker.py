"""The PDF workers: what they answer. Two kinds of process, one set of handlers each.

`serve_extract` may load PyMuPDF's layout model when it needs it; `serve_render` never
does, and stays small and quick to start.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.documents.pictures import Picture
from app.workers.protocol import JSON

if TYPE_CHECKING:
    from app.documents.layout import LayoutBox
    from app.documents.reading import DocumentReader, Watch
    from app.workers.serve import Context

HEAVY = ("onnxruntime", "pymupdf.layout", "pymupdf4llm")
"""What `import pymupdf` would load: 0.8 s and 90 MB that most requests do not need."""

METHODS = (
    "inspect",
    "recognise",
    "outline",
    "page_text",
    "extract",
    "geometries",
    "render",
    "close_documents",
)

BATCH_PAGES = 8
FIRST_BATCH_PAGES = 2
"""The first pages become searchable at once."""


def serve_extract() -> None:
    """Be a worker of kind "pdf"."""
    _serve(PdfHandlers(model=True))


def serve_render() -> None:
    """Be a worker of kind "render"."""
    _serve(PdfHandlers())


def import_light() -> None:
    """Import PyMuPDF without its models. `layout.load` brings them in when asked."""
    if "pymupdf" not in sys.modules:
        for name in HEAVY:
            sys.modules[name] = None  # type: ignore[assignment]
        import pymupdf  # noqa: F401

        for name in HEAVY:
            del sys.modules[name]


class PdfHandlers:
    """The methods, over one small cache of open documents."""

    def __init__(self, *, model: bool = False) -> None:
        import_light()
        self._model = model
        from app.documents.opening import DocumentCache
        from app.documents.rendering import Painter

        self._painter = Painter()
        self._readers: dict[int, DocumentReader] = {}
        self._documents = DocumentCache(on_close=self._forget)

    def inspect(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Metadata, labels, outline and first lines."""
        from app.documents.inspect import inspect

        return inspect(self._document(params)).as_json()

    def recognise(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Which paper the file holds. The file is let go at once: an import moves it next."""
        from app.documents.inspect import inspect
        from app.documents.recognise import recognise
        from app.documents.records import record_as_json

        try:
            return record_as_json(recognise(inspect(self._document(params))))
        finally:
            self._documents.clear()

    def outline(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Bookmarks."""
        from app.documents.inspect import inspect

        return inspect(self._document(params)).as_json()["outline"]

    def page_text(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Text and words of a page."""
        return self._reader(params).page_text(int(params["page"])).as_json()

    def extract(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Emit batches of pages, and `{"at": page}` before each page that is read (or shown to the model)."""
        from app.documents.extraction import Extraction
        from app.documents.layout import layout_boxes

        reader = self._reader(params, watch=lambda page: context.emit({"at": page}))
        plain = frozenset(int(page) for page in params.get("plain") or ())

        def ask_model(page: int) -> Sequence[LayoutBox]:
            if page in plain:
                return ()
            context.emit({"at": page, "model": True})
            return layout_boxes(reader.document, page)

        extraction = Extraction(reader, ask_model if self._model else None)
        start = int(params.get("start_page") or 0)
        extraction.catch_up(start)
        size = FIRST_BATCH_PAGES
        while start < reader.pages:
            context.check()
            end = min(start + size, reader.pages)
            context.emit(extraction.batch(start, end).as_json())
            start, size = end, BATCH_PAGES
        return {"done": True}

    def geometries(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Boxes, rotations and units of some pages."""
        from app.documents.rendering import page_geometries

        return page_geometries(self._document(params), int(params["first"]), int(params["last"]))

    def render(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Draw into the block that the application named."""
        from app.documents.rendering import attached

        document = self._document(params)
        with attached(str(params["block"])) as target:
            drawn = self._painter.draw(document, Picture.from_params(params), target)
        return [drawn.width, drawn.height, drawn.stride]

    def close_documents(self, params: dict[str, JSON], blobs: Sequence[bytes], context: Context) -> JSON:
        """Let go of all files."""
        self._documents.clear()
        return None

    def _document(self, params: dict[str, JSON]) -> Any:
        return self._documents.get(Path(str(params["path"])), params.get("password"))

    def _reader(self, params: dict[str, JSON], watch: Watch | None = None) -> DocumentReader:
        """Return the reader of a document, which remembers what it learnt of it."""
        from app.documents.reading import DocumentReader

        document = self._document(params)
        skip = frozenset(int(page) for page in params.get("skip") or ())
        known = self._readers.get(id(document))
        if known is None or known.skip != skip:
            known = self._readers[id(document)] = DocumentReader(document, skip=skip)
        known.watch = watch
        return known

    def _forget(self, document: Any) -> None:
        self._readers.pop(id(document), None)
        self._painter.forget()


def _serve(handlers: PdfHandlers) -> None:
    from app.workers.serve import serve

    serve({name: getattr(handlers, name) for name in METHODS})
