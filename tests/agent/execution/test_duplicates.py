"""Seeing that the model goes round in circles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.execution import DuplicateDetector
from app.agent.execution.duplicates import canonical, digest_of
from app.agent.tools import ToolContext, ToolOutput
from app.events import ContextAdded, Outcome
from tests.fakes.calls import Bench, TestTool


def play(detector: DuplicateDetector, *calls: str, result: str = "same") -> list[str]:
    """Call, one reply each, and say what came: "" run, "remind", "refuse"."""
    said = []
    for name in calls:
        detector.begin_round()
        watch = detector.enter(name, "{}")
        reminder = watch.ended(result)
        said.append("refuse" if watch.refusal else "remind" if reminder else "")
    return said


def test_that_the_answer_to_a_repeated_call_grows() -> None:
    detector = DuplicateDetector(3)
    assert play(detector, *"aaaa") == ["", "", "remind", "refuse"]
    assert not detector.looping
    assert play(detector, "a") == ["refuse"]
    assert detector.looping


def test_that_another_call_ends_the_suspicion() -> None:
    detector = DuplicateDetector(3)
    assert play(detector, *"aaaaba") == ["", "", "remind", "refuse", "", ""]
    assert not detector.looping


def test_that_the_threshold_is_a_setting() -> None:
    assert play(DuplicateDetector(1), *"aa") == ["remind", "refuse"]
    assert play(DuplicateDetector(5), *"aaaaaa") == ["", "", "", "", "remind", "refuse"]


@pytest.mark.parametrize("cycle", ["ab", "abc", "abcd", "aab"])
def test_that_cycles_of_up_to_four_calls_are_seen(cycle: str) -> None:
    """Bug 18: A-B-A-B is a loop too; three repeats are let pass."""
    detector = DuplicateDetector(3)
    said = play(detector, *(cycle * 3), cycle[0])
    assert said == [*[""] * (3 * len(cycle) - 1), "remind", "refuse"]


def test_that_a_cycle_is_let_pass_three_times_whatever_the_threshold() -> None:
    assert "refuse" not in play(DuplicateDetector(1), *"ababab")


def test_that_calls_with_changing_results_are_no_loop() -> None:
    """Trap 0.8: the arguments alone say nothing."""
    detector = DuplicateDetector(3)
    for number in range(20):
        assert play(detector, "search", result=str(number)) == [""]


def test_that_spelling_the_arguments_otherwise_is_no_way_out() -> None:
    assert canonical('{"b": 1, "a": [1,2]}') == canonical('{ "a":[1, 2],"b":1 }')
    assert canonical("{broken ") == "{broken"
    assert canonical('{"a": 1}') != canonical('{"a": 2}')


def test_that_the_same_call_many_times_in_one_reply_is_refused_once_for_the_reply() -> None:
    detector = DuplicateDetector(3)
    detector.begin_round()
    watches = [detector.enter("a", "{}") for _ in range(6)]
    assert [watch.refusal is not None for watch in watches] == [False] * 3 + [True] * 3
    assert not detector.looping, "the model has not seen a refusal yet"


def test_that_three_replies_of_bad_calls_end_the_turn() -> None:
    """Bug 11: a model that cannot write the arguments is stopped."""
    detector = DuplicateDetector(3)
    for number in range(3):
        assert not detector.looping
        detector.begin_round()
        detector.enter("write", f'{{"a": {number}').ended("not JSON", bad=True)
    assert detector.looping
    detector.begin_round()
    detector.enter("write", "{}").ended("done")
    assert not detector.looping


def test_that_polling_is_slowed_down_but_never_refused() -> None:
    """Bug 17: asking again is the purpose of some tools."""
    detector = DuplicateDetector(3)
    pauses, reminders = [], []
    for _ in range(8):
        detector.begin_round()
        watch = detector.enter("check", "{}", polls=True)
        assert watch.refusal is None
        pauses.append(watch.pause_s)
        reminders.append(bool(watch.ended("running")))
    assert pauses == [0, 0, 0.5, 1, 2, 4, 8, 15]
    assert reminders == [False] * 3 + [True] * 5
    assert not detector.looping


def test_that_polling_something_that_changes_is_not_slowed_down() -> None:
    """Bug 17: with changing results nothing happens at all."""
    detector = DuplicateDetector(3)
    for number in range(8):
        watch = detector.enter("check", "{}", polls=True)
        assert watch.pause_s == 0
        assert not watch.ended(f"{number} %")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=60))
def test_that_only_a_cycle_with_equal_results_is_refused(calls: list[tuple[str, str]]) -> None:
    detector = DuplicateDetector(3)
    past: list[tuple[str, str]] = []
    for name, result in calls:
        detector.begin_round()
        watch = detector.enter(name, "{}")
        if watch.refusal:
            assert any(
                past[-period:] * 3 == past[-3 * period :] and past[-period][0] == name
                for period in range(1, 5)
                if len(past) >= 3 * period
            )
            past.append((name, next(r for n, r in reversed(past) if n == name)))
        else:
            past.append((name, result))
        watch.ended(result)
        detector_knows = [(w.key.split()[0]) for w in detector._past]
        assert detector_knows == [name for name, _result in past[-len(detector_knows) :]]


def test_that_large_results_are_told_apart_by_their_length_and_all_their_parts() -> None:
    large = "x" * 40_000_000
    assert digest_of(large) == digest_of("x" * 40_000_000)
    assert digest_of(large) != digest_of(f"{large}x")
    assert digest_of(large) != digest_of(f"{large[:20_000_000]}{'y' * 20_000_000}")


async def test_that_a_loop_is_refused_before_anything_runs_and_ends_the_turn(home: Path) -> None:
    tool = TestTool("look")
    bench = Bench(home, tool)
    outcomes = [(await bench.reply(("look", {"text": "x"})))[0] for _ in range(5)]
    assert [result.outcome for result in outcomes] == [Outcome.SUCCEEDED] * 3 + [Outcome.REJECTED] * 2
    assert len(tool.ran) == 3
    assert "will be refused" in outcomes[2].output
    assert "another way" in outcomes[3].output
    assert bench.detector.looping


async def test_that_the_reminder_stands_outside_of_untrusted_text(home: Path) -> None:
    """Trap 0.8: within the fence the model is told to heed nothing."""

    async def page(args: Any, ctx: ToolContext) -> ToolOutput:
        return ToolOutput("text of a paper", untrusted=True)

    bench = Bench(home, TestTool("read", page))
    results = [(await bench.reply(("read", {})))[0] for _ in range(3)]
    assert [result.output for result in results] == ["text of a paper"] * 3
    (context,) = bench.rows.of(ContextAdded)
    assert (context.source, context.trusted) == ("runtime", True)
    assert "will be refused" in context.text
    assert isinstance(bench.rows.events[-1], ContextAdded)


async def test_that_a_tool_that_polls_may_be_called_again_and_again(home: Path) -> None:
    """Bug 17: through the executor, with a result that changes."""
    state = iter(range(100))

    async def check(args: Any, ctx: ToolContext) -> ToolOutput:
        return ToolOutput(f"{next(state)} %")

    bench = Bench(home, TestTool("check", check, polls=True))
    results = [(await bench.reply(("check", {})))[0] for _ in range(12)]
    assert {result.outcome for result in results} == {Outcome.SUCCEEDED}
