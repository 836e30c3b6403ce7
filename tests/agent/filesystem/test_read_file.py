"""read_file: pages, encodings, refusals, and the stub for what was read before."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.agent.policy.paths import PathRefused
from app.agent.tools.filesystem.read import FILE_UNCHANGED_STUB, ReadFile, page_bytes
from app.services.files.encodings import BinaryFileError
from app.services.files.folders import FileAccessError
from app.settings import Settings
from tests.agent.filesystem.conftest import Desk, Place

READ = ReadFile()


def settings(tokens: int) -> Settings:
    return Settings.model_validate({"llm": {"context_tokens": tokens}})


Make = Callable[[str, bytes | str], Path]


async def test_that_lines_come_with_their_numbers(desk: Desk, make_file: Make) -> None:
    make_file("a.txt", "one\ntwo\n")
    output = await desk.call(READ, path="a.txt")
    assert output.content == "1\tone\n2\ttwo"
    assert output.metadata["lines"] == 2
    assert output.metadata["path"] == "a.txt"
    assert output.untrusted


@pytest.mark.slow
async def test_that_a_model_that_follows_the_hint_reaches_the_last_line(desk: Desk, place: Place) -> None:
    """Bug 23: a persisted output of a megabyte is read page by page to its end, never persisted again."""
    path = place.home / "tool-results" / "01ABC.txt"
    path.write_text(
        "".join(f"line {number} of the output 星系\n" for number in range(30_000)) + "the last line\n"
    )
    assert READ.pages
    desk.settings = settings(32_000)
    offset, pages = 1, 0
    while True:
        output = await desk.call(READ, path=str(path), offset=offset)
        assert len(output.content.encode()) <= page_bytes(desk.settings) + 200
        pages += 1
        hint = re.search(r"read on with offset=(\d+)\]$", output.content)
        if hint is None:
            break
        offset = int(hint[1])
    assert "the last line" in output.content
    assert pages > 50


async def test_that_the_page_grows_with_the_context() -> None:
    """Trap 0.1: a budget in tokens, not a number of characters for all."""
    small, large = settings(4096), settings(200_000)
    assert page_bytes(small) == 4000
    assert page_bytes(large) == 40_000


async def test_that_what_the_model_has_before_its_eyes_is_not_repeated(desk: Desk, make_file: Make) -> None:
    make_file("a.txt", "one\ntwo\n")
    await desk.call(READ, path="a.txt")
    again = await desk.call(READ, path="./x/../a.txt")
    assert FILE_UNCHANGED_STUB in again.content
    assert (await desk.call(READ, path="a.txt", limit=1)).content.startswith("1\tone")


async def test_that_after_a_compaction_the_text_comes_again(desk: Desk, make_file: Make) -> None:
    """Bug 22, trap 0.3: read, compact, read gives the text."""
    make_file("a.txt", "one\n")
    first = await desk.call(READ, path="a.txt")
    desk.files.bump_generation()
    assert (await desk.call(READ, path="a.txt")).content == first.content


async def test_that_who_asks_again_after_the_stub_gets_the_text(desk: Desk, make_file: Make) -> None:
    """Bug 22: a stub is never the end of the way to the text."""
    make_file("a.txt", "one\n")
    contents = [(await desk.call(READ, path="a.txt")).content for _ in range(3)]
    assert contents[0] == contents[2] != contents[1]


async def test_that_a_changed_file_is_read_anew(desk: Desk, make_file: Make) -> None:
    make_file("a.txt", "one\n")
    await desk.call(READ, path="a.txt")
    make_file("a.txt", "two\n")
    assert (await desk.call(READ, path="a.txt")).content == "1\ttwo"


async def test_that_chinese_encodings_are_read_and_named(desk: Desk, make_file: Make) -> None:
    make_file("a.txt", "第一行暗物质晕的质量函数\r\n第二行\r\n".encode("gb18030"))
    content = (await desk.call(READ, path="a.txt")).content
    assert content.startswith("1\t第一行暗物质晕的质量函数\n2\t第二行\n")
    assert "encoding gb18030" in content


async def test_that_a_pdf_is_refused_with_the_way_to_its_text(desk: Desk, make_file: Make) -> None:
    make_file("abcd2345/paper.pdf", b"%PDF-1.7 ...")
    with pytest.raises(BinaryFileError) as caught:
        await desk.call(READ, path="abcd2345/paper.pdf")
    assert 'get_paper_content reads papers with paper="abcd2345"' in caught.value.hint


async def test_that_other_data_is_refused(desk: Desk, make_file: Make) -> None:
    make_file("a.fits", b"SIMPLE  =                    T" + b"\0" * 100)
    with pytest.raises(BinaryFileError, match="FITS"):
        await desk.call(READ, path="a.fits")


async def test_that_a_missing_file_is_answered_with_its_neighbours(desk: Desk, make_file: Make) -> None:
    make_file("notes/halo.md", "x")
    with pytest.raises(FileAccessError) as caught:
        await desk.call(READ, path="notes/hallo.md")
    assert "notes/halo.md" in caught.value.hint


async def test_that_a_path_of_the_project_given_as_relative_is_put_right(desk: Desk, place: Place) -> None:
    (place.project / "paper.tex").write_text("x")
    with pytest.raises(FileAccessError) as caught:
        await desk.call(READ, path="paper.tex")
    assert str(place.project / "paper.tex") in caught.value.hint


async def test_that_what_is_outside_is_refused(desk: Desk, place: Place) -> None:
    """Bug 27: the message names what is open."""
    with pytest.raises(PathRefused) as caught:
        await desk.call(READ, path=str(place.outside / "secret.txt"))
    assert str(place.files) in caught.value.hint
    for path in ("../settings.toml", "../library.sqlite3"):
        with pytest.raises(PathRefused):
            await desk.call(READ, path=path)


async def test_that_a_folder_is_refused(desk: Desk, make_file: Make) -> None:
    make_file("notes/a.md", "x")
    with pytest.raises(FileAccessError) as caught:
        await desk.call(READ, path="notes")
    assert "glob_files" in caught.value.hint


async def test_that_an_offset_behind_the_end_says_how_long_the_file_is(desk: Desk, make_file: Make) -> None:
    make_file("a.txt", "one\ntwo\n")
    output = await desk.call(READ, path="a.txt", offset=10)
    assert output.is_error
    assert "has 2 lines" in output.content
    make_file("empty.txt", "")
    assert (await desk.call(READ, path="empty.txt")).content == "[the file is empty]"


async def test_that_skills_are_trusted_and_nothing_else(desk: Desk, place: Place) -> None:
    """Bug 31: what strangers may have written is marked."""
    for folder, untrusted in ((place.skills, False), (place.home / "skills", False), (place.project, True)):
        (folder / "a.md").write_text("x")
        assert (await desk.call(READ, path=str(folder / "a.md"))).untrusted is untrusted


async def test_that_broken_bytes_reach_no_message(desk: Desk, make_file: Make) -> None:
    make_file("a.txt", "星系".encode() * 10 + b"\xff\n")
    (await desk.call(READ, path="a.txt")).content.encode()
    assert "some bytes broken" in (await desk.call(READ, path="a.txt", limit=5)).content
