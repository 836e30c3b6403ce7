"""Which files the agent may read and write. A path counts as it was typed and as it resolves.

Checked are path components, never string prefixes, and never before links are resolved. `~` and
variables are not expanded: they are parts of names here, as they are for the file system.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.agent.policy.path_shapes import PathKey, key_of, quoted, shape_problem
from app.errors import AppError


class PathRefused(AppError):  # noqa: N818  a refusal is an answer of the sandbox, named like its kin
    """The agent may not do this with this path; the hint names the folders that are open to it."""

    code = "path_refused"


@dataclass(frozen=True, slots=True)
class Zone:
    """A folder with all below it, and what is allowed there unless a deeper zone says otherwise."""

    root: Path
    read: bool = False
    write: bool = False


class Sandbox:
    """Folders open to the agent. Every method looks at the disk: call them off the loop.

    The deepest zone that holds a path decides; of two with the same root the stricter one. Outside
    of all zones nothing is allowed. `base` is where relative paths start. `managed` tells the
    files of papers, by their path relative to `base` with "/": they are never overwritten.
    """

    def __init__(
        self,
        zones: Sequence[Zone],
        *,
        base: Path,
        project: Path | None = None,
        managed: Callable[[str], bool] = lambda _relative: False,
        trusted: Sequence[Path] = (),
    ) -> None:
        self.base = Path(os.path.realpath(base))
        self.project = Path(os.path.realpath(project)) if project else None
        self._zones = [(key, zone) for zone in zones for key in _keys(zone.root)]
        self._managed = managed
        self._trusted = [key for root in trusted for key in _keys(root)]

    @classmethod
    def for_home(
        cls,
        home: Path,
        builtin_skills: Path,
        project: Path | None = None,
        *,
        managed: Callable[[str], bool] = lambda _relative: False,
    ) -> Sandbox:
        """Open the files, skills and tool results of a library, and the project folder of a conversation.

        All else in `home` is closed, also where the project folder lies around it: the database,
        settings, backups, locks, and what imports are just bringing in.
        """
        zones = [
            Zone(builtin_skills, read=True),
            *([Zone(project, read=True, write=True)] if project else []),
            Zone(home),
            Zone(home / "files", read=True, write=True),
            Zone(home / "files" / ".incoming"),
            Zone(home / "tool-results", read=True),
            Zone(home / "skills", read=True, write=True),
            Zone(home / "backups"),
        ]
        trusted = (builtin_skills, home / "skills")
        return cls(zones, base=home / "files", project=project, managed=managed, trusted=trusted)

    @property
    def read_roots(self) -> list[Path]:
        """The folders that may be read."""
        return self._roots(lambda zone: zone.read)

    @property
    def write_roots(self) -> list[Path]:
        """The folders that may be written."""
        return self._roots(lambda zone: zone.write)

    @property
    def search_root(self) -> Path:
        """Where a search without a path looks: the project folder, else the library's files."""
        return self.project or self.base

    def readable(self, text: str) -> Path:
        """Return the resolved path of something that may be read, whether or not it exists.

        Raises PathRefused.
        """
        typed = self._typed(text)
        real = _resolved(typed)
        if not (self._zone_of(typed).read and self._zone_of(real).read):
            raise _refused(text, typed, real, "read", self.read_roots)
        return real

    def writable(self, text: str) -> Path:
        """Return the resolved path of a file that may be written or made. Raises PathRefused.

        The file itself must not be a link, wherever that leads.
        """
        typed = self._typed(text)
        real = _resolved(typed)
        if not (self._zone_of(typed).write and self._zone_of(real).write):
            raise _refused(text, typed, real, "write", self.write_roots)
        if typed.is_symlink():
            raise PathRefused(
                f"{quoted(text)} is a link and is not written through.",
                hint=f"Write to {real}, where it leads, if that is what you mean.",
            )
        if self._is_managed(real):
            raise PathRefused(
                f"{quoted(text)} is the file of a paper in the library and is never changed.",
                hint=f"Write another file; save_note keeps remarks on a paper. {_open(self.write_roots)}",
            )
        return real

    def trusts(self, path: Path) -> bool:
        """Whether a resolved path holds instructions of ours or the person's own: a skill."""
        key = key_of(path)
        return any(key[: len(root)] == root for root in self._trusted)

    def shown(self, path: Path) -> str:
        """Return the shortest text that leads back to a resolved path: relative to `base` if below it."""
        below = self._below_base(path)
        return str(path) if below is None else below

    def closed_below(self, root: Path) -> list[Path]:
        """Return the folders below a resolved one that a search must stay out of."""
        key = key_of(root)
        return [
            Path(os.path.realpath(zone.root))
            for inner, zone in self._zones
            if not zone.read and len(inner) > len(key) and inner[: len(key)] == key
        ]

    def _typed(self, text: str) -> Path:
        if problem := shape_problem(text, windows=sys.platform == "win32"):
            raise PathRefused(
                f"{quoted(text)} is not a usable path: {problem}.",
                hint=f"Give a path relative to {self.base}, or an absolute one. {_open(self.read_roots)}",
            )
        return Path(os.path.normpath(self.base / text))

    def _zone_of(self, path: Path) -> Zone:
        key = key_of(path)
        around = [(len(root), zone) for root, zone in self._zones if key[: len(root)] == root]
        deepest = max((depth for depth, _ in around), default=0)
        zones = [zone for depth, zone in around if depth == deepest]
        read = bool(zones) and all(zone.read for zone in zones)
        return Zone(path, read=read, write=bool(zones) and all(zone.write for zone in zones))

    def _is_managed(self, real: Path) -> bool:
        below = self._below_base(real)
        return below is not None and self._managed(below)

    def _below_base(self, real: Path) -> str | None:
        base = key_of(self.base)
        inside = key_of(real)[: len(base)] == base
        return Path(*real.parts[len(base) :]).as_posix() if inside else None

    def _roots(self, wanted: Callable[[Zone], bool]) -> list[Path]:
        return list(dict.fromkeys(zone.root for _, zone in self._zones if wanted(zone)))


def _keys(root: Path) -> list[PathKey]:
    """Return a root as it was given and as it resolves: what is typed may follow either."""
    return list(dict.fromkeys((key_of(Path(os.path.abspath(root))), key_of(Path(os.path.realpath(root))))))  # noqa: PTH100


def _resolved(typed: Path) -> Path:
    """Follow every link as far as the path exists; what does not exist yet is kept as it is."""
    real = os.path.realpath(typed)
    if os.path.realpath(real) != real or Path(real).is_symlink():
        raise PathRefused(f"{quoted(str(typed))} runs in a circle of links.", hint="Name the file itself.")
    return Path(real)


def _refused(text: str, typed: Path, real: Path, deed: str, roots: Sequence[Path]) -> PathRefused:
    leads = f" (it leads to {real})" if key_of(typed) != key_of(real) else ""
    tilde = " `~` is not expanded here." if text.startswith("~") else ""
    return PathRefused(
        f"{quoted(text)}{leads} is outside of the folders you may {deed}.{tilde}", hint=_open(roots)
    )


def _open(roots: Sequence[Path]) -> str:
    return f"Open to you: {', '.join(map(str, roots))}."
