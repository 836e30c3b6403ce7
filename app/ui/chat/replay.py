"""A conversation read back from the journal. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from app import events
from app.events import Event, Outcome, TurnStarted
from app.ui.chat.items import Timeline

_KINDS: dict[str, type[Event]] = {
    kind.type: kind
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}


def replay(rows: Iterable[Mapping[str, Any]]) -> Timeline:
    """Return the timeline of journal rows. Kinds a newer version wrote are passed over."""
    timeline = Timeline()
    for row in rows:
        event = event_of(row)
        if isinstance(event, TurnStarted) and event.text:
            timeline.ask(event.text)
        if event is not None:
            timeline.apply(event)
    timeline.stop()
    return timeline


def event_of(row: Mapping[str, Any]) -> Event | None:
    """Return the event of one journal row, or None for a kind that is not known here."""
    kind = _KINDS.get(str(row.get("type")))
    if kind is None:
        return None
    names = {field.name for field in dataclasses.fields(kind)}
    values = {name: value for name, value in row.items() if name in names}
    if "outcome" in values:
        values["outcome"] = Outcome(values["outcome"])
    if "items" in values:
        values["items"] = tuple(values["items"])
    try:
        return kind(**values)
    except TypeError:
        return None  # a row without a field that this version needs
