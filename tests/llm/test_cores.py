from __future__ import annotations

from app.llm.cores import cores_in, physical_cores

CPU = "processor\t: {0}\nphysical id\t: {1}\nsiblings\t: 4\ncore id\t\t: {2}\nflags\t\t: fpu\n\n"


def test_that_two_threads_of_one_core_count_once() -> None:
    text = "".join(CPU.format(n, n // 4, n % 2) for n in range(8))
    assert cores_in(text) == 4


def test_that_a_machine_that_does_not_say_gives_none() -> None:
    assert cores_in("processor : 0\nmodel name : something\n") == 0


def test_that_there_is_always_a_core() -> None:
    assert physical_cores() >= 1
