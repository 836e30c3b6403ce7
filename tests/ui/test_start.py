"""Starting the program as a person does: in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.ui import early
from app.ui.single_instance import server_name

START = (
    "import sys, pathlib; from app.ui.start import run;"
    "home, picture, *files = sys.argv[1:];"
    "sys.exit(run(pathlib.Path(home), [pathlib.Path(f) for f in files],"
    " pathlib.Path(picture) if picture else None))"
)
PATIENCE_S = 120.0


async def start(
    home: Path, *files: Path, picture: Path | None = None, **env: str
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        START,
        str(home),
        str(picture or ""),
        *map(str, files),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **env},
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    _, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    return process.returncode, errors.decode(errors="replace")


@pytest.mark.slow
async def test_that_a_picture_is_taken_when_all_is_imported(home: Path, paper: Path, tmp_path: Path) -> None:
    picture = tmp_path / "deep" / "window.png"
    code, errors = await ended(await start(home, paper, picture=picture))
    assert (code, errors) == (0, "")
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1440, 900)
    # the list's first row: its title is dark ink on the light ground
    ink = [image.pixelColor(x, y).lightness() for x in range(14, 320) for y in range(180, 290, 2)]
    assert min(ink) < 90


@pytest.mark.slow
async def test_that_a_picture_that_cannot_be_written_is_an_error(home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    code, errors = await ended(await start(home, picture=tmp_path / "file" / "x.png"))
    assert code == 1
    assert errors.strip()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM that can be caught")
async def test_that_a_second_start_hands_over_its_files_and_the_first_ends_in_order(
    home: Path, paper: Path
) -> None:
    from PySide6.QtNetwork import QLocalSocket

    from app.library import Library

    first = await start(home)
    for _ in range(600):
        await asyncio.sleep(0.1)
        socket = QLocalSocket()
        socket.connectToServer(server_name(home))
        if socket.waitForConnected(100):
            socket.abort()
            break
    await asyncio.sleep(2)
    second = await start(home, paper)
    assert await ended(second) == (0, "")
    library = Library.open(home)
    async with asyncio.timeout(PATIENCE_S):
        while not library.papers.count():  # noqa: ASYNC110  (another process adds it)
            await asyncio.sleep(0.1)
    library.close()
    first.send_signal(signal.SIGTERM)
    code, errors = await ended(first)
    assert (code, errors) == (130, "")


@pytest.mark.slow
async def test_that_a_home_that_cannot_be_used_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    code, errors = await ended(await start(tmp_path / "file"))
    assert code == 1
    assert "cannot be used" in errors


def test_that_no_display_is_said_before_qt_would_end_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert "no display" in early.missing_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert early.missing_display() == ""


def test_that_fcitx_is_reached_through_ibus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("QT_IM_MODULE", "fcitx")
    early.prepare_environment(picture=False)
    assert os.environ["QT_IM_MODULE"] == "ibus"


def test_that_what_an_earlier_crash_wrote_is_kept_for_the_notice(home: Path) -> None:
    import faulthandler

    (home / "logs").mkdir(parents=True)
    (home / "logs" / early.CRASH_FILE).write_text("Fatal Python error: Segmentation fault")
    try:
        assert "Segmentation" in early.start_crash_file(home)
        assert early.start_crash_file(home) == ""
    finally:
        faulthandler.enable(2)
        while early._crash_files:
            early._crash_files.pop().close()
