"""What every test gets: its own home and settings, no network, no screen, no process left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

# Qt reads these once, when it is first imported.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"

import psutil
import pytest
from hypothesis import settings as hypothesis_settings

REPO = Path(__file__).resolve().parents[1]

# A loaded machine is not a failure: no deadlines. CI draws the same examples every time.
hypothesis_settings.register_profile("default", deadline=None, max_examples=60)
hypothesis_settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "default")


# -- where a test lives ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def repo() -> Path:
    """The root of this checkout."""
    return REPO


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared corpus and benchmarks beside the checkout; read only, never copied into it."""
    folder = REPO.parent / "shared"
    if not (folder / "corpus").is_dir():
        pytest.skip("the shared corpus is not beside this checkout")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _isolated_user() -> Iterator[None]:
    """Keep the person's own folders, keyring and settings out of the whole run."""
    with (
        tempfile.TemporaryDirectory(prefix="astroresearch-tests-") as folder,
        pytest.MonkeyPatch.context() as env,
    ):
        for name in [n for n in os.environ if n.startswith("ASTRORESEARCH_")]:
            env.delenv(name)
        for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
            env.setenv(name, folder)
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            env.setenv(f"XDG_{kind}_HOME", str(Path(folder, kind.lower())))
        env.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        env.setenv("QT_QPA_PLATFORM", os.environ["QT_QPA_PLATFORM"])
        yield


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A library folder of this test alone; it does not exist yet."""
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def _default_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever forgets to pass a home gets the one of the test."""
    monkeypatch.setenv("ASTRORESEARCH_HOME", str(home))


# -- what a test may not do -----------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Connections leave this machine in no test; fakes listen on loopback."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0]) if isinstance(address, tuple) else str(address)
            if not (host.startswith("127.") or host in ("::1", "localhost")):
                raise PermissionError(f"a test tried to reach {host}; use a fake on 127.0.0.1")
        connect(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.fixture(scope="module", autouse=True)
def _no_worker_left_behind() -> Iterator[None]:
    """A module that ends while a worker process of ours still runs has forgotten to close it."""
    before = {process.pid for process in _workers()}
    yield
    left = [process for process in _workers() if process.pid not in before]
    _gone, alive = psutil.wait_procs(left, timeout=5)
    for process in alive:
        with contextlib.suppress(psutil.Error):
            process.kill()
    if alive:
        pytest.fail(f"worker processes left running: {[process.pid for process in alive]}", pytrace=False)


def _workers() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "--worker" in process.cmdline():
                found.append(process)
    return found


# -- which loop an async test runs on -------------------------------------------------------------


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Function
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run an `async def` test that takes `qtbot` or `qapp` on the window's loop, others on plain asyncio.

    In such a test never call `qtbot.wait…`: it nests a loop. Await an `asyncio.Event` that the signal sets.
    """
    if {"qapp", "qtbot"} & set(item.fixturenames):
        return {"qt": _qt_loop}
    return {"asyncio": asyncio.new_event_loop}


def _qt_loop() -> asyncio.AbstractEventLoop:
    from PySide6.QtWidgets import QApplication

    from app.ui.loop import Loop

    app = QApplication.instance()
    return Loop(app if isinstance(app, QApplication) else QApplication(["astroresearch"]))
