"""Batches, and the gate that makes the same of a stream."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from app.agent.execution import ToolPartitioner
from app.agent.execution.gate import Gate


@dataclass(frozen=True)
class Asked:
    name: str
    concurrency_safe: bool


READ, GREP, BASH, WRITE = (
    Asked("read", True),
    Asked("grep", True),
    Asked("bash", False),
    Asked("write", False),
)
REPLIES = st.lists(st.booleans(), max_size=12)


def test_that_neighbours_share_a_batch_and_others_have_their_own() -> None:
    batches = ToolPartitioner.partition([READ, GREP, BASH, READ, WRITE])
    assert [[call.name for call in batch.calls] for batch in batches] == [
        ["read", "grep"], ["bash"], ["read"], ["write"],
    ]  # fmt: skip
    assert [batch.is_parallel for batch in batches] == [True, False, True, False]


def test_that_two_neighbours_that_are_not_safe_are_two_batches() -> None:
    assert [len(batch.calls) for batch in ToolPartitioner.partition([BASH, WRITE])] == [1, 1]
    assert ToolPartitioner.partition([]) == []


@given(REPLIES)
def test_that_batches_keep_every_call_in_order(safe: list[bool]) -> None:
    calls = [Asked(str(place), value) for place, value in enumerate(safe)]
    batches = ToolPartitioner.partition(calls)
    assert [call for batch in batches for call in batch.calls] == calls
    assert all(call.concurrency_safe is batch.is_parallel for batch in batches for call in batch.calls)
    assert all(batch.is_parallel or len(batch.calls) == 1 for batch in batches)
    assert not any(a.is_parallel and b.is_parallel for a, b in itertools.pairwise(batches))


@given(REPLIES, st.randoms(use_true_random=False))
def test_that_the_gate_lets_in_one_batch_after_the_other(safe: list[bool], chance: st.DataObject) -> None:
    gate = Gate()
    tickets = [gate.enter() for _ in safe]
    batch_of = {
        place: number
        for number, batch in enumerate(
            ToolPartitioner.partition([Asked(str(i), s) for i, s in enumerate(safe)])
        )
        for place in (int(call.name) for call in batch.calls)
    }
    for place in chance.sample(range(len(safe)), len(safe)):  # type: ignore[attr-defined]
        tickets[place].classify(shared=safe[place])
    left: set[int] = set()
    while len(left) < len(safe):
        inside = [place for place, ticket in enumerate(tickets) if ticket.open and place not in left]
        first = min(place for place in range(len(safe)) if place not in left)
        assert inside
        assert {batch_of[place] for place in inside} == {batch_of[first]}
        done = chance.choice(inside)  # type: ignore[attr-defined]
        left.add(done)
        tickets[done].leave()


async def test_that_a_call_nobody_knows_yet_keeps_those_behind_it_waiting() -> None:
    gate = Gate()
    unknown, behind = gate.enter(), gate.enter()
    behind.classify(shared=True)
    waiting = asyncio.ensure_future(behind.turn())
    await asyncio.sleep(0)
    assert not waiting.done()
    unknown.classify(shared=True)
    await waiting
    assert unknown.open
    assert behind.open


async def test_that_a_call_that_leaves_before_its_turn_lets_the_next_in() -> None:
    gate = Gate()
    running, given_up, last = gate.enter(), gate.enter(), gate.enter()
    for ticket in (running, given_up, last):
        ticket.classify(shared=False)
    given_up.leave()
    assert [ticket.open for ticket in (running, given_up, last)] == [True, False, False]
    running.leave()
    running.leave()
    await last.turn()
    assert [ticket.open for ticket in (running, given_up, last)] == [True, False, True]
