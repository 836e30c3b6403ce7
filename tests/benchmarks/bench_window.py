"""Start-up of the window with 10,000 papers against an empty window of Qt, from process to first paint."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks import synthetic
from tests.benchmarks.result import Bench, Result

ROOT = Path(__file__).resolve().parents[2]
PAPERS, PASSAGES_EACH = 10_000, 60
ROUNDS = 5


def start_up() -> Result:
    """Time both in turn, so that they meet the same load; the first round only warms the caches."""
    home = synthetic.library(PAPERS, PASSAGES_EACH)
    ours, bare = [], []
    for _ in range(ROUNDS + 1):
        bare.append(_seconds_to_ready("bare"))
        ours.append(_seconds_to_ready(str(home)))
    return Result(statistics.median(ours[1:]), "s", statistics.median(bare[1:]), n=ROUNDS)


def _seconds_to_ready(what: str) -> float:
    command = [sys.executable, "-m", "tests.benchmarks.first_paint", what]
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        took = time.perf_counter() - start
        if first != b"ready\n":
            raise RuntimeError(
                f"{what} never painted: {process.stderr.read().decode(errors='replace')[-2000:]}"
            )
    return took


BENCHES: dict[str, Bench] = {"start_up": start_up}
