#!/usr/bin/env python3
"""Set up, run, test and check AstroResearch from a bare Python.

    python3 packaging/dev.py run [ARGS…]     set up, then open the window (no display: the demo)
    python3 packaging/dev.py test [ARGS…]    set up, then the test suite; --fast leaves out slow tests,
                                             --long adds those that take minutes
    python3 packaging/dev.py check           lint, format check, types, import contracts
    python3 packaging/dev.py bench [NAME…]   benchmarks; one JSON document on stdout
    python3 packaging/dev.py package         the installer of this platform, into dist/
    python3 packaging/dev.py setup           set up only; tries again what could not be built before

Everything is installed into `.venv` beside this checkout. Nothing but a Python 3.11 to 3.14 is needed; on
Debian and Ubuntu missing system libraries are installed with apt when you are root or have sudo.
"""

# This file stays readable for older Pythons, so that they can say what is wrong.
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = (3, 11), (3, 14)


def main(argv: list[str]) -> int:
    """Run one command and return its exit code."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return _with_another_python(argv)
    commands = {"run": run, "test": test, "bench": bench, "check": check, "package": package, "setup": setup}
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0 if argv else 2
    if argv[0] not in commands:
        print(f"dev.py: no command {argv[0]!r}; there are: {', '.join(commands)}", file=sys.stderr)
        return 2
    from provision.progress import SetupError

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends what was started, as Ctrl-C does
    try:
        return commands[argv[0]](argv[1:])
    except SetupError as error:
        print(f"\ndev.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ndev.py: stopped; the next start goes on from here.", file=sys.stderr)
        return 130


def setup(args: list[str]) -> int:
    """Bring `.venv` up to date; try again to build what is missing."""
    if args:
        print("dev.py setup takes no arguments", file=sys.stderr)
        return 2
    _python(retry=True)
    print("Ready. Start with: python3 packaging/dev.py run")
    return 0


def run(args: list[str]) -> int:
    """Open the window, or without a display show what the program can do in the terminal."""
    python = _python()
    if not args and not _has_display():
        print(
            "No display here (neither DISPLAY nor WAYLAND_DISPLAY is set): running the demo instead.",
            flush=True,
        )
        args = ["demo"]
    return _call([python, "-m", "app", *args])


_CHOICES = {
    "--fast": ["-m", "not slow and not long"],
    "--long": [],
    "": ["-m", "not long"],
}
"""Which tests run: those that take seconds, all of them, or what a change must pass."""


def test(args: list[str]) -> int:
    """Run the test suite offscreen, files shared among the cores; what follows goes to pytest."""
    python = _python()
    chosen = next((option for option in _CHOICES if option in args), "")
    args = [*_CHOICES[chosen], *(a for a in args if a not in _CHOICES)]
    if not any(a.startswith(("-n", "--pdb", "--trace", "tests")) for a in args):
        args = ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadfile", *args]
    return _call([python, "-m", "pytest", *args], QT_QPA_PLATFORM="offscreen")


def bench(args: list[str]) -> int:
    """Run the benchmarks named, or all of them."""
    return _call([_python(quiet=True), "-m", "tests.benchmarks", *args], QT_QPA_PLATFORM="offscreen")


def check(args: list[str]) -> int:
    """Run every quality gate, also after one has failed, and say which failed."""
    if args:
        print("dev.py check takes no arguments", file=sys.stderr)
        return 2
    tools = _python().parent
    gates: dict[str, list[str | Path]] = {
        "lint": [tools / "ruff", "check", "."],
        "format": [tools / "ruff", "format", "--check", "."],
        "types": [tools / "mypy"],
        "import contracts": [tools / "lint-imports", "--no-cache"],
    }
    failed = []
    for name, command in gates.items():
        print(f"== {name}", flush=True)
        if _call(command) != 0:
            failed.append(name)
    print(f"check: {'failed: ' + ', '.join(failed) if failed else 'all passed'}", flush=True)
    return 1 if failed else 0


def package(args: list[str]) -> int:
    """Build the installer of this platform; until that exists, `--wheel` builds wheel and sdist."""
    if args == ["--wheel"]:
        return _call([_python(), "-m", "hatchling", "build", "-d", ROOT / "dist"])
    print(
        "dev.py: there is no installer for this platform yet. `package --wheel` builds a wheel and a source\n"
        "archive into dist/; to use the program from this checkout: python3 packaging/dev.py run",
        file=sys.stderr,
    )
    return 2


def _python(*, retry: bool = False, quiet: bool = False) -> Path:
    """Return the Python of a finished `.venv`."""
    from provision.setup import ensure

    return ensure(ROOT, retry=retry, quiet=quiet)


def _call(command: list[str | Path], **env: str) -> int:
    sys.stdout.flush()
    try:
        return subprocess.run(
            [str(part) for part in command], cwd=ROOT, env={**os.environ, **env}, check=False
        ).returncode
    except KeyboardInterrupt:
        return 130  # the child got it too and has said so


def _has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _with_another_python(argv: list[str]) -> int:
    here = "{}.{}".format(*sys.version_info[:2])
    if os.environ.get("ASTRORESEARCH_DEV_PYTHON") != "searched":
        for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
            other = shutil.which(f"python3.{minor}")
            if other:
                print(f"dev.py: this Python is {here}; going on with {other}", flush=True)
                env = {**os.environ, "ASTRORESEARCH_DEV_PYTHON": "searched"}
                return subprocess.run([other, __file__, *argv], env=env, check=False).returncode
    print(
        f"dev.py: AstroResearch needs Python 3.11 to 3.14; this one is {here} ({sys.executable}).\n"
        "Install one of them (python.org, your package manager, pyenv, uv) and start dev.py with it.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
