"""Searching in the worker: what comes back, and what when it hangs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.services.files.globbing import PatternError
from app.services.files.searching import MOST_MATCHES, MOST_PER_FILE, FileSearch


@pytest.fixture
async def search() -> AsyncIterator[FileSearch]:
    search = FileSearch()
    yield search
    await search.close()


async def test_that_lines_are_found_with_their_numbers(search: FileSearch, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("一\r\ntwo halo\r\n三 halo\r\n".encode())
    (tmp_path / "gbk.txt").write_bytes("第一行暗物质晕\n第二行的质量函数 halo\n".encode("gb18030"))
    (tmp_path / "b.md").write_text("no\n")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.7 halo")
    result = await search.grep("halo", tmp_path)
    assert [(found.path, found.lines) for found in result.files] == [
        ("a.txt", ((2, "two halo"), (3, "三 halo"))),
        ("gbk.txt", ((2, "第二行的质量函数 halo"),)),
    ]
    assert (result.searched, result.binary, result.stopped) == (4, 1, "")


async def test_that_case_and_names_are_heeded(search: FileSearch, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text("Halo\n")
    (tmp_path / "a.md").write_text("Halo\n")
    assert (await search.grep("halo", tmp_path)).count == 0
    assert (await search.grep("halo", tmp_path, ignore_case=True)).count == 2
    assert [file.path for file in (await search.grep("H", tmp_path, glob="*.tex")).files] == ["a.tex"]
    assert (await search.grep("H", tmp_path / "a.md")).files[0].path == "a.md"


async def test_that_expressions_are_for_single_lines(search: FileSearch, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n\nfour")
    assert (await search.grep(r"one\s+two", tmp_path)).count == 0
    assert [line for line, _ in (await search.grep("^$", tmp_path)).files[0].lines] == [3]
    assert [line for line, _ in (await search.grep("r$", tmp_path)).files[0].lines] == [4]


async def test_that_there_is_an_end_to_what_is_listed(search: FileSearch, tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text("x\n" * 1000)
    result = await search.grep("x", tmp_path)
    assert result.count == MOST_MATCHES
    assert all(len(found.lines) == MOST_PER_FILE and found.more for found in result.files)
    assert str(MOST_MATCHES) in result.stopped


async def test_that_one_line_of_40_megabytes_gives_a_short_answer(search: FileSearch, tmp_path: Path) -> None:
    """Bug 6: the excerpt is cut around the match, however long the line is."""
    (tmp_path / "a.json").write_text("x" * 39_000_000 + "needle" + "y" * 1_000_000 + "\nneedle\n")
    result = await search.grep("needle", tmp_path)
    (found,) = result.files
    assert [line for line, _ in found.lines] == [1, 2]
    assert "needle" in found.lines[0][1]
    assert max(len(text) for _, text in found.lines) < 400


@pytest.mark.slow
async def test_that_a_pattern_without_end_is_ended_and_what_was_found_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("aaa\n")
    (tmp_path / "b.txt").write_text("a" * 60 + "!\n")
    search = FileSearch(silence_s=2)
    try:
        result = await search.grep("^(a+)+$", tmp_path)
        assert [found.path for found in result.files] == ["a.txt"]
        assert "took longer" in result.stopped
        assert (await search.grep("aaa", tmp_path)).count == 2
    finally:
        await search.close()


async def test_that_a_cancelled_search_leaves_the_worker_usable(search: FileSearch, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("a" * 60 + "!\n")
    await search.grep("x", tmp_path)
    task = asyncio.create_task(search.grep("^(a+)+$", tmp_path))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await search.grep("aaa", tmp_path)).count == 1


async def test_that_a_wrong_pattern_is_an_error_of_the_caller(search: FileSearch, tmp_path: Path) -> None:
    with pytest.raises(PatternError, match="regular expression"):
        await search.grep("(", tmp_path)
    with pytest.raises(PatternError):
        await search.glob("../*", tmp_path)


async def test_that_the_newest_files_come_first(search: FileSearch, tmp_path: Path) -> None:
    import os

    for age, name in enumerate(["new.txt", "old/er.txt", "old/est.txt", "x.md"]):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    result = await search.glob("*.txt", tmp_path)
    assert result.paths == ("new.txt", "old/er.txt", "old/est.txt")
    assert result.total == 3


async def test_that_progress_is_told(search: FileSearch, tmp_path: Path) -> None:
    told: list[int] = []
    (tmp_path / "a").write_text("x")
    await search.grep("x", tmp_path, progress=lambda files, _at: told.append(files))
    assert told
