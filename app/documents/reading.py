"""An open document as text: its profile, and page after page (worker side)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from app.documents.flow import Flow, flow
from app.documents.furniture import copies, furniture
from app.documents.geometry import PageGeometry
from app.documents.glyphs import PageGlyphs, read_glyphs
from app.documents.labels import page_labels, parsed_rule
from app.documents.opening import MUPDF_ERRORS
from app.documents.order import Row, regions
from app.documents.page_text import PageText, text_lines, words_of
from app.documents.profile import SAMPLE_PAGES, DocumentProfile, profile_of, sample_pages
from app.documents.quality import FEW_CHARACTERS, PageQuality, quality
from app.documents.structure import Block, BlockKind, blocks_of, without_front_headings
from app.errors import DocumentError
from app.records.ids import PageIndex, PageLabel

if TYPE_CHECKING:
    import pymupdf

# Ligatures stay whole, so that one glyph is one box; `clean` writes them out.
# A character that the font does not map to Unicode keeps its code, which old papers made the letter.
_KEEP_LIGATURES, _KEEP_WHITESPACE, _CROPPED, _CODE_FOR_UNKNOWN = 1, 2, 64, 128
_FLAGS = _KEEP_LIGATURES | _KEEP_WHITESPACE | _CROPPED | _CODE_FOR_UNKNOWN
_PICTURES = 4 | _CROPPED
_MOST_OF_PAGE = 0.5
_KEPT = SAMPLE_PAGES + 8

Watch = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page after reading: the flow of its text and what is needed to place it."""

    page: PageIndex
    label: PageLabel
    flow: Flow
    body_end: int
    glyphs: PageGlyphs
    quality: PageQuality

    @property
    def body(self) -> str:
        """The text without running heads and stamps."""
        return self.flow.text[: self.body_end].rstrip()


class DocumentReader:
    """Reads pages of one open document. `skip` names pages known to hang; they are never touched.

    `watch` is called with each page index before MuPDF works on it, so that the process
    that waits knows which page to blame.
    """

    def __init__(
        self, document: pymupdf.Document, *, skip: Collection[int] = (), watch: Watch | None = None
    ) -> None:
        self.document = document
        self.skip = frozenset(skip)
        self.watch = watch
        self._glyphs: OrderedDict[int, PageGlyphs] = OrderedDict()
        self._profile: DocumentProfile | None = None

    @property
    def pages(self) -> int:
        """Number of pages."""
        return int(self.document.page_count)

    @property
    def profile(self) -> DocumentProfile:
        """What the sampled pages say about the document."""
        if self._profile is None:
            sample = []
            for page in sample_pages(self.pages):
                try:
                    sample.append(self.glyphs(page))
                except DocumentError:
                    continue
            self._profile = profile_of(sample, self._outline())
        return self._profile

    def read(self, page: int) -> ReadPage:
        """Read a page. Raises DocumentError, code "page", if it cannot be read."""
        profile = self.profile
        glyphs = self.glyphs(page)
        twice = copies(glyphs.lines)
        lines = [line for line in glyphs.lines if line.order not in twice]
        aside = furniture(lines, glyphs.height, profile.running)
        body = [line for line in lines if line.order not in aside]
        blocks = blocks_of(regions(body), profile)
        if page == 0:
            blocks = without_front_headings(blocks, profile)
        rest = [Block(BlockKind.FURNITURE, (Row.of([line]),)) for line in lines if line.order in aside]
        whole = flow([*blocks, *rest], profile.words)
        ends = [block.end for block in whole.blocks if block.block.kind is not BlockKind.FURNITURE]
        return ReadPage(
            page=PageIndex(page),
            label=self.label(page),
            flow=whole,
            body_end=max(ends, default=0),
            glyphs=glyphs,
            quality=self._quality(page, whole.text, glyphs),
        )

    def page_text(self, page: int) -> PageText:
        """Return a page with its words. Raises DocumentError, code "page"."""
        read = self.read(page)
        to_user = read.glyphs.to_user
        return PageText(
            page=read.page,
            label=read.label,
            text=read.flow.text,
            words=words_of(read.flow, to_user),
            lines=text_lines(read.flow, 0, len(read.flow.text), to_user),
            geometry=self.geometry(page),
            quality=read.quality,
            body_end=read.body_end,
        )

    def label(self, page: int) -> PageLabel:
        """Return what is printed on the page as its number; the page number where none is set."""
        return PageLabel(self._labels[page] if page < len(self._labels) else str(page + 1))

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        # Read as `inspect` does: MuPDF's own `get_label` makes "ageLabel1" of `/Type/PageLabel/S/D`.
        try:
            rules = [parsed_rule(page, rule) for page, rule in self.document._get_page_labels()]
            return page_labels(rules, self.pages)
        except MUPDF_ERRORS:
            return ()

    def geometry(self, page: int) -> PageGeometry:
        """Return where the page lies in user space."""
        from app.documents.rendering import page_geometry

        return page_geometry(self.document, page)

    def glyphs(self, page: int) -> PageGlyphs:
        """Return the lines of a page, remembered for a while."""
        if page in self._glyphs:
            self._glyphs.move_to_end(page)
            return self._glyphs[page]
        if page in self.skip or not 0 <= page < self.pages:
            raise DocumentError(f"Page {page + 1} is not read.", code="page")
        if self.watch is not None:
            self.watch(page)
        try:
            found = self._read_glyphs(page)
        except MUPDF_ERRORS as error:
            raise DocumentError(f"Page {page + 1} cannot be read: {error}", code="page") from error
        self._glyphs[page] = found
        while len(self._glyphs) > _KEPT:
            self._glyphs.popitem(last=False)
        return found

    def _quality(self, page: int, text: str, glyphs: PageGlyphs) -> PageQuality:
        judged = quality(text, glyphs.raw)
        few = sum(not c.isspace() for c in text) < FEW_CHARACTERS
        if judged is PageQuality.OK and few and self._is_picture(page):
            return PageQuality.EMPTY
        return judged

    def _is_picture(self, page: int) -> bool:
        """Whether a picture covers most of a page: a scan, on which the text is only a stamp."""
        try:
            loaded = self.document.load_page(page)
            if not loaded.get_images():
                return False
            width, height = loaded.cropbox.width, loaded.cropbox.height
            blocks = loaded.get_text("blocks", flags=_PICTURES)
        except MUPDF_ERRORS:
            return False
        shares = (
            (x1 - x0) * (y1 - y0) / (width * height) for x0, y0, x1, y1, _, _, kind in blocks if kind == 1
        )
        return max(shares, default=0.0) > _MOST_OF_PAGE

    def _read_glyphs(self, page: int) -> PageGlyphs:
        loaded = self.document.load_page(page)
        rotation = loaded.rotation
        if rotation:
            # Text is read as it is without /Rotate; the document in memory is turned back at once.
            loaded.set_rotation(0)
        try:
            raw = loaded.get_text("rawdict", flags=_FLAGS)
            return read_glyphs(raw, _unrotated(self.geometry(page)).to_page().inverse())
        finally:
            if rotation:
                loaded.set_rotation(rotation)

    def _outline(self) -> list[tuple[int, str]]:
        try:
            return [(level, title) for level, title, *_ in self.document.get_toc(simple=True)]
        except MUPDF_ERRORS:
            return []


def _unrotated(geometry: PageGeometry) -> PageGeometry:
    return PageGeometry(geometry.box, 0, geometry.user_unit)
