"""What was learnt of models on this machine: threads that are fastest, tools that crash. A small JSON file.

A pair of model and tools that crashed the worker twice is set aside: from then on calls of these tools
are not held to a grammar, only checked. A worker that was killed from outside blames nobody.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.llm.chat import ToolSpec
from app.workers.protocol import JSON

CRASHES_ALLOWED = 2
_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")


def tools_key(tools: Sequence[ToolSpec]) -> str:
    """Return a name for what a grammar is made of."""
    each = sorted((tool.name, json.dumps(tool.parameters, sort_keys=True, default=str)) for tool in tools)
    return hashlib.blake2b(repr(each).encode(), digest_size=12).hexdigest()


def blames_nobody(how: str) -> bool:
    """Whether a worker that ended like this was ended by somebody else."""
    return any(signal in how for signal in _FROM_OUTSIDE)


@dataclass(slots=True)
class Notebook:
    """Notes about one model file, in `path` (None: for this run only)."""

    model: str
    path: Path | None = None
    _crashes: dict[str, int] = field(default_factory=dict)
    _threads: dict[str, list[int]] = field(default_factory=dict)
    _read: bool = False

    @property
    def threads(self) -> tuple[int, int]:
        """The numbers of threads for writing and reading; zeros when they were not measured yet."""
        self._load()
        writing, reading = self._threads.get(machine(), (0, 0))
        return writing, reading

    def measured(self, threads: tuple[int, int]) -> bool:
        """Note numbers of threads; return whether they are news."""
        if not all(threads) or self.threads == threads:
            return False
        self._threads[machine()] = list(threads)
        return True

    def crashed(self, tools: str, how: str) -> bool:
        """Note that the worker crashed with these tools; return whether that counts."""
        self._load()
        if blames_nobody(how):
            return False
        self._crashes[tools] = self._crashes.get(tools, 0) + 1
        return True

    def set_aside(self, tools: str) -> bool:
        """Whether these tools have crashed the worker too often."""
        self._load()
        return self._crashes.get(tools, 0) >= CRASHES_ALLOWED

    def save(self) -> None:
        """Write the notes; a disk that refuses costs a measurement, no more."""
        if self.path is None:
            return
        everything = _content(self.path)
        everything[self.model] = {"threads": self._threads, "crashes": self._crashes}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{self.path.name}-", dir=self.path.parent)
        except OSError:
            return
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(everything, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except OSError:
            Path(name).unlink(missing_ok=True)

    def _load(self) -> None:
        if self._read or self.path is None:
            return
        self._read = True
        kept = _content(self.path).get(self.model)
        if not isinstance(kept, dict):
            return
        for name, count in _dict(kept.get("crashes")).items():
            if isinstance(count, int):
                self._crashes.setdefault(name, count)
        for name, numbers in _dict(kept.get("threads")).items():
            match numbers:
                case [int(writing), int(reading)] if 0 < writing < 1024 and 0 < reading < 1024:
                    self._threads.setdefault(name, [writing, reading])


def machine() -> str:
    """Return a name for this computer as far as threads are concerned: homes are carried about."""
    return f"{platform.node()}-{platform.machine()}-{os.cpu_count()}"


def _content(path: Path) -> dict[str, JSON]:
    try:
        return _dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, RecursionError):
        return {}


def _dict(value: JSON) -> dict[str, JSON]:
    return value if isinstance(value, dict) else {}
