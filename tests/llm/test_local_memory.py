"""What is read, kept, put away and taken back, over an engine that only counts."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from app.llm.chat import ContextOverflowError, Use
from app.llm.local.disk_state import DiskStates
from app.llm.local.engine import SEQUENCES, AbortedError, Engine, OutOfCellsError
from app.llm.local.memory import SequenceMemory


class FakeAbort:
    def __init__(self) -> None:
        self.is_set = False

    def clear(self) -> None:
        self.is_set = False


class FakeEngine:
    """Sequences of tokens in a limited number of cells, as llama.cpp has them."""

    def __init__(self, cells: int = 100, cuts: bool = True) -> None:
        self.cells = cells
        self.cuts = cuts
        self.sequences: list[list[int]] = [[] for _ in range(SEQUENCES)]
        self.evaluated = 0
        self.abort = FakeAbort()
        self.abort_after: int | None = None

    def decode(self, sequence: int, ids: list[int], start: int) -> None:
        assert len(self.sequences[sequence]) == start
        if sum(map(len, self.sequences)) + len(ids) > self.cells:
            raise OutOfCellsError
        if self.abort_after is not None:
            done, self.abort_after = self.abort_after, None
            self.sequences[sequence] += ids[:done]
            self.evaluated += done
            raise AbortedError
        self.sequences[sequence] += ids
        self.evaluated += len(ids)

    def length(self, sequence: int) -> int:
        return len(self.sequences[sequence])

    def cut(self, sequence: int, length: int) -> int:
        kept = length if self.cuts or length == len(self.sequences[sequence]) else 0
        del self.sequences[sequence][kept:]
        return kept

    def share(self, source: int, target: int, length: int) -> int:
        self.sequences[target] = self.sequences[source][:length]
        return length

    def state_size(self, sequence: int) -> int:
        return len(self.sequences[sequence])

    def state(self, sequence: int) -> bytes:
        return bytes(self.sequences[sequence])

    def restore(self, sequence: int, state: bytes, length: int) -> bool:
        self.sequences[sequence] = []
        if sum(map(len, self.sequences)) + len(state) > self.cells:
            return False
        self.sequences[sequence] = list(state)
        return len(state) == length


def memory_of(engine: FakeEngine, disk: DiskStates | None = None) -> SequenceMemory:
    return SequenceMemory(cast(Engine, engine), disk)


def ask(memory: SequenceMemory, owner: str, use: Use, prompt: list[int]) -> int:
    """Read a prompt to its end; return how many tokens were known."""
    slot, kept = memory.open(owner, use, prompt)
    memory.read(slot, prompt[kept:], lambda: None)
    memory.close(slot)
    return kept


def test_that_a_conversation_reads_only_what_is_new() -> None:
    engine = FakeEngine()
    memory = memory_of(engine)
    ask(memory, "a", Use.TURN, [1, 2, 3])
    assert ask(memory, "a", Use.TURN, [1, 2, 3, 4]) == 3
    assert engine.evaluated == 4


def test_that_the_last_token_is_read_again_when_nothing_is_new() -> None:
    memory = memory_of(FakeEngine())
    ask(memory, "a", Use.TURN, [1, 2, 3])
    assert ask(memory, "a", Use.TURN, [1, 2, 3]) == 2


def test_that_titles_and_sub_agents_do_not_push_out_the_conversation() -> None:
    engine = FakeEngine(cells=60)
    memory = memory_of(engine)
    prompt = list(range(40))
    ask(memory, "a", Use.TURN, prompt)
    for number in range(6):
        ask(memory, "", Use.TITLE, [100 + number] * 10)
        ask(memory, f"helper {number}", Use.SUBAGENT, [200 + number] * 10)
    assert ask(memory, "a", Use.TURN, [*prompt, 41]) == 40


def test_that_a_conversation_that_had_to_leave_comes_back_as_it_was() -> None:
    engine = FakeEngine(cells=60)
    memory = memory_of(engine)
    ask(memory, "a", Use.TURN, [1] * 40)
    ask(memory, "b", Use.TURN, [2] * 50)
    assert ask(memory, "a", Use.TURN, [1] * 41) == 40
    assert ask(memory, "b", Use.TURN, [2] * 51) == 50


def test_that_many_conversations_share_few_sequences() -> None:
    memory = memory_of(FakeEngine(cells=500))
    for owner in "abcdefgh":
        ask(memory, owner, Use.TURN, [ord(owner)] * 10)
    assert [ask(memory, owner, Use.TURN, [ord(owner)] * 11) for owner in "abcdefgh"] == [10] * 8


def test_that_a_conversation_longer_than_the_memory_is_an_overflow() -> None:
    memory = memory_of(FakeEngine(cells=10))
    with pytest.raises(ContextOverflowError):
        ask(memory, "a", Use.TURN, [1] * 11)


def test_that_memory_that_cannot_be_cut_is_read_from_the_start() -> None:
    engine = FakeEngine(cuts=False)
    memory = memory_of(engine)
    ask(memory, "a", Use.TURN, [1, 2, 3])
    assert ask(memory, "a", Use.TURN, [1, 2, 3, 4]) == 3  # nothing was cut
    assert ask(memory, "a", Use.TURN, [1, 2, 9]) == 0


def test_that_what_was_read_before_a_stop_counts() -> None:
    engine = FakeEngine()
    memory = memory_of(engine)
    slot, kept = memory.open("a", Use.TURN, [1, 2, 3, 4])
    engine.abort_after = 2

    def check() -> None:
        if engine.evaluated:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        memory.read(slot, [1, 2, 3, 4][kept:], check)
    assert ask(memory, "a", Use.TURN, [1, 2, 3, 4, 5]) == 2


def test_that_a_stop_that_was_meant_for_another_request_is_no_stop() -> None:
    engine = FakeEngine()
    memory = memory_of(engine)
    engine.abort_after = 1
    assert ask(memory, "a", Use.TURN, [1, 2, 3]) == 0
    assert engine.sequences[0] == [1, 2, 3]


def test_that_conversations_survive_the_process_on_disk(tmp_path: Path) -> None:
    first = memory_of(FakeEngine(), DiskStates(tmp_path, "m"))
    ask(first, "a", Use.TURN, [1, 2, 3])
    ask(first, "", Use.TITLE, [9, 9])
    assert first.save() == 1
    assert first.save() == 0
    second = memory_of(FakeEngine(), DiskStates(tmp_path, "m"))
    assert ask(second, "a", Use.TURN, [1, 2, 3, 4]) == 3
