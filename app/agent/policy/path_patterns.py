"""Patterns on paths: compared part by part, with the path as it was typed and as it resolves.

A pattern with a slash starts at the folder of relative paths (or at the root, or at `~`); one without is
a name anywhere. `*` stays within a part, `**` goes over any number of them; a slash at the end means
the folder with all in it. What refuses a folder refuses all in it, and asks when a folder around it is
searched.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from app.agent.policy.path_shapes import PathKey, key_of
from app.agent.policy.patterns import Match, literally
from app.settings import expanded

_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class PathSubject:
    """A path of a call. `typed` has its `..` taken out, `real` has its links resolved too."""

    base: Path
    typed: Path
    real: Path
    folder: bool

    @classmethod
    def of(cls, text: str, base: Path) -> PathSubject:
        """Look at the disk for links. Raises ValueError for what can be no path."""
        root = Path(os.path.realpath(base))
        typed = Path(os.path.normpath(root / text))
        # Not of `typed`: behind a link, `..` leads elsewhere than the text says.
        real = Path(os.path.realpath(root / text))
        return cls(root, typed, real, real.is_dir())

    @property
    def key(self) -> str:
        """Where it really is."""
        return str(self.real)

    @property
    def exact(self) -> str:
        """The pattern of this very path, from the folder of relative paths where it lies in it."""
        inside = self.real.is_relative_to(self.base) and self.real != self.base
        path = self.real.relative_to(self.base) if inside else self.real
        text = path.as_posix()
        return literally(text if "/" in text else f"./{text}")

    def covered_by(self, pattern: str) -> bool:
        """Return whether a pattern allows the path as typed and as resolved."""
        parts, name_alone = _parts(pattern, self.base)
        if name_alone:
            return all(_fits(key_of(path)[-1:], parts) for path in (self.typed, self.real))
        return all(_fits(key_of(path), parts) for path in (self.typed, self.real))

    def touched_by(self, pattern: str) -> Match:
        """Return whether a pattern refuses the path, a folder around it, or what a search would find."""
        parts, name_alone = _parts(pattern, self.base)
        paths = {key_of(self.typed), key_of(self.real)}
        if name_alone:
            inner = [_below(path, key_of(self.base)) for path in paths]
            if any(fnmatchcase(part, parts[0]) for path in inner for part in path):
                return Match.YES
            return Match.PERHAPS if self.folder else Match.NO
        for wanted in {parts, _resolved(parts)}:
            if any(_fits(path[:end], wanted) for path in paths for end in range(1, len(path) + 1)):
                return Match.YES
            fixed = tuple(_fixed(wanted))
            if self.folder and any(fixed[: len(path)] == path[: len(fixed)] for path in paths):
                return Match.PERHAPS
        return Match.NO


@lru_cache(maxsize=512)
def _parts(pattern: str, base: Path) -> tuple[PathKey, bool]:
    """Return the parts of a pattern, and whether it is only a name."""
    text = pattern.replace("\\", "/") if sys.platform == "win32" else pattern
    if text.startswith("~"):
        text = expanded(text).as_posix()
    if "/" not in text:
        return key_of(Path(text)), True
    below = "**" if text.endswith("/") else ""
    anchored = Path(literally(base.as_posix()), text, below)
    return key_of(Path(os.path.normpath(anchored))), False


def _fits(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Compare part by part; `**` takes none, one or many."""
    reached = {0}
    for part in path:
        reached = {
            then
            for now in _over_stars(reached, pattern)
            if now < len(pattern)
            for then in _steps(part, pattern[now], now)
        }
        if not reached:
            return False
    return len(pattern) in _over_stars(reached, pattern)


def _steps(part: str, wanted: str, now: int) -> Iterator[int]:
    if wanted == "**":
        yield now
    elif fnmatchcase(part, wanted):
        yield now + 1


def _over_stars(places: set[int], pattern: Sequence[str]) -> set[int]:
    reached = set(places)
    for place in sorted(places):
        after = place
        while after < len(pattern) and pattern[after] == "**":
            after += 1
            reached.add(after)
    return reached


def _fixed(pattern: Sequence[str]) -> Iterator[str]:
    """Yield the leading parts without wildcards, as they are on the disk."""
    for part in pattern:
        plain = re.sub(r"\[([*?\[])\]", "", part)
        if _WILD.search(plain):
            return
        yield re.sub(r"\[([*?\[])\]", r"\1", part)


def _resolved(pattern: PathKey) -> PathKey:
    """Return the pattern with links in its fixed beginning resolved: it refuses where they lead."""
    fixed = tuple(_fixed(pattern))
    if not fixed:
        return pattern
    real = key_of(Path(os.path.realpath(Path(*fixed))))
    return (*(literally(part) for part in real), *pattern[len(fixed) :])


def _below(path: PathKey, base: PathKey) -> PathKey:
    return path[len(base) :] if path[: len(base)] == base else path
