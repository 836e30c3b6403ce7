"""A window over the real application in a temporary home, on the window's own loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.ui import i18n
from app.ui.main_window import MainWindow
from app.ui.picture import until_idle
from app.ui.theme import Scheme, theme

PATIENCE_S = 60.0

PAPER = """# The variable star Lantern 42

Ada Nakamura, Lin Wei

## Results

A Fourier fit to the light curve gives a pulsation period of 331.4 ± 0.8 days and an amplitude of 0.72 mag.
"""

PAGES = (
    """The variable star Lantern 42

Ada Nakamura and Lin Wei

Abstract
We observe an imagined star for three years with
a small telescope and describe how this was done.""",
    """Results

A Fourier fit to the light curve gives a pulsation period of 331.4 days
and a full amplitude of 0.72 mag in the K band of our photometry.""",
)

OpenWindow = Callable[..., AbstractAsyncContextManager[MainWindow]]


async def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait on the loop until something is so; never `qtbot.wait`, which nests another loop."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  (any condition, not one event)
            await asyncio.sleep(0.01)
    assert condition(), what


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A Markdown paper that answers one question."""
    path = tmp_path / "lantern.md"
    path.write_text(PAPER, encoding="utf-8")
    return path


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A PDF of two pages; the second one answers the question."""
    import pymupdf

    document = pymupdf.open()
    for text in PAGES:
        page = document.new_page()
        page.insert_textbox(pymupdf.Rect(72, 72, 520, 720), text, fontsize=11)
    path = tmp_path / "lantern.pdf"
    document.set_metadata({"title": "The variable star Lantern 42", "author": "Ada Nakamura"})
    document.save(path)
    document.close()
    return path


@pytest.fixture
def open_window(qapp: QApplication, home: Path) -> OpenWindow:
    """Open a window: `async with open_window(ui={"theme": "dark"}) as window`."""
    qapp.setQuitOnLastWindowClosed(False)

    @asynccontextmanager
    async def opened(
        size: tuple[int, int] = (1440, 900), at: Path = home, speak: bool = True, **overrides: Any
    ) -> AsyncIterator[MainWindow]:
        async with Application.open(at, **overrides) as application:
            theme().apply(qapp, Scheme(application.settings.ui.theme))
            if speak:
                i18n.speak(qapp, application.settings.ui.language)
            window = MainWindow(application)
            try:
                window.resize(*size)
                window.show()
                assert await until_idle(window, PATIENCE_S)
                yield window
            finally:
                await window.shut_down()
                window.close()
                window.deleteLater()
                theme().apply(qapp, Scheme.LIGHT)
                i18n.speak(qapp, "en")

    return opened
