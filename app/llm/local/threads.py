"""How many threads are fastest for a model on this machine, by a short measurement."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from itertools import product

from app.llm.cores import physical_cores

# One thread a core, unless something else is faster by more than what a busy machine varies.
_CLEARLY_FASTER = 0.92
_BUDGET_S = 1.5
_ROUNDS = 2
# Tokens at once: one is writing, several are reading.
_SIZES = (1, 16)


def candidates() -> list[int]:
    """Return the numbers of threads worth a try, the one that is usually best first."""
    cores = physical_cores()
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    others = {cores - 1, cores // 2, allowed} - {cores}
    return [cores, *sorted(number for number in others if 1 <= number <= allowed)]


def chosen(times: Sequence[tuple[int, float]]) -> int:
    """Return the number of threads from pairs of (threads, seconds), the usual one first. Pure."""
    usual, usual_time = times[0]
    fastest, fastest_time = min(times, key=lambda pair: pair[1])
    return fastest if fastest_time < usual_time * _CLEARLY_FASTER else usual


def measured(
    numbers: Sequence[int],
    run: Callable[[int, int], None],
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[int, int]:
    """Return the best numbers of threads for writing and for reading.

    `run(threads, tokens)` decodes that many tokens at once. Stops early when it takes too long: on a slow
    machine the usual number is as good as any.
    """
    usual = numbers[0]
    run(usual, 4)  # the first decode brings the weights into memory
    start = clock()
    best: dict[tuple[int, int], float] = {}
    for threads, tokens in (pair for _ in range(_ROUNDS) for pair in product(numbers, _SIZES)):
        before = clock()
        if before - start > _BUDGET_S:
            break
        run(threads, tokens)
        took = clock() - before
        best[threads, tokens] = min(took, best.get((threads, tokens), took))

    def fastest(tokens: int) -> int:
        times = [(threads, best[threads, tokens]) for threads in numbers if (threads, tokens) in best]
        return chosen(times) if times and times[0][0] == usual else usual

    return fastest(_SIZES[0]), fastest(_SIZES[1])
