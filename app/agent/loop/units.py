"""What a conversation is made of: things said to the model, and rounds (a reply with its calls' results)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.llm.chat import CallPart, ChatMessage

CLEARED = "(The result of this call was left out to save room. Call the tool again if you need it.)"
INSTRUCTING = ("load_skill",)
KEPT_VERBATIM = ("person", "date", "papers", "project")
"""Sources of what is kept word for word when a compaction leaves it out of the kept part."""


@dataclass(slots=True, eq=False)
class Said:
    """One block of a message to the model; `source` is "person", or that of a `ContextAdded`.

    `text` is as the model reads it, `body` what the fence holds.
    """

    row: int
    text: str
    source: str
    body: str = ""
    opens_turn: bool = False

    @property
    def first(self) -> int:
        """Its journal row."""
        return self.row

    @property
    def last(self) -> int:
        """Its journal row."""
        return self.row


@dataclass(slots=True)
class Result:
    """The result of a call as the model reads it."""

    row: int
    name: str
    text: str
    trusted: bool = True
    cleared: bool = False

    @property
    def instructs(self) -> bool:
        """Whether it is instructions to go by, which stay, and not material that is used up."""
        return self.name in INSTRUCTING and self.trusted


@dataclass(slots=True, eq=False)
class Round:
    """A reply of the model, its calls, and their results as far as they are there.

    `first` to `last` are the journal rows it came from. `written` says whether the row of the
    reply itself is there: calls start, and may end, before it.
    """

    first: int
    last: int
    step: int
    text: str = ""
    thinking: str = ""
    calls: list[CallPart] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    written: bool = False


Unit = Said | Round


@dataclass(frozen=True, slots=True)
class Placed:
    """A message and the journal rows it came from."""

    message: ChatMessage
    first: int
    last: int


def placed(units: Sequence[Unit]) -> Iterator[Placed]:
    """Yield the messages of the units; neighbouring things said become one message."""
    said: list[Said] = []
    for unit in units:
        if isinstance(unit, Said):
            said.append(unit)
            continue
        yield from _joined(said)
        said.clear()
        yield from _messages(unit)
    yield from _joined(said)


def _joined(said: Sequence[Said]) -> Iterator[Placed]:
    if said:
        text = "\n\n".join(block.text for block in said)
        rows = [block.row for block in said]
        yield Placed(ChatMessage("user", text), min(rows), max(rows))


def _messages(unit: Round) -> Iterator[Placed]:
    reply = ChatMessage("assistant", unit.text, unit.thinking, tuple(unit.calls))
    yield Placed(reply, unit.first, unit.last)
    for call in unit.calls:
        if result := unit.results.get(call.id):
            text = CLEARED if result.cleared else result.text
            yield Placed(ChatMessage("tool", text, call_id=call.id), unit.first, unit.last)
