"""Event lines have the fields that checks outside of the project read, and each is a line of JSON."""

from __future__ import annotations

import dataclasses
import json

import pytest

from app import events
from app.events import Event, Outcome

FIELDS = {
    "turn_started": {"turn_id"},
    "text_delta": {"text"},
    "thinking_delta": {"text"},
    "tool_call": {"id", "name", "arguments", "step"},
    "tool_progress": {"id", "progress", "message"},
    "tool_result": {"tool_call_id", "name", "output", "is_error", "outcome", "metadata", "step"},
    "permission_request": {"id", "tool_call_id", "tool", "message"},
    "question": {"id", "text", "options"},
    "todo": {"items"},
    "compaction": {"tier", "before_tokens", "after_tokens"},
    "notice": {"level", "message"},
    "turn_finished": {"reason", "usage"},
}
"""What may be added to, and never taken from."""

KINDS = {
    kind.type: kind
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}


@pytest.mark.parametrize("kind", FIELDS)
def test_that_an_event_has_the_fields_that_were_promised(kind: str) -> None:
    assert FIELDS[kind] <= {field.name for field in dataclasses.fields(KINDS[kind])}


@pytest.mark.parametrize("kind", KINDS)
def test_that_each_event_is_one_line_with_its_type_first(kind: str) -> None:
    given = {
        field.name: Outcome.FAILED if field.name == "outcome" else f"a\n{field.name}"
        for field in dataclasses.fields(KINDS[kind])
    }
    line = json.dumps(KINDS[kind](**given).as_json())
    assert "\n" not in line
    assert next(iter(json.loads(line).items())) == ("type", kind)


def test_that_the_outcomes_are_those_that_were_promised() -> None:
    assert {str(outcome) for outcome in Outcome} == {
        "succeeded", "failed", "denied", "cancelled_before_start", "interrupted", "timed_out",
        "sibling_aborted", "lost_in_crash", "rejected",
    }  # fmt: skip
