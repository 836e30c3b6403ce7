from __future__ import annotations

from tests.benchmarks.__main__ import choose
from tests.benchmarks.result import Result


def bench() -> Result:
    return Result(value=3.0, unit="s", baseline=2.0, n=5)


MODULES = {"bench_window": {"start_up": bench}, "bench_search": {"keyword": bench, "hybrid": bench}}


def test_that_benches_are_chosen_by_name_or_module() -> None:
    assert choose(MODULES, []) == ({"start_up": bench, "keyword": bench, "hybrid": bench}, [])
    assert choose(MODULES, ["hybrid"]) == ({"hybrid": bench}, [])
    assert list(choose(MODULES, ["search", "bench_window"])[0]) == ["keyword", "hybrid", "start_up"]
    assert choose(MODULES, ["nothing"]) == ({}, ["nothing"])


def test_that_a_result_carries_its_ratio() -> None:
    assert bench().as_json() == {"value": 3.0, "unit": "s", "baseline": 2.0, "n": 5, "ratio": 1.5}
    assert Result(1.0, "s", 0.0, 1).ratio is None
