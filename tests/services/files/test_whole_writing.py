"""Files on disk: written whole or not at all, over the known version alone, never through a link."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.services.files.changing import planned_edit, planned_write
from app.services.files.editing import EditError
from app.services.files.encodings import BinaryFileError
from app.services.files.folders import FileAccessError, Folder, open_file, open_folder
from app.services.files.versions import FileVersion
from app.services.files.walking import walk
from app.services.files.writing import StaleFileError, file_lock, read_whole, write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")
MOST = 1 << 20


def version_of(path: Path) -> FileVersion:
    return read_whole(path, most=MOST).version


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_that_a_new_file_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "new.txt"
    version = write_whole(path, b"text", expected=None)
    assert path.read_bytes() == b"text"
    assert version == version_of(path)
    assert names(path.parent) == ["new.txt"]


def test_that_a_file_that_appeared_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """Bug 13: a new file must be new."""
    (tmp_path / "a").write_text("theirs")
    with pytest.raises(StaleFileError, match="exists already"):
        write_whole(tmp_path / "a", b"ours", expected=None)
    assert (tmp_path / "a").read_text() == "theirs"
    assert names(tmp_path) == ["a"]


def test_that_a_changed_file_is_not_replaced(tmp_path: Path) -> None:
    """Bug 13: the version is looked at once more right before the file is replaced."""
    path = tmp_path / "a"
    path.write_text("first")
    known = version_of(path)
    path.write_text("other")  # the same size
    with pytest.raises(StaleFileError, match="was changed"):
        write_whole(path, b"ours", expected=known)
    assert path.read_text() == "other"
    path.unlink()
    with pytest.raises(StaleFileError, match="was removed"):
        write_whole(path, b"ours", expected=known)
    assert names(tmp_path) == []


def test_that_a_touched_file_is_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("first")
    known = version_of(path)
    os.utime(path, ns=(1, 1))
    write_whole(path, b"second", expected=known)
    assert path.read_bytes() == b"second"


@posix
def test_that_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("x")
    path.chmod(0o751)
    write_whole(path, b"y", expected=version_of(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


@posix
def test_that_a_write_protected_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    known = version_of(path)
    path.chmod(0o444)
    with pytest.raises(FileAccessError, match="write-protected"):
        write_whole(path, b"y", expected=known)


@pytest.mark.parametrize("failing", ["put", "sync", "write"])
def test_that_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    known = version_of(path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if failing == "write":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Folder, failing, full)
    with pytest.raises(FileAccessError, match="the disk is full"):
        write_whole(path, b"new", expected=known)
    assert names(tmp_path) == ["a"]
    assert path.read_text() == ("new" if failing == "sync" else "old")


def test_that_a_volume_without_hard_links_takes_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    write_whole(tmp_path / "a", b"x", expected=None)
    with pytest.raises(StaleFileError):
        write_whole(tmp_path / "a", b"y", expected=None)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"x"


@posix
def test_that_a_link_put_in_after_the_check_is_not_followed(tmp_path: Path) -> None:
    """Bug 27: each part of the path is opened relative to the one before, links refused."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text("secret")
    (tmp_path / "inside").symlink_to("outside")
    with pytest.raises(FileAccessError, match="a link or not a folder"), open_file(tmp_path / "inside" / "a"):
        pass
    with pytest.raises(FileAccessError):
        write_whole(tmp_path / "inside" / "new", b"x", expected=None)
    (tmp_path / "final").symlink_to("outside/a")
    with pytest.raises(FileAccessError), open_file(tmp_path / "final"):
        pass
    with pytest.raises(FileAccessError, match="not a plain file"):
        write_whole(tmp_path / "final", b"x", expected=None)
    with pytest.raises(OSError), open_folder(tmp_path / "inside"):
        pass
    assert (tmp_path / "outside" / "a").read_text() == "secret"
    assert names(tmp_path / "outside") == ["a"]


@posix
def test_that_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileAccessError, match="not a plain file"):
        read_whole(tmp_path / "pipe", most=MOST)
    with pytest.raises(FileAccessError, match="not a plain file"):
        read_whole(Path("/dev/zero"), most=MOST)
    with pytest.raises(FileAccessError):
        read_whole(tmp_path, most=MOST)


def test_that_too_large_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (MOST + 1))
    with pytest.raises(FileAccessError) as caught:
        read_whole(tmp_path / "a", most=MOST)
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_that_a_killed_writer_leaves_the_old_file(tmp_path: Path, point: str) -> None:
    """Trap 0.9: kill -9 before the new file has its name; what is left over is not shown by searches."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    script = f"""
import os, signal
from pathlib import Path
from app.services.files.writing import read_whole, write_whole
def die(*args, **kwargs):
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
known = read_whole(Path({str(path)!r}), most=100).version
os.{point} = die
write_whole(Path({str(path)!r}), b"new", expected=known)
"""
    root = Path(__file__).resolve().parents[3]
    ended = subprocess.run([sys.executable, "-c", script], cwd=root, check=False)
    assert ended.returncode != 0
    assert path.read_text() == "old"
    assert [found.relative for found in walk(tmp_path)] == ["a.txt"]


# -- changes --------------------------------------------------------------------------------------

LINES = "第一行 α\n第二行 two\n第三行 ω\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "mixed"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_that_an_edit_changes_no_other_byte(tmp_path: Path, end: str, encoding: str) -> None:
    """Bug 25: {LF, CRLF, mixed} × {UTF-8, BOM, GB 18030, UTF-16}."""
    text = LINES.replace("\n", "\r\n", 1) if end == "mixed" else LINES.replace("\n", end)
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    planned_edit(path, "第二行 two\n", "第二行 zwei\n更多\n", everywhere=False).make()
    inner = "\n" if end in ("mixed", "\n") else end
    wanted = text.replace(f"第二行 two{inner}", f"第二行 zwei{inner}更多{inner}")
    assert path.read_bytes() == wanted.encode(encoding)


def test_that_broken_bytes_survive_an_edit(tmp_path: Path) -> None:
    """Bug 25: what cannot be decoded is carried along."""
    path = tmp_path / "a.bib"
    path.write_bytes("星系 {A}\n".encode() + b"M\xfcller\n" + "暗物质\n".encode())
    planned_edit(path, "{A}", "{B}", everywhere=False).make()
    assert path.read_bytes() == "星系 {B}\n".encode() + b"M\xfcller\n" + "暗物质\n".encode()


def test_that_a_sign_the_encoding_does_not_have_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("café\n".encode("cp1252"))
    with pytest.raises(EditError, match="no sign"):
        planned_edit(path, "café", "星", everywhere=False)
    assert path.read_bytes() == "café\n".encode("cp1252")


def test_that_a_replaced_file_keeps_encoding_and_line_ends(tmp_path: Path) -> None:
    """Bug 25: also when it is written as a whole."""
    path = tmp_path / "a.txt"
    path.write_bytes(LINES.replace("\n", "\r\n").encode("utf-8-sig"))
    planned_write(path, "新\n行\n", version_of(path)).make()
    assert path.read_bytes() == "新\r\n行\r\n".encode("utf-8-sig")


def test_that_data_is_neither_edited_nor_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7 abc")
    with pytest.raises(BinaryFileError):
        planned_edit(path, "abc", "x", everywhere=False)
    with pytest.raises(BinaryFileError):
        planned_write(path, "x", version_of(path))


@pytest.mark.parametrize("text", ["\ud800", "a\udc80b"])
def test_that_half_a_character_is_not_written(tmp_path: Path, text: str) -> None:
    with pytest.raises(EditError, match="half of a character"):
        planned_write(tmp_path / "a", text, None)


async def test_that_a_file_is_held_against_all_others_and_others_are_not(tmp_path: Path) -> None:
    """Bug 12: one lock for each real path, over read, change and write."""
    order: list[str] = []

    async def hold(path: Path, name: str) -> None:
        async with file_lock(path):
            order.append(f"{name} in")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            order.append(f"{name} out")

    await asyncio.gather(hold(tmp_path / "a", "1"), hold(tmp_path / "a", "2"), hold(tmp_path / "b", "3"))
    assert order.index("1 out") < order.index("2 in")
    assert order.index("3 in") < order.index("1 out")
