"""kill -9 during an import: what was reported is in the library, and the next start finishes the rest."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import psutil
import pymupdf
import pytest

from app.application import Application
from app.library import Library

FILES = 12
DEADLINE_S = 300


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix word")
@pytest.mark.parametrize(
    "kills", [pytest.param(4, id="4"), pytest.param(20, id="20", marks=pytest.mark.slow)]
)
async def test_that_nothing_reported_is_lost_and_the_next_start_finishes_the_rest(
    kills: int, home: Path, tmp_path: Path
) -> None:
    papers = _papers(tmp_path / "papers", FILES + kills)
    chance = random.Random(kills)
    reported: dict[str, dict[str, Any]] = {}
    for _ in range(kills):
        with _import(home, papers) as lines:
            # From the first moments, before anything is done, to well into the work.
            _collect(lines, reported, seconds=chance.uniform(0.0, 1.5), results=chance.randint(0, 2))
        _check(home, reported)
    async with asyncio.timeout(DEADLINE_S):
        async with Application.open(home) as application:
            application.importer.resume()
            await application.importer.idle()
            left = [r async for r in application.importer.add([papers])]
    assert {r.status.value for r in left} <= {"added", "duplicate"}
    with Library.open(home) as library:
        assert library.imports.pending() == []
        assert library.papers.count() == len(list(papers.iterdir()))
        rows = library.papers.rows(library.papers.order())
        files = [file for row in rows for file in library.papers.get(row.paper_id).files]
        assert all((file.status, file.indexed, file.passages > 0) == ("added", True, True) for file in files)
        assert len({file.passages for file in files}) == 1  # all papers are of one making: nothing twice
        assert library.verify() == []
    assert not list((home / "files").glob(".incoming/*"))


def _check(home: Path, reported: dict[str, dict[str, Any]]) -> None:
    """Every reported file is whole: its copy, its rows, all its passages."""
    with Library.open(home) as library:
        for result in reported.values():
            assert result["status"] in ("added", "duplicate")
            detail = library.papers.get(result["paper_id"])
            (file,) = detail.files
            assert (file.status, file.indexed) == ("added", True)
            assert (file.passages, file.pages) == (result["passages"], result["pages"])
            assert (home / "files" / file.path).stat().st_size == file.size
        assert library.verify() == []


@contextmanager
def _import(home: Path, papers: Path) -> Iterator[queue.Queue[str]]:
    """Run `astroresearch add` in its own process, give its lines, and kill it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--home", str(home), "add", "--events", str(papers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=_pump, args=(process.stdout, lines), daemon=True)
    reader.start()
    try:
        yield lines
    finally:
        workers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        reader.join(timeout=30)
        process.stdout.close()
        _gone, alive = psutil.wait_procs(workers, timeout=10)
        assert not alive, "workers outlived their parent"


def _pump(stream: IO[str], lines: queue.Queue[str]) -> None:
    for line in stream:
        lines.put(line)


def _collect(
    lines: queue.Queue[str], reported: dict[str, dict[str, Any]], *, seconds: float, results: int
) -> None:
    """Take reports until some came (or the run ended) and then for a random while longer."""
    deadline = time.monotonic() + 60
    seen = 0
    while seen < results and time.monotonic() < deadline:
        try:
            line = lines.get(timeout=0.5)
        except queue.Empty:
            continue
        result = json.loads(line)
        reported[result["path"]] = result
        seen += 1
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            result = json.loads(lines.get(timeout=left))
        except queue.Empty:
            return
        reported[result["path"]] = result


def _papers(folder: Path, number: int) -> Path:
    """Write papers that differ in name, title and one number, and are alike in length."""
    folder.mkdir()
    for n in range(number):
        document = pymupdf.open()
        for page_number in range(3):
            page = document.new_page()
            if page_number == 0:
                page.insert_textbox((72, 60, 520, 110), f"The variable star number {n:04}", fontsize=18)
            body = f"The period of star {n:04} is {page_number}.5 days in the infrared band. " * 20
            page.insert_textbox((72, 150, 520, 780), body, fontsize=10)
        document.set_metadata({"title": f"The variable star number {n:04}", "author": "Ada Nakamura"})
        document.save(folder / f"star-{n:04}.pdf")
        document.close()
    return folder
