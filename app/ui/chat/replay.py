"""A conversation read back from the journal. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from app import events
from app.events import AnswerReady, Event, Outcome, TurnStarted
from app.ui.chat.items import Timeline

_KINDS: dict[str, type[Event]] = {
    kind.type: kind
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}


def replay(rows: Iterable[Mapping[str, Any]], title: str = "") -> Timeline:
    """Return the timeline of journal rows. Kinds a newer version wrote are passed over.

    What was asked stands in the turn's answer; a turn that was stopped before has none, and then
    the conversation's title stands in for its first question.
    """
    timeline = Timeline()
    rows = list(rows)
    for place, row in enumerate(rows):
        event = event_of(row)
        if isinstance(event, TurnStarted):
            question = _question(rows[place + 1 :]) or ("" if timeline.items else title)
            if question:
                timeline.ask(question)
        if event is not None:
            timeline.apply(event)
    timeline.stop()
    return timeline


def _question(rows: Iterable[Mapping[str, Any]]) -> str:
    for row in rows:
        if row.get("type") == TurnStarted.type:
            return ""
        if row.get("type") == AnswerReady.type:
            return str(row["answer"].get("question", ""))
    return ""


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
