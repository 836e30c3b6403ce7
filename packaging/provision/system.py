"""System libraries on Linux: what is missing, which Debian package has it, and how to install it."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from provision.progress import SetupError, say

# Found with ldd and a run in a minimal Debian 12 and 13; the first group is needed even without a display.
QT_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
DISPLAY_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
# llama.cpp uses OpenMP when built with a system compiler; with a cached wheel there may be no compiler.
OTHER_LIBRARIES = {"libgomp.so.1": "libgomp1"}
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# Debian 13 and Ubuntu 24.04 renamed the packages whose time type grew.
RENAMED = {"libglib2.0-0": "libglib2.0-0t64"}


@dataclass(frozen=True)
class Missing:
    """What this machine lacks. `needed` stops the set-up, `useful` has a way round."""

    needed: tuple[str, ...] = ()
    useful: tuple[str, ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        """All Debian packages to install."""
        return self.needed + self.useful


@dataclass(frozen=True)
class Facts:
    """What was found out about the machine; a plain value, so that the choice can be tested."""

    missing_libraries: frozenset[str]
    has_venv: bool
    has_compiler: bool
    has_certificates: bool
    python_is_debians: bool


def choose(facts: Facts, *, wants_compiler: bool, exists: Callable[[str], bool]) -> Missing:
    """Decide which Debian packages to install. `exists` says whether apt knows a package name."""
    needed, useful = [], []
    if not facts.has_venv and facts.python_is_debians:
        needed.append("python3-venv")
    needed += [p for lib, p in QT_LIBRARIES.items() if lib in facts.missing_libraries]
    libraries = {**DISPLAY_LIBRARIES, **OTHER_LIBRARIES}
    useful += [p for lib, p in libraries.items() if lib in facts.missing_libraries]
    if not facts.has_certificates:
        useful.append("ca-certificates")
    if wants_compiler and not facts.has_compiler:
        useful.append("g++")

    def names(packages: Iterable[str]) -> tuple[str, ...]:
        return tuple(RENAMED[p] if p in RENAMED and exists(RENAMED[p]) else p for p in packages)

    return Missing(names(needed), names(useful))


def look() -> Facts:
    """Look at this machine."""
    libraries = {**QT_LIBRARIES, **DISPLAY_LIBRARIES, **OTHER_LIBRARIES}
    return Facts(
        missing_libraries=frozenset(name for name in libraries if not _loads(name)),
        has_venv=has_venv(),
        has_compiler=has_compiler(),
        has_certificates=CERTIFICATES.exists(),
        python_is_debians=Path(sys.base_prefix) == Path("/usr"),
    )


def has_venv() -> bool:
    """Whether this Python can make a virtual environment with pip (Debian parts `ensurepip` from it)."""
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def has_compiler() -> bool:
    """Whether a C++ compiler is there that CMake will find by itself."""
    if sys.platform == "win32":
        return _has_visual_studio()
    if sys.platform == "darwin":
        # /usr/bin/c++ is always there, but without the tools it only opens an installer
        return (
            subprocess.run(["/usr/bin/xcode-select", "-p"], capture_output=True, check=False).returncode == 0
        )
    return any(
        shutil.which(name) for name in (os.environ.get("CXX", "").split() or ["c++", "g++", "clang++"])[:3]
    )


def install(*, wants_compiler: bool) -> None:
    """Install what is missing, as root or through sudo; explain it where that cannot be done.

    Raises SetupError when something is missing that has no way round.
    """
    facts = look()
    apt = shutil.which("apt-get")
    missing = choose(facts, wants_compiler=wants_compiler and apt is not None, exists=lambda _name: False)
    if not missing.packages:
        return
    if apt is None:
        _explain_without_apt(facts)
        return
    prefix = _become_root()
    if prefix is None:
        command = f"apt-get update && apt-get install -y --no-install-recommends {' '.join(missing.packages)}"
        if missing.needed:
            raise SetupError(
                f"this machine lacks {', '.join(missing.needed)}, and I am neither root nor may I use sudo.\n"
                f"Ask an administrator to run, as root:\n\n    {command}\n\nand start this command again."
            )
        say(f"Not installed, because I am neither root nor may I use sudo: {', '.join(missing.useful)}")
        say(f"  Going on without. To have them, run as root: {command}")
        return
    _install_with_apt(prefix, facts, missing, wants_compiler=wants_compiler)


def _install_with_apt(prefix: list[str], facts: Facts, missing: Missing, *, wants_compiler: bool) -> None:
    reasons = {
        "python3-venv": "to make .venv",
        "g++": "to compile llama.cpp, the local chat model",
        "ca-certificates": "for safe connections",
    }
    say("Installing system packages with apt" + (" (through sudo)" if prefix else "") + ":")
    for package in missing.packages:
        say(f"  {package}  {reasons.get(package, 'a library that the window or a model needs')}")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
    apt += ["-o", "DPkg::Lock::Timeout=600", "-o", "Dpkg::Use-Pty=0"]
    if subprocess.run([*apt, "update"], stdout=sys.stderr, check=False).returncode != 0:
        say("  apt-get update failed; trying with the package lists that are here")
    missing = choose(facts, wants_compiler=wants_compiler, exists=_apt_knows)
    command = [*apt, "install", "-y", "--no-install-recommends"]
    if subprocess.run([*command, *missing.packages], stdout=sys.stderr, check=False).returncode == 0:
        return
    if (
        missing.needed
        and subprocess.run([*command, *missing.needed], stdout=sys.stderr, check=False).returncode != 0
    ):
        raise SetupError(
            "apt could not install what is needed (its message is above). Mend that, or install by hand:\n\n"
            f"    apt-get install {' '.join(missing.needed)}\n\nand start this command again."
        )
    say(f"  apt could not install {', '.join(missing.useful)}; going on without")


def _explain_without_apt(facts: Facts) -> None:
    needed = sorted(facts.missing_libraries & QT_LIBRARIES.keys())
    if needed:
        raise SetupError(
            f"the window needs these libraries, which are not here: {', '.join(needed)}.\n"
            "Install them with your package manager (Fedora: mesa-libGL mesa-libEGL libxkbcommon "
            "dbus-libs fontconfig glib2; Arch: libglvnd libxkbcommon dbus fontconfig glib2) and start again."
        )
    display = sorted(facts.missing_libraries & DISPLAY_LIBRARIES.keys())
    if display:
        say(f"Not found, the window may need them on X11 or Wayland: {', '.join(display)}")


def _become_root() -> list[str] | None:
    """Return what to put before a command to run it as root, or None."""
    if os.geteuid() == 0:  # type: ignore[attr-defined,unused-ignore]
        return []
    if not shutil.which("sudo"):
        return None
    if subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0:
        return ["sudo"]
    if sys.stdin is not None and sys.stdin.isatty():
        say("System libraries are missing; sudo asks for your password to install them with apt.")
        if subprocess.run(["sudo", "true"], check=False).returncode == 0:
            return ["sudo"]
    return None


def _apt_knows(package: str) -> bool:
    found = subprocess.run(["apt-cache", "show", package], capture_output=True, check=False)
    return found.returncode == 0 and bool(found.stdout)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_visual_studio() -> bool:
    where = Path(
        os.environ.get("PROGRAMFILES(X86)", ""), "Microsoft Visual Studio", "Installer", "vswhere.exe"
    )
    if not where.exists():
        return False
    tools = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    command = [where, "-products", "*", "-latest", "-requires", tools, "-property", "installationPath"]
    found = subprocess.run([str(part) for part in command], capture_output=True, check=False)
    return bool(found.stdout.strip())
