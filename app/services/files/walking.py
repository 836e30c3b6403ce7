"""The files below a folder, in a fixed order, without what `.gitignore` leaves out. Follows no links."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.files.folders import TEMPORARY

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SKIPPED = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", ".tox", ".mypy_cache"})
"""Folders that never hold what somebody looks for, also where no `.gitignore` says so."""

_MOST_IGNORE_BYTES = 1 << 20


@dataclass(frozen=True)
class Found:
    """A file: its path from where the search started, with "/", and its directory entry."""

    relative: str
    path: str

    @cached_property
    def mtime_ns(self) -> int:
        """When it was changed; 0 if it has gone meanwhile."""
        try:
            return os.lstat(self.path).st_mtime_ns
        except OSError:
            return 0


def walk(root: Path, closed: Collection[str] = ()) -> Iterator[Found]:
    """Yield the plain files below a resolved folder: those of a folder by name, then its subfolders.

    `closed` are resolved paths that are left out with all below them. Folders that cannot be read are
    passed over. A root that is a file yields that one.
    """
    if root.is_file():
        yield Found(root.name, str(root))
        return
    shut = frozenset(_same(path) for path in closed)
    waiting = [_Place(str(root), "", _around(root))]
    while waiting:
        place = waiting.pop()
        rules = (*place.rules, *_rules_of(place.folder))
        folders = []
        for entry in _entries(place.folder):
            is_folder = entry.is_dir(follow_symlinks=False)
            if _same(entry.path) in shut or _left_out(entry, rules, folder=is_folder):
                continue
            relative = f"{place.relative}{entry.name}"
            if is_folder:
                folders.append(_Place(entry.path, f"{relative}/", rules))
            elif entry.is_file(follow_symlinks=False):
                yield Found(relative, entry.path)
        waiting += reversed(folders)


@dataclass(frozen=True)
class _Place:
    """A folder to look into, what its files' relative paths begin with, and the rules from above."""

    folder: str
    relative: str
    rules: tuple[_Rules, ...]


@dataclass(frozen=True)
class _Rules:
    """One `.gitignore`: its folder, and what it says."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether it leaves a path out; None where it says nothing."""
        relative = path[len(self.folder) :].lstrip("/").replace(os.sep, "/")
        return self.spec.check_file(f"{relative}/" if folder else relative).include


def _same(path: str) -> str:
    """Return what is equal for two spellings of one path, where the system has several."""
    folds = sys.platform in ("win32", "darwin")
    return unicodedata.normalize("NFC", path).casefold() if folds else path


def _left_out(entry: os.DirEntry[str], rules: tuple[_Rules, ...], *, folder: bool) -> bool:
    if _is_link(entry) or (folder and entry.name in SKIPPED) or entry.name.startswith(TEMPORARY):
        return True
    return _ignored(entry.path, rules, folder=folder)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_link(entry: os.DirEntry[str]) -> bool:
    if sys.platform == "win32" and entry.is_dir():  # a junction is no symbolic link there
        return os.path.normcase(os.path.realpath(entry.path)) != os.path.normcase(entry.path)
    return entry.is_symlink()


def _ignored(path: str, rules: tuple[_Rules, ...], *, folder: bool) -> bool:
    """The nearest file that says something decides."""
    for found in reversed(rules):
        verdict = found.verdict(path, folder=folder)
        if verdict is not None:
            return verdict
    return False


def _around(root: Path) -> tuple[_Rules, ...]:
    """Return the rules from above that hold in a folder of a repository, outermost first."""
    repository = next((place for place in (root, *root.parents) if (place / ".git").exists()), None)
    if repository is None or repository == root:
        return ()
    above = [place for place in root.parents if place.is_relative_to(repository)]
    return tuple(found for place in reversed(above) for found in _rules_of(str(place)))


def _rules_of(folder: str) -> list[_Rules]:
    try:
        with open(os.path.join(folder, ".gitignore"), "rb") as file:  # noqa: PTH123, PTH118
            text = file.read(_MOST_IGNORE_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return []
    from pathspec import GitIgnoreSpec

    lines = [line for line in text.splitlines() if _usable(line)]
    return [_Rules(folder, GitIgnoreSpec.from_lines(lines))] if lines else []


def _usable(line: str) -> bool:
    """Whether a line is a pattern; git passes over those it does not understand."""
    from pathspec import GitIgnoreSpec

    try:
        return bool(GitIgnoreSpec.from_lines([line]).patterns)
    except ValueError:
        return False
