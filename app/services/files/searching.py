"""Searching files by content and by name, in a worker that can be ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from app.errors import WorkerCrashedError, WorkerTimeoutError
from app.workers.pool import WorkerPool
from app.workers.protocol import JSON

MOST_MATCHES = 200
MOST_PER_FILE = 40
MOST_PATHS = 200
SILENCE_S = 10.0
"""A worker that says nothing for so long is caught in a pattern."""
_WORKERS = 2
_IDLE_EXIT_S = 120.0

Progress = Callable[[int, str], None]
"""Takes how many files were searched, and which is next."""


@dataclass(frozen=True, slots=True)
class FileMatches:
    """The matching lines of one file, as (number from 1, text); `more` if not all are here."""

    path: str
    lines: tuple[tuple[int, str], ...]
    more: bool = False


@dataclass(slots=True)
class GrepResult:
    """What was found. `stopped` says why not everything was searched; empty when it was."""

    files: list[FileMatches] = field(default_factory=list)
    searched: int = 0
    binary: int = 0
    unread: int = 0
    stopped: str = ""

    @property
    def count(self) -> int:
        """How many lines."""
        return sum(len(found.lines) for found in self.files)


@dataclass(frozen=True, slots=True)
class GlobResult:
    """The newest fitting files, and how many there are in all."""

    paths: tuple[str, ...]
    total: int
    stopped: str = ""


class FileSearch:
    """Starts its processes when they are first needed. Paths go in resolved and come out relative."""

    def __init__(self, silence_s: float = SILENCE_S) -> None:
        self._pool = WorkerPool("files", _WORKERS, idle_exit_s=_IDLE_EXIT_S)
        self._silence_s = silence_s

    async def grep(
        self,
        pattern: str,
        root: Path,
        *,
        glob: str = "",
        ignore_case: bool = False,
        closed: Sequence[Path] = (),
        progress: Progress = lambda _files, _at: None,
    ) -> GrepResult:
        """Search the lines of the text files below `root`, or of the file that it is.

        What was found before a pattern hung or the worker died is kept. Raises PatternError.
        """
        params: dict[str, JSON] = {
            "pattern": pattern,
            "root": str(root),
            "glob": glob,
            "ignore_case": ignore_case,
            "closed": [str(path) for path in closed],
            "most": MOST_MATCHES,
            "most_per_file": MOST_PER_FILE,
        }
        result = GrepResult()
        try:
            async with aclosing(self._pool.stream("grep", params, timeout=self._silence_s)) as parts:
                async for part in parts:
                    _take(result, part, progress)
        except WorkerTimeoutError:
            result.stopped = (
                f"after {result.searched} files: one line or folder took longer than {self._silence_s:g} s"
            )
        except WorkerCrashedError as error:
            result.stopped = f"after {result.searched} files: {error.message}"
        return result

    async def glob(self, pattern: str, root: Path, *, closed: Sequence[Path] = ()) -> GlobResult:
        """Return the files below `root` whose relative path fits, newest first. Raises PatternError."""
        params: dict[str, JSON] = {
            "pattern": pattern,
            "root": str(root),
            "closed": [str(path) for path in closed],
            "most": MOST_PATHS,
        }
        value: JSON = None
        async with aclosing(self._pool.stream("glob", params, timeout=self._silence_s)) as parts:
            async for part in parts:
                value = part
        return GlobResult(tuple(map(str, value["paths"])), int(value["total"]), str(value["stopped"]))

    async def close(self) -> None:
        """End the processes."""
        await self._pool.close()


def _take(result: GrepResult, part: JSON, progress: Progress) -> None:
    match part:
        case {"path": str(path), "matches": list(lines), "more": more}:
            shown = tuple((int(number), str(text)) for number, text in lines)
            result.files.append(FileMatches(path, shown, bool(more)))
        case {"at": str(at), "files": int(files)}:
            result.searched = files
            progress(files, at)
        case {"stopped": str(stopped), "files": int(files), "binary": int(binary), "unread": int(unread)}:
            result.searched, result.binary, result.unread = files, binary, unread
            result.stopped = stopped
