"""Which machines the locked packages have files for. Pure."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """What decides it. `libc` is ("glibc", "2.36") on Linux, `macos` such as "14.5" on a Mac."""

    system: str
    processor: str
    python: tuple[int, int]
    libc: tuple[str, str] = ("", "")
    macos: str = ""


def this_machine() -> Machine:
    """Look at the machine this runs on."""
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    version = (sys.version_info[0], sys.version_info[1])
    return Machine(sys.platform, processor, version, platform.libc_ver(), platform.mac_ver()[0])


def problem(machine: Machine) -> str:
    """Say in one or two sentences why set-up cannot work here and what would; empty when it can."""
    if machine.system == "linux":
        return _problem_on_linux(machine)
    if machine.system == "darwin":
        oldest = 13 if machine.processor == "x86_64" else 14
        if _numbers(machine.macos) < (oldest,):
            return f"macOS {machine.macos} is too old: the packages need macOS {oldest} or newer."
        if machine.processor == "x86_64" and machine.python >= (3, 14):
            return (
                "on Intel Macs ONNX Runtime ends at Python 3.13: start dev.py with Python 3.11, 3.12 or 3.13."
            )
    if machine.system == "win32" and machine.processor == "aarch64":
        return (
            "PyMuPDF has no files for Windows on ARM: install the 64-bit Intel build of Python, which "
            "runs here too, and start dev.py with it."
        )
    return ""


def _problem_on_linux(machine: Machine) -> str:
    # What the wheels of PySide6 are built for.
    oldest = {"x86_64": "2.34", "aarch64": "2.39"}.get(machine.processor)
    if oldest is None:
        return f"the packages have files for x86_64 and aarch64 alone; this is {machine.processor}."
    kind, version = machine.libc
    if kind == "glibc" and _numbers(version) < _numbers(oldest):
        known = "Debian 12, Ubuntu 22.04" if machine.processor == "x86_64" else "Debian 13, Ubuntu 24.04"
        return (
            f"Qt needs glibc {oldest} or newer on {machine.processor}, this system has {version}: use "
            f"{known} or newer."
        )
    if kind != "glibc":
        return "Qt needs a Linux with glibc; this one has another C library."
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
