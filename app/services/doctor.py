"""The doctor: one check a thing the application needs, each with the way to mend it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.documents.client import PdfClient
from app.errors import AppError
from app.events import Notice
from app.library import Library
from app.llm.chat import ChatMessage, ChatModel
from app.llm.embeddings import Embedder, LocalEmbedder
from app.services import welcome
from app.services.secrets import Secrets
from app.services.threads import off_loop

_LITTLE_SPACE = 1 << 30
_QT_PROBE = "from PySide6.QtWidgets import QApplication; QApplication([]); print('ok')"
_REINSTALL = "Run `python3 packaging/dev.py run`, which installs what is missing."


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. What is not `essential` takes a feature away, not the application."""

    name: str
    ok: bool
    message: str
    hint: str = ""
    essential: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the shape of CONTRACT §2, `doctor`."""
        return {
            "name": self.name,
            "ok": self.ok,
            "message": self.message,
            "hint": "" if self.ok else self.hint,
            "essential": self.essential,
        }


class Patient(Protocol):
    """The parts of an open application that are looked at."""

    @property
    def library(self) -> Library: ...
    @property
    def pdf(self) -> PdfClient: ...
    @property
    def chat(self) -> ChatModel | None: ...
    @property
    def embedder(self) -> Embedder | None: ...
    @property
    def secrets(self) -> Secrets: ...
    @property
    def notices(self) -> Sequence[Notice]: ...


def machine_checks(home: Path) -> list[Check]:
    """Check what can be told without opening the library. Blocking, some seconds."""
    return [_python(), _disk(home), _window()]


async def checks(patient: Patient) -> list[Check]:
    """Check the parts of an open application, models and workers included."""
    steps: list[tuple[str, bool, Callable[[], Awaitable[str]], str]] = [
        ("database", True, lambda: _database(patient.library), "Restore a copy from the backups folder."),
        ("full-text search", True, lambda: _words(patient.library), _REINSTALL),
        ("vector search", True, lambda: _vectors(patient.library), _REINSTALL),
        ("pdf worker", True, lambda: _pdf(patient.pdf), _REINSTALL),
        ("embeddings", False, lambda: _embeddings(patient.embedder), _REINSTALL),
        (
            "chat model",
            False,
            lambda: _chat(patient.chat),
            "Set llm.model_path to a GGUF file, or install again.",
        ),
        ("keyring", False, lambda: _keyring(patient.secrets), "Set tokens in the environment instead."),
    ]
    found = [_settings(patient.notices)]
    for name, essential, step, hint in steps:
        try:
            found.append(Check(name, True, await step(), essential=essential))
        except AppError as error:
            found.append(Check(name, False, error.message, error.hint or hint, essential))
        except OSError as error:
            found.append(Check(name, False, str(error), hint, essential))
    return found


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = (3, 11) <= sys.version_info[:2] <= (3, 14)
    return Check("python", ok, f"Python {version}", "Use Python 3.11 to 3.14.")


def _disk(home: Path) -> Check:
    place = next(folder for folder in (home.absolute(), *home.absolute().parents) if folder.exists())
    free = shutil.disk_usage(place).free
    ok = free >= _LITTLE_SPACE
    return Check(
        "disk space", ok, f"{free / 2**30:.1f} GiB free at {place}", "Free some space.", essential=False
    )


def _window() -> Check:
    """Start Qt in a process of its own: a missing system library ends that one, not this."""
    if getattr(sys, "frozen", False):
        return Check("window", True, "Qt is part of this package", essential=False)
    shown = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    )
    environment = dict(os.environ) if shown else {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _QT_PROBE],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("window", False, f"Qt does not start: {error}", _REINSTALL, essential=False)
    if probe.returncode:
        words = (probe.stderr.strip() or f"it ended with {probe.returncode}").splitlines()
        return Check("window", False, f"Qt does not start: {words[-1][:300]}", _REINSTALL, essential=False)
    if not shown:
        return Check(
            "window",
            False,
            "Qt starts, but there is no display to open a window on",
            "Start it on a desktop; the command line works without.",
            essential=False,
        )
    return Check("window", True, "Qt starts and has a display", essential=False)


def _settings(notices: Sequence[Notice]) -> Check:
    if notices:
        return Check(
            "settings", False, " ".join(n.message for n in notices), "See the message.", essential=False
        )
    return Check("settings", True, "readable", essential=False)


async def _database(library: Library) -> str:
    problems = await off_loop(library.verify)
    if problems:
        raise AppError(" ".join(problems[:5]), hint=f"Verified copies are in {library.backups_dir}.")
    papers = await off_loop(library.papers.count)
    passages = await off_loop(library.passages.count)
    return f"whole; {papers} papers, {passages} passages"


async def _words(library: Library) -> str:
    await off_loop(library.search.keyword, "light curve", papers=None, limit=1)
    return "SQLite FTS5 answers"


async def _vectors(library: Library) -> str:
    vector = bytes([1]) * LocalEmbedder.dim
    await off_loop(library.search.semantic, vector, model=LocalEmbedder.model_id, papers=None, limit=1)
    return "sqlite-vec answers"


async def _pdf(pdf: PdfClient) -> str:
    inspection = await pdf.inspect(welcome.paper())
    return f"reads the welcome paper ({inspection.page_count} pages)"


async def _embeddings(embedder: Embedder | None) -> str:
    if embedder is None:
        raise AppError("The embedding model is not installed; search finds words, not meanings.")
    vectors = await embedder.embed(["the period of a variable star"], query=True)
    return f"{embedder.model_id}, {len(vectors[0])} dimensions"


async def _chat(model: ChatModel | None) -> str:
    if model is None:
        raise AppError("There is no chat model; answers are quotes from the papers.")
    words = ""
    async with aclosing(model.stream([ChatMessage("user", "Say hello.")], max_tokens=4)) as stream:
        async for delta in stream:
            words += getattr(delta, "text", "")
    if not words.strip():
        raise AppError(f"{model.info.label} wrote nothing.")
    return f"{model.info.label} writes"


async def _keyring(secrets: Secrets) -> str:
    problem = await off_loop(secrets.available)
    if problem:
        raise AppError(problem[:1].upper() + problem[1:] + "; secrets are kept in memory only.")
    return "a system keyring is running"
