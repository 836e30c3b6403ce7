"""From the path that a model gave to the file it meant, with a way out where there is none."""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from app.agent.policy.paths import Sandbox
from app.services.files.folders import FileAccessError

_MOST_NAMES = 5000


def existing(sandbox: Sandbox, text: str) -> Path:
    """Return the resolved path of something that may be read and is there. Blocks.

    Raises PathRefused, or FileAccessError (code "no_file") that names what it may have meant.
    """
    path = sandbox.readable(text)
    if path.exists():
        return path
    raise FileAccessError(
        f"There is no {sandbox.shown(path)}.", hint=_meant(sandbox, text, path), code="no_file"
    )


def printable(path: str) -> str:
    """Return a path on one line: a file's name is chosen by strangers and must not pose as output."""
    return "".join(
        f"\\u{ord(character):04x}"
        if unicodedata.category(character)[0] in "CZ" and character != " "
        else character
        for character in path
    )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 file", "3 files"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(paths: Iterable[str]) -> str:
    """Return paths one a line."""
    return "\n".join(printable(path) for path in paths)


def _meant(sandbox: Sandbox, text: str, path: Path) -> str:
    if sandbox.project and not Path(text).is_absolute():
        other = sandbox.project / text
        if other.exists():
            return f"Relative paths start at {sandbox.base}. There is {other}: give that path."
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MOST_NAMES), strict=False)]
    except OSError:
        return "glob_files finds files by a part of their name."
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    if not near:
        return "glob_files finds files by a part of their name."
    return f"Near it there is {', '.join(printable(sandbox.shown(path.parent / name)) for name in near)}."
