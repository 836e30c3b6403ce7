"""Makes tool calls of the pieces a provider streams. Pure.

Providers differ in what they send with a piece: an index or none, all 0, or counted from 1; an id at
once, late, empty, or the same for all; the name once, in parts, or with every piece. A piece goes to
the call with its id, else to the latest call with its index, else to the call that is open; anything
that would change a call whose arguments are complete opens a new one or is set aside, never merged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.llm.call_ids import new_call_id
from app.llm.chat import CallDelta, CallPart
from app.llm.json_end import ObjectEnd

EndReason = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True, slots=True)
class CutCall:
    """A call that must not run.

    "unclosed": the reply ended before its arguments did. "nameless": it never got a name. "stray":
    text that came after the arguments of a call had ended.
    """

    name: str
    arguments: str
    reason: Literal["unclosed", "nameless", "stray"]


@dataclass(frozen=True, slots=True)
class Finished:
    """All calls of the reply in their order; `new` are those that `feed` had not returned yet."""

    calls: tuple[CallPart, ...]
    new: tuple[CallPart, ...]
    cut: tuple[CutCall, ...]


class StreamAssembler:
    """Assembles the calls of one attempt at one reply; thrown away with the attempt."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._given = 0

    @property
    def calls(self) -> tuple[CallPart, ...]:
        """The calls that `feed` has returned so far."""
        return tuple(call.part() for call in self._calls[: self._given])

    def feed(self, delta: CallDelta) -> list[CallPart]:
        """Take a piece; return the calls that became complete by it, in the order they were opened.

        A call is complete when the object of its arguments is closed, or when the next call begins and
        nothing could continue it any more. One behind a call that is still open waits for that one.
        """
        call = self._routed(delta)
        if call is None or call.is_over_for(delta):
            call = self._open(delta, after=call)
        call.take(delta)
        return self._completed()

    def finish(self, reason: EndReason | None) -> Finished:
        """Return what the reply holds at its end; `reason` is None when the stream was cut.

        After a proper end a call with broken arguments is returned as it is, to be answered with what
        is wrong with them. After a cut, or at the length limit, it is set aside. Nothing is mended.
        """
        orderly = reason in ("stop", "tool_calls")
        calls: list[CallPart] = []
        new: list[CallPart] = []
        cut: list[CutCall] = []
        for place, call in enumerate(self._calls):
            if not call.name:
                cut.append(CutCall("", call.arguments, "nameless"))
            elif not (orderly or call.sealed or call.end.closed):
                cut.append(CutCall(call.name, call.arguments, "unclosed"))
            else:
                calls.append(call.part())
                if place >= self._given:
                    new.append(call.part())
            if stray := call.stray.strip():
                cut.append(CutCall(call.name, stray, "stray"))
        self._given = len(self._calls)
        return Finished(tuple(calls), tuple(new), tuple(cut))

    def _routed(self, delta: CallDelta) -> _Call | None:
        """Return the call that the piece was sent for; None when that is a new one."""
        latest = self._calls[::-1]
        if delta.id:
            same = [call for call in latest if call.wire_id == delta.id]
            exact = [call for call in same if call.index == delta.index]
            if exact or (same and (delta.index is None or not delta.name)):
                return (exact or same)[0]
            if same:
                return None  # the same id at another index, with a name: an id that all calls share
        if delta.index is None:
            open_ = latest[0] if latest else None
        else:
            open_ = next((call for call in latest if call.index == delta.index), None)
            if open_ is None and latest and latest[0].index is None and not (delta.name or delta.id):
                open_ = latest[0]  # its index comes late
        if open_ and delta.id and open_.wire_id and (delta.name or open_.end.closed):
            return None  # a new id at a used index; without a name it is an id that changes by the piece
        return open_

    def _open(self, delta: CallDelta, after: _Call | None) -> _Call:
        if self._calls:
            before = self._calls[-1]
            before.sealed = before.sealed or (before.index is None and not before.wire_id)
        call = _Call(name=after.name if after and after.announced and not delta.name else "")
        self._calls.append(call)
        return call

    def _completed(self) -> list[CallPart]:
        found = []
        while self._given < len(self._calls):
            call = self._calls[self._given]
            if not call.name or not (call.sealed or call.end.closed):
                break
            found.append(call.part())
            self._given += 1
        return found


@dataclass(slots=True)
class _Call:
    """A call that is being put together."""

    name: str = ""
    id: str = field(default_factory=new_call_id)
    wire_id: str = ""
    index: int | None = None
    pieces: list[str] = field(default_factory=list)
    stray: str = ""
    end: ObjectEnd = field(default_factory=ObjectEnd)
    sealed: bool = False
    """Nothing can continue it."""
    announced: bool = False
    """Its name came once more after its end, without arguments: the next arguments are another call's."""

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    def part(self) -> CallPart:
        return CallPart(self.id, self.name, self.arguments)

    def is_over_for(self, delta: CallDelta) -> bool:
        """Whether the piece, which came to this call, must be the beginning of another."""
        if self.sealed:
            return True
        text = delta.arguments.strip()
        if not self.end.closed:
            bare = delta.index is None and not delta.id
            return bool(self.name and delta.name not in ("", self.name) and (bare or self.pieces))
        if text and self.announced and not delta.name:
            return True
        if text and text == self.arguments.strip() and delta.name in ("", self.name):
            return False  # the whole call once more
        return bool(self.name and delta.name and (text or delta.name != self.name))

    def take(self, delta: CallDelta) -> None:
        self.wire_id = self.wire_id or delta.id
        self.index = delta.index if self.index is None else self.index
        if self.end.closed and self.name:
            self._take_late(delta)
            return
        if delta.name and delta.name != self.name:
            self.name += delta.name
        if delta.arguments:
            inside = self.end.feed(delta.arguments)
            self.pieces.append(delta.arguments[:inside])
            self.stray += delta.arguments[inside:]

    def _take_late(self, delta: CallDelta) -> None:
        """Take a piece after the end: a repetition is dropped, anything else is kept as stray."""
        if delta.arguments.strip() and delta.arguments.strip() != self.arguments.strip():
            self.stray += delta.arguments
        elif delta.name:
            self.announced = not delta.arguments.strip()
