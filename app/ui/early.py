"""What must be right before Qt starts: a display, an input method, a place for crash reports."""

from __future__ import annotations

import faulthandler
import logging
import os
import shutil
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

CRASH_FILE = "crash.txt"
LOG_FILE = "astroresearch.log"
_crash_files: list[TextIO] = []


def missing_display() -> str:
    """Return why no window can be opened here, or ""; Qt itself would end the process."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return ""
    if os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"):
        return ""
    return "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set."


def prepare_environment(*, picture: bool) -> None:
    """Set what Qt reads when it starts. A picture can be made without a display."""
    os.environ["QT_API"] = "pyside6"
    if picture and missing_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # The wheels carry ibus only; fcitx speaks its protocol. Without this Chinese cannot be typed.
    wished = os.environ.get("QT_IM_MODULE", "").lower()
    fcitx = "fcitx" in wished or "fcitx" in os.environ.get("XMODIFIERS", "").lower()
    if sys.platform.startswith("linux") and (fcitx or (not wished and shutil.which("fcitx5"))):
        os.environ["QT_IM_MODULE"] = "ibus"


def start_log(home: Path) -> None:
    """Write warnings and errors to a small rotating file."""
    folder = home / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(
        folder / LOG_FILE, maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)


def start_crash_file(home: Path) -> str:
    """Let a crash of native code write its stack; return what an earlier crash wrote, or ""."""
    path = home / "logs" / CRASH_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    earlier = path.read_text("utf-8", errors="replace").strip() if path.exists() else ""
    while _crash_files:
        _crash_files.pop().close()
    # Kept open for the life of the process: faulthandler writes to the descriptor when it dies.
    _crash_files.append(path.open("w", encoding="utf-8"))
    faulthandler.enable(_crash_files[-1])
    return earlier
