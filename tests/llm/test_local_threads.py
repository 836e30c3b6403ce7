from __future__ import annotations

from app.llm.local.threads import candidates, chosen, measured


def test_that_the_usual_number_wins_unless_another_is_clearly_faster() -> None:
    assert chosen([(4, 1.0), (3, 0.97), (8, 1.1)]) == 4
    assert chosen([(4, 1.0), (3, 0.8)]) == 3


def test_that_one_thread_a_core_is_tried_first() -> None:
    numbers = candidates()
    assert numbers[0] >= 1
    assert len(set(numbers)) == len(numbers)
    assert all(number >= 1 for number in numbers)


class FakeMachine:
    """Takes as long as it is told for (threads, tokens)."""

    def __init__(self, **times: float) -> None:
        self.now = 0.0
        self.times = times
        self.runs = 0

    def run(self, threads: int, tokens: int) -> None:
        self.runs += 1
        self.now += self.times["write" if tokens == 1 else "read"] * (0.5 if threads == 8 else 1.0)

    def clock(self) -> float:
        return self.now


def test_that_the_fastest_numbers_are_found_for_writing_and_reading() -> None:
    machine = FakeMachine(write=0.01, read=0.1)
    assert measured([4, 8], machine.run, machine.clock) == (8, 8)


def test_that_a_slow_machine_is_not_measured_for_long() -> None:
    machine = FakeMachine(write=2.0, read=20.0)
    assert measured([4, 8], machine.run, machine.clock) == (4, 4)
    assert machine.runs <= 3
