"""Reading `requirements.lock`: which package, which version, with its hashes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_START = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)")


def blocks(text: str) -> dict[str, list[str]]:
    """Return the requirement of each package as it stands in the lock, hashes included.

    A package may stand there more than once, under different markers.
    """
    found: dict[str, list[str]] = {}
    current: list[str] = []
    name = ""
    for line in [*text.splitlines(), ""]:
        start = _START.match(line)
        if (start or not line.startswith(" ")) and current:
            found.setdefault(name, []).append("\n".join(current))
            current = []
        if start:
            name = normal_name(start[1])
            current = [line]
        elif current and not line.lstrip().startswith("#"):
            current.append(line)
    return found


def only(text: str, names: Iterable[str]) -> str:
    """Return a lock of these packages alone; a missing one raises KeyError."""
    all_blocks = blocks(text)
    return "\n".join(block for name in names for block in all_blocks[normal_name(name)]) + "\n"


def without(text: str, names: Iterable[str]) -> str:
    """Return the lock without these packages."""
    left_out = {normal_name(name) for name in names}
    return "\n".join(b for name, group in blocks(text).items() if name not in left_out for b in group) + "\n"


def version(text: str, name: str) -> str:
    """Return the locked version of a package (the first, if markers give it several)."""
    match = _START.match(blocks(text)[normal_name(name)][0])
    assert match is not None  # noqa: S101  (blocks start with it)
    return match[2]


def normal_name(name: str) -> str:
    """Write a package name as the index does."""
    return re.sub(r"[-_.]+", "-", name).lower()
