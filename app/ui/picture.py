"""`--screenshot`: wait until nothing moves, then write the window as a picture."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import AppError

if TYPE_CHECKING:
    from app.ui.main_window import MainWindow

STEP_S, QUIET_S, AT_MOST_S = 0.05, 0.4, 600.0


async def until_idle(window: MainWindow, at_most_s: float = AT_MOST_S) -> bool:
    """Wait until the window has been idle for a moment; False if it never is."""
    ends = time.monotonic() + at_most_s
    quiet = 0.0
    while quiet < QUIET_S:
        if time.monotonic() > ends:
            return False
        await asyncio.sleep(STEP_S)
        quiet = quiet + STEP_S if window.is_idle() else 0.0
    return True


async def take_picture(window: MainWindow, path: Path) -> None:
    """Write the window as PNG. Raises AppError where the file cannot be written."""
    await until_idle(window)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not window.grab().save(str(path), "PNG"):
        raise AppError(
            f"The picture {path} could not be written.",
            hint="Give a path ending in .png that can be written.",
        )
