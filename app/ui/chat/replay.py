"""A conversation read back from the journal. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app import events
from app.events import Event, Message, Outcome, ToolCall, ToolResult, TurnStarted
from app.ui.chat.items import Asked, Item
from app.ui.chat.timeline import Timeline

Row = tuple[int, Mapping[str, Any]]
"""A journal row: its number and the JSON of its event."""

_OUTCOMES = {str(outcome): outcome for outcome in Outcome}
_TUPLES = ("items", "options", "calls", "cleared")


def _known(kind: type[Event]) -> tuple[type[Event], tuple[str, ...], tuple[str, ...]]:
    names = tuple(field.name for field in dataclasses.fields(kind))
    return kind, names, tuple(name for name in names if name in _TUPLES)


_KINDS = {
    kind.type: _known(kind)
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}


def replay(rows: Iterable[Mapping[str, Any]]) -> Timeline:
    """Return the timeline of journal rows. Kinds a newer version wrote are passed over."""
    timeline = Timeline()
    apply, ask = timeline.apply, timeline.ask
    for _number, event in in_reading_order((0, event_of(row)) for row in rows):
        if type(event) is TurnStarted and event.text:
            ask(event.text)
        apply(event)
    timeline.stop()
    return timeline


def in_reading_order(found: Iterable[tuple[int, Event | None]]) -> list[tuple[int, Event]]:
    """Put each reply before the calls it made: those that ran while it streamed were written first."""
    ordered: list[tuple[int, Event]] = []
    calls: dict[str, int] = {}
    for number, event in found:
        if event is None:
            continue
        if isinstance(event, Message) and event.calls:
            place = min(calls.get(str(call.get("id")), len(ordered)) for call in event.calls)
            ordered.insert(place, (number, event))
            calls.clear()  # the places behind have moved, and those calls belong to this reply
            continue
        if isinstance(event, ToolCall):
            calls[event.id] = len(ordered)
        ordered.append((number, event))
    return ordered


def rows_of(rows: Iterable[Row], kind: type[Item]) -> list[int]:
    """Return the journal row of each item of one kind: of a question its own, of others their last."""
    timeline = Timeline()
    numbers: dict[int, int] = {}
    for number, event in in_reading_order((number, event_of(row)) for number, row in rows):
        asked = [timeline.ask(event.text)] if isinstance(event, TurnStarted) and event.text else []
        for place in [*asked, *timeline.apply(event)]:
            if kind is not Asked or place not in numbers:
                numbers[place] = number
    return [numbers[place] for place, item in enumerate(timeline.items) if isinstance(item, kind)]


def event_of(row: Mapping[str, Any]) -> Event | None:
    """Return the event of one journal row, or None for a kind that is not known here."""
    known = _KINDS.get(str(row.get("type")))
    if known is None:
        return None
    kind, names, tuples = known
    values = {name: row[name] for name in names if name in row}
    try:
        if kind is ToolResult:
            values["outcome"] = _OUTCOMES[values["outcome"]]
        for name in tuples:
            if name in values:
                values[name] = tuple(values[name])
        return kind(**values)
    except (KeyError, TypeError, ValueError):
        return None  # a row without a field that this version needs, or with another value in it


def ordinal(items: Sequence[Item], place: int) -> int:
    """Return the how manieth of its kind, from 0, the item at `place` is."""
    kind = type(items[place])
    return sum(isinstance(item, kind) for item in items[:place])
