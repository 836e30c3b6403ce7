"""How many threads are fastest for a model on this machine, by a short measurement."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from app.llm.cores import physical_cores

# One thread a core, unless something else is faster by more than what a busy machine varies.
_CLEARLY_FASTER = 0.92
_BUDGET_S = 3.0
_ROUNDS = 2


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
    if len(numbers) == 1:
        return numbers[0], numbers[0]
    run(numbers[0], 8)  # the first decode brings the weights into memory
    start = clock()
    best: dict[tuple[int, int], float] = {}
    for _ in range(_ROUNDS):
        for threads in numbers:
            for tokens in (1, 32):
                before = clock()
                run(threads, tokens)
                took = clock() - before
                best[threads, tokens] = min(took, best.get((threads, tokens), took))
            if clock() - start > _BUDGET_S and len(best) < 2 * len(numbers):
                return numbers[0], numbers[0]

    def fastest(tokens: int) -> int:
        return chosen([(threads, best[threads, tokens]) for threads in numbers])

    return fastest(1), fastest(32)
