"""file_write and file_edit: nothing of anybody else is lost."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.agent.policy.paths import PathRefused
from app.agent.tools.filesystem.edit import FileEdit
from app.agent.tools.filesystem.read import ReadFile
from app.agent.tools.filesystem.state import FileStateCache
from app.agent.tools.filesystem.write import FileWrite
from app.agent.tools.tool import InterruptBehavior, ToolKind
from app.services.files.editing import EditError
from app.services.files.folders import FileAccessError, Folder
from app.services.files.versions import FileVersion
from app.services.files.writing import StaleFileError, write_whole
from tests.agent.filesystem.conftest import Desk, Place
from tests.harness.cancelling import at_every_step

READ, WRITE, EDIT = ReadFile(), FileWrite(), FileEdit()
Make = Callable[[str, bytes | str], Path]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".incoming")


async def test_that_a_new_file_is_written(desk: Desk, place: Place) -> None:
    output = await desk.call(WRITE, path="notes/new.md", content="星系\n")
    assert output.content == "Created notes/new.md."
    assert (place.files / "notes/new.md").read_bytes() == "星系\n".encode()
    assert "+星系" in output.metadata["diff"]
    assert desk.protected == ["in"]


async def test_that_an_existing_file_must_be_read_first(desk: Desk, make_file: Make) -> None:
    """Bug 13: a file that the model has never seen is not replaced."""
    path = make_file("a.md", "theirs")
    with pytest.raises(StaleFileError, match="you have not read it"):
        await desk.call(WRITE, path="a.md", content="ours")
    assert path.read_text() == "theirs"
    await desk.call(READ, path="a.md")
    await desk.call(WRITE, path="a.md", content="ours")
    assert path.read_text() == "ours"


async def test_that_a_change_of_the_person_in_between_is_kept(desk: Desk, make_file: Make) -> None:
    """Bug 13: modify between read and write."""
    path = make_file("a.md", "one\n")
    await desk.call(READ, path="a.md")
    make_file("a.md", "uno\n")
    with pytest.raises(StaleFileError, match="was changed since you read it"):
        await desk.call(WRITE, path="a.md", content="two\n")
    assert path.read_text() == "uno\n"


async def test_that_a_change_of_another_agent_in_between_is_kept(desk: Desk, make_file: Make) -> None:
    """Bug 13: two agents, each with what it has seen."""
    path = make_file("a.md", "one\n")
    other = FileStateCache()
    await desk.call(READ, path="a.md")
    await desk.call(READ, other, path="a.md")
    await desk.call(WRITE, other, path="a.md", content="theirs\n")
    with pytest.raises(StaleFileError):
        await desk.call(WRITE, path="a.md", content="ours\n")
    assert path.read_text() == "theirs\n"


async def test_that_who_wrote_a_file_may_write_it_again(desk: Desk, place: Place) -> None:
    await desk.call(WRITE, path="a.md", content="1")
    await desk.call(WRITE, path="a.md", content="2")
    await desk.call(EDIT, path="a.md", old_string="2", new_string="3")
    await desk.call(WRITE, path="a.md", content="4")
    assert (place.files / "a.md").read_text() == "4"


async def test_that_a_compaction_does_not_take_the_right_to_write(desk: Desk, make_file: Make) -> None:
    """Bug 22: read, compact, edit and write are allowed."""
    path = make_file("a.md", "one\n")
    await desk.call(READ, path="a.md")
    desk.files.bump_generation()
    await desk.call(EDIT, path="a.md", old_string="one", new_string="two")
    await desk.call(WRITE, path="a.md", content="three\n")
    assert path.read_text() == "three\n"


async def test_that_an_edit_is_shown_before_and_after(desk: Desk, make_file: Make) -> None:
    make_file("a.md", "one\ntwo\n")
    preview, form = await desk.preview(EDIT, path="a.md", old_string="two", new_string="zwei")
    assert form == "diff"
    assert "-two\n+zwei" in preview
    output = await desk.call(EDIT, path="a.md", old_string="two", new_string="zwei")
    assert output.content == "Changed 1 place in a.md (line 2)."
    assert output.metadata["diff"] == preview
    preview, form = await desk.preview(WRITE, path="b.md", content="new\n")
    assert (form, "+new" in preview) == ("diff", True)


async def test_that_a_preview_of_what_cannot_be_done_says_so(desk: Desk, make_file: Make) -> None:
    make_file("a.md", "one\n")
    preview, form = await desk.preview(EDIT, path="a.md", old_string="three", new_string="x")
    assert form == "text"
    assert "not in the file" in preview
    assert "outside" in (await desk.preview(WRITE, path="../../x", content=""))[0]


async def test_that_six_edits_of_one_file_at_once_are_all_made(
    desk: Desk, make_file: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug 12: six edits in one message, on a slow disk."""
    path = make_file("a.md", "".join(f"word{number}\n" for number in range(6)))

    def slow(path: Path, data: bytes, *, expected: FileVersion | None) -> FileVersion:
        time.sleep(0.02)
        return write_whole(path, data, expected=expected)

    monkeypatch.setattr("app.services.files.changing.write_whole", slow)
    outputs = await asyncio.gather(
        *(
            desk.call(
                EDIT, FileStateCache(), path="a.md", old_string=f"word{number}", new_string=f"new{number}"
            )
            for number in range(6)
        )
    )
    assert all(not output.is_error for output in outputs)
    assert path.read_text() == "".join(f"new{number}\n" for number in range(6))


async def test_that_a_cancel_at_any_step_leaves_the_old_file_or_the_new_one(
    desk: Desk, make_file: Make
) -> None:
    """Trap 0.9: never a half of it, never a temporary file."""
    path = make_file("a.md", "one\n")

    async def edit() -> None:
        path.write_text("one\n")
        await desk.call(EDIT, path="a.md", old_string="one", new_string="two")

    def check() -> None:
        assert path.read_text() in ("one\n", "two\n")
        assert names(path.parent) == ["a.md"]

    assert await at_every_step(edit, check) > 3


@pytest.mark.parametrize(
    "path", ["../settings.toml", "../library.sqlite3", "../../outside/x", "/etc/x", "a\0b"]
)
async def test_that_writing_outside_is_refused(desk: Desk, path: str) -> None:
    """Bug 27: also by an edit."""
    with pytest.raises(PathRefused):
        await desk.call(WRITE, path=path, content="x")
    with pytest.raises(PathRefused):
        await desk.call(EDIT, path=path, old_string="private", new_string="x")


async def test_that_the_file_of_a_paper_is_never_changed(desk: Desk, place: Place, make_file: Make) -> None:
    path = make_file("abcd2345/notes.md", "text of a paper")
    place.managed.add("abcd2345/notes.md")
    await desk.call(READ, path="abcd2345/notes.md")
    with pytest.raises(PathRefused, match="file of a paper"):
        await desk.call(WRITE, path="abcd2345/notes.md", content="x")
    with pytest.raises(PathRefused, match="file of a paper"):
        await desk.call(EDIT, path="abcd2345/notes.md", old_string="text", new_string="x")
    assert path.read_text() == "text of a paper"


async def test_that_an_edit_of_what_is_not_there_says_so(desk: Desk, make_file: Make) -> None:
    with pytest.raises(FileAccessError, match="There is no"):
        await desk.call(EDIT, path="missing.md", old_string="a", new_string="b")
    make_file("a.md", "a a")
    with pytest.raises(EditError, match="2 times"):
        await desk.call(EDIT, path="a.md", old_string="a", new_string="b")
    output = await desk.call(EDIT, path="a.md", old_string="a", new_string="b", replace_all=True)
    assert output.metadata["places"] == 2


async def test_that_ten_megabytes_are_written_and_shown_briefly(desk: Desk, place: Place) -> None:
    output = await desk.call(WRITE, path="a.txt", content="x" * 10_000_000)
    assert (place.files / "a.txt").stat().st_size == 10_000_000
    assert len(str(output.metadata)) < 2000
    with pytest.raises(EditError):
        await desk.call(WRITE, path="b.txt", content="x" * 17_000_000)


async def test_that_a_volume_that_can_only_be_read_gives_a_typed_error(
    desk: Desk, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Folder, name: str, flags: int, mode: int = 0o666) -> int:
        raise OSError(errno.EROFS if flags & os.O_CREAT else errno.ENOENT, "no")

    monkeypatch.setattr(Folder, "open", refused)
    with pytest.raises(FileAccessError, match="volume that can only be read") as caught:
        await desk.call(WRITE, path="a.txt", content="x")
    assert "Nothing was changed" in caught.value.hint
    assert names(place.files) == []


async def test_that_writing_asks_and_is_finished() -> None:
    for tool in (WRITE, EDIT):
        assert tool.kind is ToolKind.WRITE
        assert tool.interrupt_behavior() is InterruptBehavior.BLOCK
        assert not tool.is_concurrency_safe(None)
