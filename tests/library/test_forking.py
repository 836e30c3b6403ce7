from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.library.forking import copied, last_todo, renumbered, whole_after


def _turn(random_: random.Random, turn: int) -> list[dict[str, Any]]:
    """A turn as the loop writes it: calls may start, and even end, before the row of their reply."""
    events: list[dict[str, Any]] = [{"type": "turn_started", "turn_id": str(turn), "text": "q"}]
    for step in range(1, random_.randint(1, 3) + 1):
        ids = [f"c{turn}.{step}.{i}" for i in range(random_.randint(0, 3))]
        calls = [{"type": "tool_call", "id": i, "step": step} for i in ids]
        results = [{"type": "tool_result", "tool_call_id": i, "step": step} for i in ids]
        message = {"type": "message", "step": step, "calls": [{"id": i} for i in ids]}
        round_: list[dict[str, Any]] = []
        for call, result in zip(calls, results, strict=True):
            place = random_.randint(0, len(round_))
            round_.insert(place, call)
            round_.insert(random_.randint(place + 1, len(round_)), result)
        round_.insert(random_.randint(0, len(round_)), message)
        if random_.random() < 0.3:
            round_.insert(random_.randint(0, len(round_)), {"type": "steering", "text": "s"})
        events += round_
    return [*events, {"type": "turn_finished", "reason": "done", "usage": {}}]


def _conversation(seed: int) -> list[tuple[int, Mapping[str, Any]]]:
    random_ = random.Random(seed)
    events = [event for turn in range(random_.randint(1, 3)) for event in _turn(random_, turn)]
    kept = events[: random_.randint(1, len(events))]  # perhaps it is running, or crashed
    return [(10 + 3 * i, event) for i, event in enumerate(kept)]


@given(st.integers(0, 2**32), st.data())
def test_that_a_fork_has_a_result_and_a_reply_for_every_call(seed: int, data: st.DataObject) -> None:
    """Bug 3: cutting anywhere keeps calls, replies and results together."""
    rows = _conversation(seed)
    upto = data.draw(st.sampled_from([row_id for row_id, _ in rows]))
    fork = copied(rows, upto)
    assert fork is not None
    events = [event for _, event in fork]
    called = {event["id"] for event in events if event["type"] == "tool_call"}
    replied = {c["id"] for event in events if event["type"] == "message" for c in event["calls"]}
    ended = {event["tool_call_id"] for event in events if event["type"] == "tool_result"}
    assert called == replied == ended
    starts = [event["type"] for event in events if event["type"] in ("turn_started", "turn_finished")]
    assert starts == ["turn_started", "turn_finished"] * (len(starts) // 2)


def test_that_a_running_step_is_left_out() -> None:
    rows: list[tuple[int, Mapping[str, Any]]] = [
        (1, {"type": "turn_started", "text": "q"}),
        (2, {"type": "message", "step": 1, "calls": [{"id": "a"}]}),
        (3, {"type": "tool_call", "id": "a", "step": 1}),
    ]
    fork = copied(rows, 3)
    assert fork is not None
    assert [event["type"] for _, event in fork] == ["turn_started", "turn_finished"]
    assert whole_after(rows) == [True, False, False]


def test_that_there_is_no_fork_at_a_row_of_another_conversation() -> None:
    assert copied([(1, {"type": "turn_started"})], 2) is None


def test_that_an_answer_of_the_direct_path_is_whole_without_a_reply() -> None:
    rows: list[tuple[int, Mapping[str, Any]]] = [
        (1, {"type": "tool_call", "id": "a", "step": 1}),
        (2, {"type": "tool_result", "tool_call_id": "a", "step": 1}),
        (3, {"type": "answer", "answer": {}}),
    ]
    assert whole_after(rows) == [False, False, True]


def test_that_a_summary_points_at_the_copy_of_what_it_kept() -> None:
    event = {"type": "compaction", "kept_from": 7}
    assert renumbered(event, [5, 7, 9], 100)["kept_from"] == 101
    assert renumbered(event, [5, 8], 100)["kept_from"] == 101
    assert renumbered(event, [5], 100)["kept_from"] == 101  # from itself on
    nothing = {"type": "compaction", "kept_from": 0}
    assert renumbered(nothing, [5], 100) is nothing
    assert last_todo([]) is None


def test_that_a_reply_points_at_the_copy_of_what_had_been_read() -> None:
    event = {"type": "message", "read_to": 7}
    assert renumbered(event, [5, 7, 9], 100)["read_to"] == 101
    assert renumbered(event, [5, 8], 100)["read_to"] == 100
    assert renumbered(event, [8], 100)["read_to"] == 0
