"""First pages set by the tests as journals and preprint servers set them."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from app.documents.inspect import inspect
from app.documents.opening import open_document
from app.documents.recognise import recognise
from app.records.paper import PaperRecord

TITLE = ("Dust and pulsation in long-period", "variables of the outer halo")
AUTHORS = "Maria Keller, Jonas van der Veen and Li Wang"
PROSE = (
    "We present near-infrared photometry of forty variables and derive their periods from the light curves.",
    "The amplitudes agree with earlier work on the same fields, and the mean colours follow the relation",
    "found for nearby stars; the scatter is smaller than expected from the errors of a single measurement.",
    "We discuss how the results depend on the distance scale and on the reddening that was adopted for",
    "each field, and we give the parameters of the fits in a table meant to be used by other authors.",
)


class Front:
    """A document in the making; all positions in points from the top left."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page()

    def write(
        self, x: float, y: float, text: str, *, size: float = 10, font: str = "tiro", turn: int = 0
    ) -> Front:
        self.page.insert_text((x, y), text, fontsize=size, fontname=font, rotate=turn)
        return self

    def head(self, *, title: tuple[str, ...] = TITLE, authors: str = AUTHORS) -> Front:
        """Title in bold, authors, affiliation, the heading of the abstract."""
        for number, line in enumerate(title):
            self.write(90, 120 + 20 * number, line, size=16, font="tibo")
        self.write(90, 180, authors, size=11)
        self.write(90, 195, "Observatory of the University of Nowhere, 12 Hill Street, Nowhere", size=9)
        return self.write(90, 230, "ABSTRACT", size=10, font="tibo")

    def prose(self, top: float = 250, *, extra: tuple[str, ...] = ()) -> Front:
        """Running text, with extra lines in the middle of it."""
        lines = [*PROSE, *PROSE[:2], *extra, *PROSE]
        for number, line in enumerate(lines):
            self.write(72, top + 12 * number, line)
        return self

    def paper(self, **head: object) -> Front:
        return self.head(**head).prose()  # type: ignore[arg-type]

    def next_page(self) -> Front:
        self.page = self.document.new_page()
        return self

    def saved(self, folder: Path, **metadata: str) -> Path:
        path = folder / "front.pdf"
        if metadata:
            self.document.set_metadata(metadata)
        self.document.save(path)
        return path

    def recognised(self, folder: Path, **metadata: str) -> PaperRecord:
        return recognise(inspect(open_document(self.saved(folder, **metadata))))
