"""llama.cpp, the local chat model: compiled here once, kept in a cache, proved by one decoded token.

The index has no ready-made files of `llama-cpp-python`. Its default, a build for this very processor, dies of
an illegal instruction on virtual machines that advertise more than they can; ours is portable. When nothing
helps, set-up goes on without a chat model: the program then answers with passages, word for word.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from provision import compiler, lockfile, system
from provision.locking import exclusive
from provision.progress import CommandFailedError, say

if TYPE_CHECKING:
    from provision.installer import Installer

PACKAGE = "llama-cpp-python"
# Vision is not used; leaving it and the shared tools out halves the compilation.
FLAGS = ("-DGGML_NATIVE=OFF", "-DLLAVA_BUILD=OFF")
# For processors before 2013, and virtual ones that hide what they have.
PLAIN_PROCESSOR = (
    "-DGGML_AVX=OFF",
    "-DGGML_AVX2=OFF",
    "-DGGML_FMA=OFF",
    "-DGGML_F16C=OFF",
    "-DGGML_BMI2=OFF",
)
LEFT_OUT = Path(__file__).with_name("left_out.cmake")
PROOF = Path(__file__).with_name("prove_chat_model.py")
PROOF_TIMEOUT_S = 300
WITHOUT = (
    "Note: the local chat model is not built. Questions are answered with the best passages as quotes;\n"
    "  everything else works. To try again: python3 packaging/dev.py setup"
)


@dataclass(frozen=True)
class Build:
    """One way to compile: the CMake flags and the compiler."""

    flags: tuple[str, ...]
    with_zig: bool = False


class Outcome(Enum):
    """How an attempt ended."""

    WORKS = auto()
    NOT_COMPILED = auto()
    CRASHES = auto()


def provide(installer: Installer, lock: str) -> bool:
    """Make the chat model work in the environment; return False, and say so, when it cannot be."""
    version = lockfile.version(lock, PACKAGE)
    if _installed(installer.python, version) and _proved(installer.python):
        return True
    builds = _builds()
    cache_root().mkdir(parents=True, exist_ok=True)
    with exclusive(
        cache_root() / "lock", lambda: say("Another checkout compiles llama.cpp; waiting for it …")
    ):
        works = any(_from_cache(installer, version, build) for build in builds.values()) or _compile_one(
            installer, lock, version, builds
        )
    if not works:
        say(f"\n{WITHOUT}\n")
    return works


def is_at_hand(version: str, environment: Path) -> bool:
    """Whether no compiler will be needed: installed already, or a wheel in the cache."""
    site = environment.glob(f"**/site-packages/llama_cpp_python-{version}.dist-info")
    return any(site) or any(_wheel_in(_folder(version, build)) for build in _builds().values())


def cache_root() -> Path:
    """Return where compiled wheels are kept for all checkouts; ASTRORESEARCH_BUILD_CACHE moves it."""
    if moved := os.environ.get("ASTRORESEARCH_BUILD_CACHE"):
        return Path(moved).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "astroresearch" / "wheels"


def cache_key(version: str, build: Build) -> str:
    """Name the folder of a wheel: all that makes one machine's build unfit for another."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    system_name = f"{sys.platform}-{platform.machine().lower()}-{''.join(platform.libc_ver())}".rstrip("-")
    flags = "_".join(flag.removeprefix("-D").replace("=", "-") for flag in build.flags)
    return f"{PACKAGE}-{version}-{python}-{system_name}-{'zig-' if build.with_zig else ''}{flags}"


def _builds() -> dict[str, Build]:
    flags = tuple(dict.fromkeys((*FLAGS, *shlex.split(os.environ.get("CMAKE_ARGS", "")))))
    builds = {"normal": Build(flags)}
    if platform.machine().lower() in ("x86_64", "amd64"):
        builds["plain"] = Build(flags + PLAIN_PROCESSOR)
    builds["zig"] = Build(flags, with_zig=True)
    return builds


def _compile_one(installer: Installer, lock: str, version: str, builds: dict[str, Build]) -> bool:
    """Compile with the system's compiler, for a plainer processor if that crashes, else with zig."""
    if system.has_compiler():
        for name in ("normal", "plain"):
            if name not in builds:
                break
            outcome = _compiled(installer, lock, version, builds[name])
            if outcome is Outcome.WORKS:
                return True
            if outcome is Outcome.NOT_COMPILED:
                break
    else:
        say("There is no C++ compiler here: getting one (zig) from the package index.")
    return _compiled(installer, lock, version, builds["zig"]) is Outcome.WORKS


def _from_cache(installer: Installer, version: str, build: Build) -> bool:
    """Install a wheel that was compiled before; throw it away when it does not work any more."""
    folder = _folder(version, build)
    wheel = _wheel_in(folder)
    if wheel is None:
        return False
    say("Installing llama.cpp as it was compiled here before …")
    if _installs(installer, wheel) and _proved(installer.python):
        return True
    say("  it does not work (any more); compiling it anew")
    shutil.rmtree(folder, ignore_errors=True)
    return False


def _compiled(installer: Installer, lock: str, version: str, build: Build) -> Outcome:
    try:
        wheel = _compile(installer, lock, version, build)
    except CommandFailedError as error:
        say(f"llama.cpp could not be compiled{' with zig' if build.with_zig else ''}. {error}")
        return Outcome.NOT_COMPILED
    if _installs(installer, wheel) and _proved(installer.python):
        return Outcome.WORKS
    shutil.rmtree(wheel.parent, ignore_errors=True)
    return Outcome.CRASHES


def _compile(installer: Installer, lock: str, version: str, build: Build) -> Path:
    """Compile into the cache and return the wheel; pip's own cache, which ignores flags, is passed by."""
    folder = _folder(version, build)
    env = compiler.zig(installer) if build.with_zig else {}
    include = shlex.quote(f"-DCMAKE_PROJECT_llama.cpp_INCLUDE={LEFT_OUT.as_posix()}")
    flags = " ".join([*map(shlex.quote, build.flags), include, env.pop("CMAKE_ARGS", "")])
    env |= {"CMAKE_ARGS": flags, "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)}
    say(f"Compiling llama.cpp, the local chat model: about {_minutes()} minutes on this machine, once.")
    requirement = installer.file("llama.txt", lockfile.only(lock, [PACKAGE]))
    with tempfile.TemporaryDirectory(dir=cache_root(), prefix="new-") as new:
        how = ["--no-deps", "--no-cache-dir", "--no-binary", PACKAGE, "--require-hashes", "-v"]
        installer.pip(["wheel", *how, "-r", requirement, "-w", new], "compiling llama.cpp", env=env)
        built = next(Path(new).glob("*.whl"))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return built.replace(folder / built.name)


def _minutes() -> str:
    cores = os.cpu_count() or 1
    return {1: "8", 2: "4", 3: "3"}.get(cores, "1 to 2")


def _installs(installer: Installer, wheel: Path) -> bool:
    try:
        installer.install(["--no-deps", wheel], "llama.cpp", repair=True)
    except CommandFailedError as error:
        say(f"  {error}")
        return False
    return True


def _proved(python: Path) -> bool:
    """Decode one token in a child process, which may die of an illegal instruction."""
    try:
        ran = subprocess.run(
            [str(python), str(PROOF)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROOF_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        say(f"  the chat model gave no token within {PROOF_TIMEOUT_S} s")
        return False
    if ran.returncode == 0:
        say("  the chat model works: it decoded a token")
        return True
    reason = ran.stderr.strip()[-600:]
    if ran.returncode < 0:
        reason = f"its process died of {signal.Signals(-ran.returncode).name}"
    say(f"  the chat model failed its proof: {reason}")
    return False


def _installed(python: Path, version: str) -> bool:
    code = f"import importlib.metadata as m, sys; sys.exit(m.version({PACKAGE!r}) != {version!r})"
    return subprocess.run([str(python), "-c", code], capture_output=True, check=False).returncode == 0


def _folder(version: str, build: Build) -> Path:
    return cache_root() / cache_key(version, build)


def _wheel_in(folder: Path) -> Path | None:
    return next(iter(folder.glob("*.whl")), None)
