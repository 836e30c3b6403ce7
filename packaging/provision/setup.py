"""The set-up as a whole: what is done in which order, and when nothing need be done."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

from provision import chat_model, lockfile, supported, system
from provision.installer import Installer
from provision.locking import exclusive
from provision.progress import SetupError, elapsed, say

FORMAT = 1
"""Raised when a finished set-up of an older dev.py must be done again."""

ROOM_MB = 2500


def ensure(root: Path, *, retry: bool = False, quiet: bool = False) -> Path:
    """Return the Python of a `.venv` that has everything in the lock; set it up where it is not.

    A finished set-up is known by its stamp and costs milliseconds. With `retry`, what could not be built
    before is tried again. Set-ups in one checkout wait for each other.
    """
    environment = root / ".venv"
    stamp = environment / "set-up.json"
    wanted = fingerprint(root)

    def finished() -> bool:
        done = _read(stamp)
        if done.get("fingerprint") != wanted or not _works(environment):
            return False
        if done.get("chat_model"):
            return True
        if not quiet and not retry:
            say(chat_model.WITHOUT)
        return not retry

    if finished():
        return python_of(environment)
    with exclusive(
        root / "build" / "set-up.lock", lambda: say("Another set-up runs in this checkout; waiting for it …")
    ):
        if finished():
            return python_of(environment)
        start = time.monotonic()
        say(f"Setting up AstroResearch in {environment} (this happens once).")
        done = _set_up(root, environment)
        _write(stamp, {"fingerprint": wanted, "chat_model": done})
        say(f"Set-up finished in {elapsed(time.monotonic() - start)}.")
    return python_of(environment)


def fingerprint(root: Path) -> str:
    """Return what a set-up depends on, as one hash: the lock, the project's metadata, this Python."""
    digest = hashlib.sha256(f"{FORMAT} {sys.version} {Path(sys.base_prefix).resolve()}".encode())
    for name in ("requirements.lock", "pyproject.toml", "packaging/bootstrap.lock"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def python_of(environment: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _set_up(root: Path, environment: Path) -> bool:
    if problem := supported.problem(supported.this_machine()):
        raise SetupError(problem)
    _check_room(root)
    lock = (root / "requirements.lock").read_text()
    build = root / "build"
    wants_compiler = not chat_model.is_at_hand(lockfile.version(lock, "llama-cpp-python"), environment)
    if sys.platform.startswith("linux"):
        system.install(wants_compiler=wants_compiler)
    _make_environment(environment)
    installer = Installer(python_of(environment), build, (root / "packaging" / "bootstrap.lock").read_text())
    unfinished = environment / "unfinished"
    broken = unfinished.exists()
    unfinished.touch()
    say("Installing the locked packages (about 1 GB; a minute or two, seconds when they are cached) …")
    installer.install_lock(lockfile.without(lock, ["llama-cpp-python"]), repair=broken)
    installer.install_project(root)
    _check_imports(python_of(environment))
    done = chat_model.provide(installer, lock)
    unfinished.unlink()
    return done


def _check_room(root: Path) -> None:
    free = shutil.disk_usage(root).free // 2**20
    if free < ROOM_MB and not (root / ".venv").exists():
        raise SetupError(
            f"set-up needs about {ROOM_MB} MB on this disk, {free} MB are free. Make room and start again."
        )


def _make_environment(environment: Path) -> None:
    if _works(environment):
        if not _runs([python_of(environment), "-m", "pip", "--version"]):
            _ensure_pip(environment)
        return
    if not system.has_venv():
        raise SetupError(
            f"this Python ({sys.executable}) has no venv module with pip. Install it (Debian: python3-venv) "
            "or use a Python that has it, and start this command again."
        )
    say("Making .venv …")
    if environment.exists():
        shutil.rmtree(environment)
    base = getattr(sys, "_base_executable", sys.executable)
    if base != sys.executable:  # started from inside another environment
        subprocess.run([base, "-m", "venv", str(environment)], check=True)
    else:
        venv.create(environment, with_pip=True, symlinks=os.name != "nt")


def _ensure_pip(environment: Path) -> None:
    if not _runs([python_of(environment), "-m", "ensurepip", "--default-pip"]):
        raise SetupError(
            f"{environment} has no pip and none can be put there; delete the folder and start again."
        )


def _works(environment: Path) -> bool:
    """Whether the environment's Python starts and is of the version of this one."""
    code = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    return python_of(environment).exists() and _runs([python_of(environment), "-c", code])


def _runs(command: list[str | Path]) -> bool:
    try:
        return subprocess.run([str(c) for c in command], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _check_imports(python: Path) -> None:
    code = "import PySide6.QtWidgets, qasync, apsw, sqlite_vec, peewee, pydantic, typer"
    ran = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SetupError(f"the installed packages do not load:\n{ran.stderr.strip()[-2000:]}")


def _read(stamp: Path) -> dict[str, object]:
    try:
        value = json.loads(stamp.read_text())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(stamp: Path, value: dict[str, object]) -> None:
    new = stamp.with_suffix(".new")
    new.write_text(json.dumps(value))
    new.replace(stamp)
