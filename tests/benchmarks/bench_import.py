"""What an import costs beside reading the text alone, and how soon the first page can be searched.

The papers are those of the shared corpus when it lies beside the checkout, else PDFs made here; the unit says
which.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app.application import Application
from tests.benchmarks.result import Bench, Result

_CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "papers"
_SUBJECTS = (
    "arxiv-1003.2939.pdf",
    "arxiv-1412.6206.pdf",
    "arxiv-2203.00274.pdf",
    "celerite.pdf",
    "vanson-sfrd.pdf",
)

_PLAIN = """
import sys, time
import pymupdf
start, pages = time.perf_counter(), 0
for path in sys.argv[1:]:
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text("text")
            pages += 1
print(pages, time.perf_counter() - start)
"""

_MAKE = """
import sys
import pymupdf
for number, path in enumerate(sys.argv[1:]):
    document = pymupdf.open()
    for index in range(12):
        page = document.new_page()
        text = f"Star {number} varies with a period of {index}.5 days in the infrared band. " * 50
        page.insert_textbox((72, 72, 290, 780), text, fontsize=9)
        page.insert_textbox((305, 72, 520, 780), text, fontsize=9)
    document.save(path)
"""


def import_throughput() -> Result:
    """Pages per second from dropped files to searchable pages with vectors, against PyMuPDF's text alone."""
    with tempfile.TemporaryDirectory() as folder:
        papers, kind = _papers(Path(folder))
        words = _child(_PLAIN, papers).split()
        pages, plain = int(words[0]), float(words[1])
        took = asyncio.run(_import(Path(folder, "home"), papers))
    return Result(value=pages / took, unit=f"pages/s ({kind})", baseline=pages / plain, n=pages)


def first_searchable_page() -> Result:
    """Seconds from the drop of some papers to the first page that can be found, against all of them."""
    with tempfile.TemporaryDirectory() as folder:
        papers, kind = _papers(Path(folder))
        first, all_in = asyncio.run(_first(Path(folder, "home"), papers))
    return Result(value=first, unit=f"s ({kind})", baseline=all_in, n=len(papers))


def _papers(folder: Path) -> tuple[list[Path], str]:
    corpus = [path for name in _SUBJECTS if (path := _CORPUS / name).is_file()]
    if corpus:
        return corpus, "corpus papers"
    made = [folder / f"star-{number}.pdf" for number in range(5)]
    _child(_MAKE, made)
    return made, "generated papers"


def _child(code: str, papers: list[Path]) -> str:
    command = [sys.executable, "-c", code, *map(str, papers)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


async def _import(home: Path, papers: list[Path]) -> float:
    async with Application.open(home) as application:
        start = time.perf_counter()
        async for _result in application.importer.add(papers):
            pass
        return time.perf_counter() - start


async def _first(home: Path, papers: list[Path]) -> tuple[float, float]:
    async with Application.open(home) as application:
        start = time.perf_counter()
        first = asyncio.ensure_future(_searchable(application.library.passages.count))
        all_in = await _import_into(application, papers, start)
        return await first - start, all_in


async def _import_into(application: Application, papers: list[Path], start: float) -> float:
    async for _result in application.importer.add(papers):
        pass
    return time.perf_counter() - start


async def _searchable(count: Callable[[], int]) -> float:
    """Return when the first passages were committed, to about 10 ms."""
    while not await asyncio.to_thread(count):  # noqa: ASYNC110
        await asyncio.sleep(0.01)  # the commit happens in a thread of the importer
    return time.perf_counter()


BENCHES: dict[str, Bench] = {
    "import_throughput": import_throughput,
    "first_searchable_page": first_searchable_page,
}
