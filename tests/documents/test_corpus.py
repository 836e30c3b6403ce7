"""Every file of the shared corpus is read to its end, or refused for the right reason."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from app.documents.client import PdfClient
from app.documents.extraction import Extraction
from app.documents.opening import open_document
from app.documents.reading import DocumentReader
from app.errors import DocumentError
from app.workers.host import Worker
from app.workers.pool import WorkerPool

IN_A_WORKER = {"test_2548.pdf", "vector-heavy-slow-plot.pdf", "sicp-894-pages.pdf"}
"""Files that are slow or may hang: only a worker may touch them."""
EITHER_WAY = {
    "PDFBOX-4531-bidi-ligature-1.pdf",  # two letters on a page
    "poppler-90-0-fuzzed.pdf",  # what is left of its text is mostly damaged
}
NO_TEXT_FOR_A_SEARCH = {"garbled-text-layer"}


def entries(shared: Path, kind: str) -> list[dict[str, Any]]:
    truth = json.loads((shared / "corpus" / "truth.json").read_text(encoding="utf-8"))
    return [entry for entry in truth if (entry["kind"] == "nasty") == (kind == "nasty")]


def folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def problem(path: Path, entry: dict[str, Any]) -> str:
    """Return what is wrong with how a file is read, or nothing."""
    try:
        document = open_document(path)
    except DocumentError as error:
        return refusal_problem(path, entry, error.code)
    if entry["needs_password"]:
        return "opened without its password"
    reader = DocumentReader(document)
    batch = Extraction(reader).batch(0, reader.pages)
    if reader.pages != entry["pages"]:
        return f"{reader.pages} pages, not {entry['pages']}"
    expected = bool(entry["has_text_layer"]) and entry.get("category") not in NO_TEXT_FOR_A_SEARCH
    if bool(batch.passages) != expected and path.name not in EITHER_WAY:
        return f"{len(batch.passages)} passages, text layer: {expected}"
    failed = {note.page for note in batch.notes if note.state == "failed"}
    texts = [reader.page_text(page).text for page in range(reader.pages) if page not in failed]
    for passage in batch.passages:
        if texts[passage.page][passage.start : passage.end] != passage.text:
            return "a passage is not its span"
    wanted = (expected and entry.get("text_expected")) or ""
    return "" if folded(wanted) in folded(" ".join(texts)) else f"text not found: {wanted}"


def refusal_problem(path: Path, entry: dict[str, Any], code: str) -> str:
    if entry["needs_password"]:
        if code != "needs_password":
            return f"{code}, not needs_password"
        pages = open_document(path, entry["password"]).page_count
        return "" if pages == entry["pages"] else f"{pages} pages with the password"
    if entry["pages"] is None:
        return "" if code in {"not_pdf", "empty", "damaged"} else code
    if entry["pages"] == 0:
        return "" if code in {"no_pages", "not_pdf", "damaged"} else code
    return f"refused: {code}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_that_each_nasty_file_has_the_right_outcome(shared: Path) -> None:
    problems = {
        entry["file"]: found
        for entry in entries(shared, "nasty")
        if Path(entry["file"]).name not in IN_A_WORKER
        and (found := problem(shared / "corpus" / entry["file"], entry))
    }
    assert not problems


@pytest.mark.slow
def test_that_papers_give_passages_with_places_and_sections(shared: Path) -> None:
    for entry in entries(shared, "paper")[::4]:
        reader = DocumentReader(open_document(shared / "corpus" / entry["file"]))
        pages = min(reader.pages, 6)
        batch = Extraction(reader).batch(0, pages)
        assert bool(batch.passages) == entry["has_text_layer"], entry["file"]
        for passage in batch.passages:
            assert passage.lines, entry["file"]
            assert "\u00ad" not in passage.text
            assert "\ufffe" not in passage.text
            assert not any(unicodedata.category(c) in {"Co", "Cc"} for c in passage.text if c not in "\n\t")


@pytest.mark.slow
async def test_that_files_that_hang_mupdf_end_in_bounded_time(shared: Path) -> None:
    pool, render = WorkerPool("pdf", 1), Worker("render")
    client = PdfClient(pool, render)
    try:
        for name in ("test_2548.pdf", "vector-heavy-slow-plot.pdf"):
            last = -1
            async for batch in client.extract(shared / "corpus" / "nasty" / name):
                last = batch.last
                total = batch.total
            assert last == total - 1
        async for batch in client.extract(shared / "corpus" / "nasty" / "sicp-894-pages.pdf"):
            assert batch.total == 894
            break
    finally:
        await pool.close()
        await render.close()
