"""Installing into the environment, with uv or pip, exactly what a lock says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from provision import index, lockfile
from provision.progress import CommandFailedError, run_logged, say


class Installer:
    """Installs into one environment: with uv where it can be had (fast), else with pip."""

    def __init__(self, python: Path, build: Path, bootstrap: str) -> None:
        self.python = python
        self.build = build
        self.bootstrap = bootstrap
        self._environ: dict[str, str] = {}
        self._uv = self._get_uv()

    def pip(self, arguments: list[str | Path], what: str, *, env: dict[str, str] | None = None) -> None:
        """Run pip in the environment. Raises CommandFailedError."""
        command = [self.python, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
        run_logged(command, what, self.build / f"{what.replace(' ', '-')}.log", env=env)

    def install(self, arguments: list[str | Path], what: str, *, repair: bool = False) -> None:
        """Install with uv, and where that fails with pip, whose reach may be wider."""
        if self._uv:
            command: list[str | Path] = [self._uv, "pip", "install", "--python", self.python, *arguments]
            if repair:
                command.append("--reinstall")
            try:
                run_logged(command, what, self.build / f"{what.replace(' ', '-')}-uv.log", env=self._environ)
            except CommandFailedError as error:
                say(f"  uv could not do it, trying pip. uv said: {error.tail.strip()[-500:]}")
            else:
                return
        self.pip(["install", *(["--force-reinstall"] if repair else []), *arguments], what)

    def install_lock(self, lock: str, *, repair: bool = False) -> None:
        """Install exactly these packages, hashes checked, nothing resolved."""
        self.install(
            ["--no-deps", "--require-hashes", "-r", self.file("locked.txt", lock)],
            "locked packages",
            repair=repair,
        )

    def install_project(self, root: Path) -> None:
        """Put the project itself there, editable, so that `astroresearch` is a command."""
        self.install(["--no-deps", "--no-build-isolation", "-e", root], "the project itself")

    def file(self, name: str, text: str) -> Path:
        """Write a requirements file for one command."""
        self.build.mkdir(exist_ok=True)
        path = self.build / name
        path.write_text(text)
        return path

    def _get_uv(self) -> Path | None:
        listed = subprocess.run(
            [str(self.python), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
        )
        self._environ = index.uv_environment(index.settings_of_pip(listed.stdout), os.environ)
        wanted = self.file("uv.txt", lockfile.only(self.bootstrap, ["uv"]))
        try:
            self.pip(["install", "--no-deps", "--require-hashes", "-r", wanted], "the installer uv")
        except CommandFailedError as error:
            say(f"  uv is not to be had here; pip takes longer. It said:\n{error.tail[-500:]}")
            return None
        return self.python.with_name("uv.exe" if os.name == "nt" else "uv")
