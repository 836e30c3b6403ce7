"""Which sequence a request runs in, and what it need not read; states of those that had to leave.

Runs in the worker. The table (`slots`) decides, the engine does, and the logs are kept true to what the
engine's memory really holds, also after a decode that was stopped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from app.llm.chat import ContextOverflowError, Use
from app.llm.local.disk_state import DiskStates, State
from app.llm.local.engine import SEQUENCES, AbortedError, Engine, OutOfCellsError
from app.llm.local.fit import free_memory
from app.llm.local.slots import Slot, SlotTable

# States of conversations that had to leave are kept in memory up to this, and a quarter of what is free.
_MAX_PARKED = 2**30


class SequenceMemory:
    """The sequences of one engine."""

    def __init__(self, engine: Engine, disk: DiskStates | None = None) -> None:
        self._engine = engine
        self._table = SlotTable(SEQUENCES)
        self._parked: OrderedDict[str, State] = OrderedDict()
        self._disk = disk
        self._unsaved: set[str] = set()

    def open(self, owner: str, use: Use, prompt: list[int]) -> tuple[Slot, int]:
        """Return the sequence for a prompt, and how many of its tokens have been read (never all)."""
        slot = self._table.claim(owner)
        if slot.owner != owner or not owner:
            self._put_away(slot)
            self._take_back(slot, owner)
        self._table.give(slot, owner, use)
        claim = self._table.head(slot, prompt)
        kept = min(claim.kept, len(prompt) - 1)
        if claim.source is not None:
            kept = self._engine.share(claim.source.number, slot.number, kept)
        elif kept < len(slot.log.ids) or kept == 0:
            kept = self._engine.cut(slot.number, kept)
        slot.log.ids = prompt[:kept]
        if slot.lasting:
            self._unsaved.add(owner)
        return slot, kept

    def read(self, slot: Slot, ids: list[int], check: Callable[[], None]) -> None:
        """Read at most a batch of tokens; `check` raises when nobody waits for them any more.

        Raises ContextOverflowError when there is no room and nobody else to leave.
        """
        while ids:
            check()
            before = len(slot.log.ids)
            try:
                self._engine.decode(slot.number, ids, before)
            except OutOfCellsError:
                self._evict_for(slot)
            except AbortedError:
                # What was read of it counts: going on later starts there.
                there = max(self._engine.length(slot.number) - before, 0)
                slot.log.ids += ids[:there]
                ids = ids[there:]
                check()
                self._engine.abort.clear()  # meant for a request that had ended by then
            else:
                slot.log.ids += ids
                return

    def close(self, slot: Slot) -> None:
        """A request has ended: what nobody goes on with makes room."""
        if not slot.lasting:
            self._empty(slot)

    def save(self) -> int:
        """Write the conversations that changed since the last time to disk; return how many."""
        if self._disk is None:
            return 0
        saved = 0
        for owner in sorted(self._unsaved):
            slot = self._table.of(owner)
            state = self._state(slot) if slot else self._parked.get(owner)
            saved += bool(state and self._disk.save(owner, state))
        self._unsaved.clear()
        return saved

    def _evict_for(self, slot: Slot) -> None:
        other = self._table.spare(slot)
        if other is None:
            raise ContextOverflowError("The conversation is longer than the model can keep in its memory.")
        self._put_away(other)

    def _put_away(self, slot: Slot) -> None:
        """Empty a sequence; a conversation is kept where there is memory for it."""
        if slot.log.ids and slot.owner and slot.use is Use.TURN:
            size = self._engine.state_size(slot.number)
            if self._make_room(size):
                self._parked[slot.owner] = self._state(slot)
        self._empty(slot)

    def _take_back(self, slot: Slot, owner: str) -> None:
        """Fill an empty sequence with what its owner had read before."""
        if not owner:
            return
        state = self._parked.pop(owner, None)
        if state is None and self._disk is not None:
            state = self._disk.load(owner)
        if state is None or len(state.ids) > self._engine.cells:
            return
        while not self._engine.restore(slot.number, state.data, len(state.ids)):
            other = self._table.spare(slot)
            if other is None:
                return
            self._put_away(other)
        slot.log.ids = list(state.ids)

    def _make_room(self, size: int) -> bool:
        free = free_memory()
        limit = _MAX_PARKED if free is None else min(_MAX_PARKED, free // 4)
        while self._parked and sum(len(s.data) for s in self._parked.values()) + size > limit:
            self._parked.popitem(last=False)
        return size <= limit

    def _state(self, slot: Slot) -> State:
        return State(list(slot.log.ids), self._engine.state(slot.number))

    def _empty(self, slot: Slot) -> None:
        self._engine.cut(slot.number, 0)
        slot.log.ids = []
        slot.owner = ""
