"""A C++ compiler for machines that have none: zig, from the package index."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from provision import lockfile

if TYPE_CHECKING:
    from provision.installer import Installer


def zig(installer: Installer) -> dict[str, str]:
    """Put zig below `build/` and return the environment in which CMake compiles with it.

    Raises CommandFailedError when it cannot be had.
    """
    tools = installer.build / "zig"
    binary = tools / "ziglang" / ("zig.exe" if sys.platform == "win32" else "zig")
    if not binary.exists():
        requirement = installer.file("zig.txt", lockfile.only(installer.bootstrap, ["ziglang"]))
        installer.pip(
            ["install", "--no-deps", "--require-hashes", "-r", requirement, "--target", tools],
            "the compiler zig",
        )
    # Without a target zig compiles for this very processor, which is what crashes on virtual machines.
    # It takes undefined behaviour for an error unless told otherwise; llama.cpp has some.
    options = f"-target {target(sys.platform, platform.machine())} -fno-sanitize=undefined"
    wrappers = {
        name: _wrapper(tools, f"zig-{name}", binary, command)
        for name, command in {
            "cc": f"cc {options}",
            "cxx": f"c++ {options}",
            "ar": "ar",
            "ranlib": "ranlib",
        }.items()
    }
    flags = [
        f'"-DCMAKE_{variable}={wrappers[name].as_posix()}"'
        for variable, name in {
            "AR": "ar",
            "RANLIB": "ranlib",
            "C_COMPILER_AR": "ar",
            "CXX_COMPILER_AR": "ar",
            "C_COMPILER_RANLIB": "ranlib",
            "CXX_COMPILER_RANLIB": "ranlib",
        }.items()
    ]
    return {
        "CC": str(wrappers["cc"]),
        "CXX": str(wrappers["cxx"]),
        "CMAKE_GENERATOR": "Ninja",
        "ZIG_GLOBAL_CACHE_DIR": str(tools / "cache"),
        "CMAKE_ARGS": " ".join(["-DGGML_OPENMP=OFF", "-DASTRORESEARCH_WITHOUT_SDK=ON", *flags]),
    }


def target(system: str, machine: str) -> str:
    """Name what zig compiles for: this system, but any processor of its family. Pure."""
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine.lower())
    if system == "win32":
        return f"{processor}-windows-gnu"
    if system == "darwin":
        return f"{processor}-macos"
    return f"{processor}-linux-gnu.2.31"


def _wrapper(folder: Path, name: str, binary: Path, command: str) -> Path:
    """CMake wants one file a tool, without arguments."""
    if os.name == "nt":
        path = folder / f"{name}.cmd"
        path.write_text(f'@"{binary}" {command} %*\n')
    else:
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{binary}" {command} "$@"\n')
        path.chmod(0o755)
    return path
