"""Starting and ending the window: one instance, one loop, one reporter, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.application import Application
from app.errors import AppError
from app.settings import expanded
from app.ui import early, i18n
from app.ui.file_open import Program
from app.ui.loop import Loop
from app.ui.main_window import MainWindow
from app.ui.picture import take_picture
from app.ui.reporter import Reporter, as_message
from app.ui.single_instance import Doorkeeper, hand_over
from app.ui.theme import Scheme, theme
from app.ui.widgets.notices import Message

translate = QCoreApplication.translate

CLOSE_S = 20.0
PICTURE_SIZE = (1440, 900)
INTERRUPTED = 130


def run(home: Path, files: Sequence[Path] = (), screenshot: Path | None = None) -> int:
    """Open the window of a library and return the exit code when it is closed.

    `files` are added to the library. With `screenshot` the window waits until it is idle,
    writes that picture and ends. A second start of the same library hands its files to the first.
    """
    if screenshot is None and (problem := early.missing_display()):
        _say(problem, "`astroresearch demo` works without one.")
        return 1
    early.prepare_environment(picture=screenshot is not None)
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else Program(["astroresearch"])
    app.setApplicationName("AstroResearch")
    app.setDesktopFileName("astroresearch")
    app.setQuitOnLastWindowClosed(False)
    home = expanded(home).absolute()
    door: Doorkeeper | None = None
    if screenshot is None:
        if hand_over(home, files):
            return 0
        door = Doorkeeper(home)
    loop = Loop(app)
    asyncio.set_event_loop(loop)
    try:
        return int(loop.run_until_complete(_Session(app, loop, home, door).run(files, screenshot)))
    finally:
        if door is not None:
            door.close()
        loop.close()
        asyncio.set_event_loop(None)


class _Session:
    """One run of the window, from opening the library to closing it."""

    def __init__(self, app: QApplication, loop: Loop, home: Path, door: Doorkeeper | None) -> None:
        self._app = app
        self._loop = loop
        self._home = home
        self._window: MainWindow | None = None
        self._reporter = Reporter()
        self._ended: asyncio.Future[int] = loop.create_future()
        if door is not None:
            door.files_came.connect(self._another_start)
        if isinstance(app, Program):
            app.files_opened.connect(self._add)

    async def run(self, files: Sequence[Path], screenshot: Path | None) -> int:
        try:
            application = Application.open(self._home)
            early.start_log(self._home)
            crash = early.start_crash_file(self._home)
        except (AppError, OSError) as error:
            return await self._fail(as_message(error), ask=screenshot is None)
        self._reporter.install(self._loop)
        with self._interruptible():
            try:
                async with application:
                    return await self._show(application, crash, files, screenshot)
            finally:
                self._reporter.remove()

    async def _show(
        self, application: Application, crash: str, files: Sequence[Path], screenshot: Path | None
    ) -> int:
        theme().apply(self._app, Scheme(application.settings.ui.theme))
        i18n.speak(self._app, application.settings.ui.language)
        window = self._new_window(application)
        if screenshot is not None and self._app.platformName() == "offscreen":
            window.resize(*PICTURE_SIZE)  # the offscreen screen is smaller than any real one
        window.show()
        if crash and screenshot is None:
            words = translate("Start", "AstroResearch ended unexpectedly last time.")
            hint = translate("Start", "Your library is safe. The details can be copied for a report.")
            window.post(Message("warning", words, hint, details=crash))
        self._add(files)
        code = await self._picture(window, screenshot) if screenshot is not None else await self._ended
        if self._window is not None:  # perhaps another one by now: the language may have changed
            await _within(CLOSE_S, self._window.shut_down())
            self._window.close()
        return code

    async def _picture(self, window: MainWindow, path: Path) -> int:
        try:
            await take_picture(window, path)
        except (AppError, OSError) as error:
            _say(str(error))
            return 1
        return 0

    def _new_window(self, application: Application) -> MainWindow:
        window = MainWindow(application)
        self._reporter.reported.connect(window.post)
        window.close_wanted.connect(self._end)
        # Queued: the signal comes from a task of the window that is about to be ended.
        window.language_changed.connect(
            lambda: self._loop.create_task(self._change_language(application)),
            Qt.ConnectionType.QueuedConnection,
        )
        self._window = window
        return window

    async def _change_language(self, application: Application) -> None:
        """Make the window anew in the other language; what is open stays open."""
        old = self._window
        if old is None:
            return
        i18n.speak(self._app, application.settings.ui.language)
        self._reporter.reported.disconnect(old.post)
        place = old.geometry()
        await _within(CLOSE_S, old.shut_down())
        new = self._new_window(application)
        new.setGeometry(place)
        new.show()
        new.open_settings()
        old.close()
        old.deleteLater()

    def _another_start(self, paths: Sequence[Path]) -> None:
        if self._window is not None:
            self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
            self._window.show()
            self._window.raise_()
            self._window.activateWindow()
        self._add(paths)

    def _add(self, paths: Sequence[Path]) -> None:
        if self._window is not None and paths:
            self._window.add_paths(paths)

    def _end(self, code: int = 0) -> None:
        if not self._ended.done():
            self._ended.set_result(code)

    async def _fail(self, message: Message, *, ask: bool) -> int:
        """Say why the library cannot be opened: on stderr, and in a window where there is one."""
        _say(message.text, message.hint)
        if ask and self._app.platformName() not in ("offscreen", "minimal"):
            box = QMessageBox(QMessageBox.Icon.Warning, "AstroResearch", message.text)
            box.setInformativeText(message.hint)
            box.finished.connect(lambda _: self._end(1))
            box.open()
            await self._ended
        return 1

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM close the window as its button does."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        timer = QTimer()
        try:
            for number in numbers:
                self._loop.add_signal_handler(number, self._end, INTERRUPTED)
            added = True
        except (NotImplementedError, RuntimeError, ValueError):
            added = False  # Windows
            signal.signal(signal.SIGINT, lambda *_: self._end(INTERRUPTED))
            timer.timeout.connect(lambda: None)  # lets Python see the signal while Qt waits
            timer.start(200)
        try:
            yield
        finally:
            timer.stop()
            for number in numbers if added else ():
                self._loop.remove_signal_handler(number)


async def _within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work


def _say(*lines: str) -> None:
    print("\n".join(filter(None, lines)), file=sys.stderr)  # noqa: T201
