"""What a path looks like, before the disk is asked: names no system should be given. Pure."""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import PurePath
from typing import TypeAlias

PathKey: TypeAlias = tuple[str, ...]
"""The parts of an absolute path, such that two paths of the same file have the same key."""

MAX_LENGTH = 4096

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def key_of(path: PurePath, platform: str = sys.platform) -> PathKey:
    """Return the parts to compare: without case on Windows and macOS, composed on macOS."""
    if platform == "win32":
        return tuple(part.casefold() for part in path.parts)
    if platform == "darwin":
        return tuple(unicodedata.normalize("NFC", part).casefold() for part in path.parts)
    return path.parts


def shape_problem(text: str, *, windows: bool) -> str | None:
    """Return what is wrong with a path as text, in words that end a sentence; None if nothing is."""
    if not text.strip():
        return "it is empty"
    if len(text) > MAX_LENGTH:
        return f"it has {len(text)} characters"
    if any(_broken(character) for character in text):
        return "it holds control characters or broken ones"
    return _windows_problem(text) if windows else None


def quoted(text: str, limit: int = 200) -> str:
    """Return a path in quotes for a message: short, on one line, and without what cannot be shown."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if _broken(character) else character for character in text[:limit]
    )
    return f'"{shown}{"…" if len(text) > limit else ""}"'


def _broken(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs")


def _windows_problem(text: str) -> str | None:
    r"""Look for what Windows takes for more than a name: `\\?\`, shares, streams, devices, lost endings."""
    if re.match(r"[\\/]{2}|[\\/]\?\?[\\/]", text):
        return "device and network paths are not used"
    rest = text[2:] if _DRIVE.match(text) else text
    if ":" in rest:
        return "a colon names a drive or a hidden stream there"
    for part in re.split(r"[\\/]", rest):
        if part.split(".", 1)[0].rstrip().casefold() in _DEVICES:
            return f"{part} is the name of a device"
        if part not in {".", ".."} and part != part.rstrip(". "):
            return "a name ends in a dot or a space, which Windows drops"
    return None
