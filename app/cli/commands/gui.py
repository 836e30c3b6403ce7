"""`astroresearch gui`: opens the window."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from app.cli.context import Invocation
from app.errors import AppError


def gui(
    context: typer.Context,
    files: Annotated[list[str] | None, typer.Argument(metavar="[FILES…]", help="Files to add.")] = None,
    screenshot: Annotated[
        str | None,
        typer.Option("--screenshot", metavar="FILE.png", help="Write a picture of the window and exit."),
    ] = None,
) -> int:
    """Open the window (the default when no command is given)."""
    invocation = Invocation.of(context)
    picture = Path(screenshot) if screenshot is not None else None
    if not has_display():
        if picture is None:
            raise AppError(
                "There is no display to open a window on.",
                code="display",
                hint="Try `astroresearch demo`, or `gui --screenshot FILE.png`, which needs none.",
            )
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        # By name: the command line and the window do not know each other (floor 6).
        start = importlib.import_module("app.ui.start")
    except ImportError as error:
        raise AppError(
            f"The window cannot start: {error}.",
            code="display",
            hint="Run `python3 packaging/dev.py run`, which installs what Qt needs, or see `doctor`.",
        ) from error
    run = start.run
    return cast("int", run(invocation.library_home(), [Path(f) for f in files or ()], picture))


def has_display() -> bool:
    """Whether Qt finds something to draw on, as far as can be told without starting it."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
