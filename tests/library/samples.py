"""Papers, passages and vectors to test the library with."""

from __future__ import annotations

import random
from collections.abc import Sequence

from app.library import Library
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.paper import PaperRecord
from app.records.passage import Passage, Quad, TextLine

MODEL = "test-model"
DIM = 64


def record(title: str = "Cepheids in M31", **fields: object) -> PaperRecord:
    values: dict[str, object] = {"authors": ("Adam G. Riess", "Lucas M. Macri"), "year": 2016} | fields
    return PaperRecord(title=title, **values)  # type: ignore[arg-type]


def passage(text: str, *, page: int = 0, start: int = 0, section: str = "Results") -> Passage:
    line = TextLine(0, len(text), Quad((72.0, 700.0), (300.0, 700.0), (72.0, 690.0), (300.0, 690.0)))
    return Passage(
        page=PageIndex(page),
        page_label=PageLabel(str(page + 1)),
        start=start,
        end=start + len(text),
        text=text,
        section=section,
        lines=(line,),
        prefix="before",
        suffix="after",
    )


def vector(seed: object) -> bytes:
    return random.Random(str(seed)).randbytes(DIM)


def add_file(library: Library, paper: PaperId, *, name: str = "paper.pdf", pages: int = 1) -> FileId:
    return library.files.add(
        paper,
        sha256=f"{paper}/{name}",
        path=f"ab/{name}",
        original_name=name,
        size=1000,
        pages=pages,
        status="added",
    )


def add_indexed(
    library: Library, title: str, texts: Sequence[str], *, vectors: bool = True, section: str = "Results"
) -> tuple[PaperId, FileId, list[PassageId]]:
    """Add a paper with one file whose pages hold one passage each."""
    paper = library.papers.add(record(title))
    file = add_file(library, paper, pages=len(texts))
    ids = library.passages.write(
        file,
        [passage(text, page=page, section=section) for page, text in enumerate(texts)],
        [vector(text) for text in texts] if vectors else None,
        model=MODEL,
        headers=[f"{title} | {section}" for _ in texts],
        through_page=max(len(texts) - 1, 0),
        done=True,
    )
    return paper, file, ids


def found_texts(library: Library, query: str, **options: object) -> list[str]:
    return [hit.passage.text for hit in library.search.keyword(query, **options)]  # type: ignore[arg-type]
