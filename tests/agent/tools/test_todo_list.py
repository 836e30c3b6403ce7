"""A to-do list is a plan without circles, with one thing under way."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.tools.todo_list import MAX_ITEMS, Status, TodoItem, cycle, problems, ready, rendered


def item(name: str, status: Status = "pending", *blocked_by: str) -> TodoItem:
    return TodoItem(name, f"do {name}", status, blocked_by)


def test_that_a_plan_with_one_thing_under_way_is_fine() -> None:
    plan = [item("a", "completed"), item("b", "in_progress", "a"), item("c", "pending", "a", "b")]
    assert problems(plan) == []
    assert rendered(plan) == ("1 of 3 done.\n[x] a: do a\n[>] b: do b (after a)\n[ ] c: do c (after a, b)")


def test_that_what_can_begin_is_named_when_nothing_is_under_way() -> None:
    plan = [item("a", "completed"), item("b", "pending", "a"), item("c", "pending", "b"), item("d")]
    assert [one.id for one in ready(plan)] == ["b", "d"]
    assert rendered(plan).endswith("Can begin now: b, d.")
    assert rendered([]) == "The to-do list is empty."


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            [item("a", "in_progress"), item("b", "in_progress")],
            "Only one item can be in_progress; these are: a, b",
        ),
        ([item("a"), item("a")], "'a' is used more than once"),
        ([item("a", "pending", "x", "y")], "unknown ids: 'x', 'y'"),
        ([item("a", "pending", "a")], "in a circle: a -> a"),
        (
            [item("a", "pending", "b"), item("b", "pending", "c"), item("c", "pending", "a")],
            "a -> b -> c -> a",
        ),
        ([item("a"), item("b", "in_progress", "a")], "'b' is in_progress but waits for 'a'"),
        ([item("a"), item("b", "completed", "a")], "'b' is completed but waits for 'a'"),
        ([item(str(n)) for n in range(MAX_ITEMS + 1)], "50 at most"),
    ],
)
def test_that_what_is_wrong_is_said_so_that_it_can_be_mended(plan: list[TodoItem], said: str) -> None:
    assert any(said in problem for problem in problems(plan)), problems(plan)


_NAMES = st.sampled_from("abcdefgh")
_GRAPHS = st.dictionaries(_NAMES, st.lists(_NAMES, max_size=4), max_size=8)


@given(_GRAPHS)
def test_that_a_circle_is_found_exactly_where_there_is_one(graph: dict[str, list[str]]) -> None:
    graph = {node: [link for link in links if link in graph] for node, links in graph.items()}
    found = cycle(graph)
    left = {node: set(links) for node, links in graph.items()}
    while free := [node for node, links in left.items() if not links & left.keys()]:
        for node in free:
            del left[node]
    assert bool(found) == bool(left)
    assert all(after in graph[before] for before, after in pairwise(found))
    assert not found or found[0] == found[-1]


def test_that_a_long_chain_is_followed_to_its_end() -> None:
    graph = {str(n): [str(n + 1)] for n in range(5000)} | {"5000": ["0"]}
    assert len(cycle(graph)) == 5002
