"""A second start hands its files to the first."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer
from PySide6.QtWidgets import QApplication

from app.ui import single_instance
from app.ui.single_instance import Doorkeeper, hand_over, server_name


@pytest.fixture
def door(qapp: QApplication, home: Path) -> Doorkeeper:
    return Doorkeeper(home)


async def second_start(home: Path, files: list[Path]) -> bool:
    """Hand files over from another process: PySide holds the interpreter lock while its sockets wait."""
    code = (
        "import sys, pathlib; from app.ui.single_instance import hand_over;"
        "home, *files = map(pathlib.Path, sys.argv[1:]); sys.exit(0 if hand_over(home, files) else 3)"
    )
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(home), *map(str, files))
    return await child.wait() == 0


async def test_that_files_reach_the_first_window(door: Doorkeeper, home: Path, tmp_path: Path) -> None:
    came: asyncio.Future[list[Path]] = asyncio.get_running_loop().create_future()
    door.files_came.connect(came.set_result)
    files = [tmp_path / "a.pdf", tmp_path / "名字 b.pdf"]
    assert await second_start(home, files)
    assert await asyncio.wait_for(came, 5) == files
    door.close()


@pytest.mark.skipif(sys.platform == "win32", reason="its command lines are short")
async def test_that_as_many_files_as_a_command_line_holds_are_handed_over(
    door: Doorkeeper, home: Path
) -> None:
    came: asyncio.Future[list[Path]] = asyncio.get_running_loop().create_future()
    door.files_came.connect(came.set_result)
    files = [Path(f"/papers/{'名' * 60}-{number}.pdf") for number in range(4000)]
    assert await second_start(home, files)
    assert await asyncio.wait_for(came, 5) == files
    door.close()


async def test_that_nobody_answers_for_another_library(door: Doorkeeper, home: Path) -> None:
    assert not await second_start(home / "other", [])
    door.close()


def test_that_a_socket_left_by_a_dead_program_is_taken_over(
    qapp: QApplication, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = QLocalServer()
    assert dead.listen(server_name(home))
    name = dead.fullServerName()
    dead.close()
    if not name.startswith("/"):
        pytest.skip("sockets are no files here")
    Path(name).touch()
    monkeypatch.setattr(single_instance, "WAIT_MS", 200)
    assert not hand_over(home, [])
    door = Doorkeeper(home)
    assert door.listening()
    door.close()


async def test_that_nonsense_on_the_socket_is_ignored(door: Doorkeeper, home: Path) -> None:
    from PySide6.QtNetwork import QLocalSocket

    came: list[object] = []
    door.files_came.connect(came.append)
    socket = QLocalSocket()
    socket.connectToServer(server_name(home))
    socket.write(b'{"files": 3}\n')
    socket.flush()
    for _ in range(20):
        await asyncio.sleep(0.01)
    assert came == []
    door.close()
