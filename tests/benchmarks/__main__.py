"""Run benchmarks and print one JSON document; progress goes to stderr.

Each `bench_*.py` beside this file has `BENCHES: dict[str, Callable[[], Result]]`. Names on the command line
choose: a bench ("start_up") or a module ("bench_window" or "window"); without names all are run. A bench that
cannot run here (say, without the shared corpus) raises `unittest.SkipTest`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
import unittest
from pathlib import Path

from tests.benchmarks.result import Bench

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run what is named; exit 1 when a bench failed, 2 when a name is unknown."""
    # What native code or a bench prints must not get into the document.
    document = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    modules = {path.stem: discover(path.stem) for path in sorted(HERE.glob("bench_*.py"))}
    chosen, unknown = choose(modules, names)
    if unknown:
        known = sorted(name for benches in modules.values() for name in benches)
        print(f"bench: no {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    results, failed = {}, False
    for name, bench in chosen.items():
        print(f"bench: {name} …", file=sys.stderr, flush=True)
        start = time.monotonic()
        try:
            result = bench()
        except unittest.SkipTest as reason:
            print(f"  skipped: {reason}", file=sys.stderr)
            continue
        except Exception:  # noqa: BLE001  (one broken bench must not hide the others)
            traceback.print_exc()
            failed = True
            continue
        results[name] = result.as_json()
        took = time.monotonic() - start
        print(
            f"  {result.value:.4g} {result.unit}, baseline {result.baseline:.4g} ({took:.0f} s)",
            file=sys.stderr,
        )
    with document:
        json.dump(results, document, indent=2)
        document.write("\n")
    return 1 if failed else 0


def discover(module: str) -> dict[str, Bench]:
    """Return the benches of one module."""
    benches: dict[str, Bench] = importlib.import_module(f"tests.benchmarks.{module}").BENCHES
    return benches


def choose(modules: dict[str, dict[str, Bench]], names: list[str]) -> tuple[dict[str, Bench], list[str]]:
    """Return the benches that the names mean, and the names that mean nothing. Pure."""
    every = {name: bench for benches in modules.values() for name, bench in benches.items()}
    if not names:
        return every, []
    chosen, unknown = {}, []
    for name in names:
        found = modules.get(name) or modules.get(f"bench_{name}") or {}
        if name in every:
            found = {name: every[name]}
        chosen.update(found)
        if not found:
            unknown.append(name)
    return chosen, unknown


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
