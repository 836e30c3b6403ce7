"""Where a conversation may be cut, and what a copy of its beginning consists of. Pure.

A step of the agent is one thing: the calls, the reply that holds them (calls start while the
reply still streams, so their rows may come before it) and one result for every call.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

Row = tuple[int, Mapping[str, Any]]


def whole_after(rows: Sequence[Row]) -> list[bool]:
    """Return of every row whether the conversation is whole if it ends with it: no step is parted."""
    open_calls: set[str] = set()
    seen_calls: set[str] = set()
    awaited: int | None = None
    whole = []
    for _, event in rows:
        match event.get("type"):
            case "tool_call":
                if event["id"] not in seen_calls:
                    awaited = event.get("step")
                    open_calls.add(event["id"])
                    seen_calls.add(event["id"])
            case "message":
                awaited = None
                for call in event.get("calls") or ():
                    if call["id"] not in seen_calls:
                        open_calls.add(call["id"])
                        seen_calls.add(call["id"])
            case "tool_result":
                open_calls.discard(event["tool_call_id"])
            case "answer":
                awaited = None  # what was asked of the library directly has no reply of a model
            case "turn_finished" | "turn_started":
                # what a crash left open is closed by repair, wherever the conversation is cut
                open_calls.clear()
                awaited = None
        whole.append(not open_calls and awaited is None)
    return whole


def copied(rows: Sequence[Row], upto_row: int) -> list[Row] | None:
    """Return the rows of a fork that ends with a row; None if there is no such row.

    A step that the row is in the middle of is taken whole; if it has not ended yet it is left out.
    A turn that the cut leaves open is closed, so that it is not taken for one that a crash cut.
    """
    place = next((i for i, (row_id, _) in enumerate(rows) if row_id == upto_row), None)
    if place is None:
        return None
    whole = whole_after(rows)
    later = next((i for i in range(place, len(rows)) if whole[i]), None)
    earlier = next((i for i in range(place, -1, -1) if whole[i]), -1)
    chosen = list(rows[: (earlier if later is None else later) + 1])
    if _in_turn(chosen):
        chosen.append((0, {"type": "turn_finished", "reason": "stopped", "usage": {}}))
    return chosen


def renumbered(event: Mapping[str, Any], before: Sequence[int], first: int) -> Mapping[str, Any]:
    """Return the event with the rows it refers to named as the copy numbers them.

    `before` are the numbers of all rows before it, in order; their copies are numbered from `first` on.
    """
    match event:
        case {"type": "compaction", "kept_from": int(kept_from)} if kept_from:
            return {**event, "kept_from": first + bisect_left(before, kept_from)}
        case {"type": "message", "read_to": int(last)} if last:
            place = bisect_right(before, last)
            return {**event, "read_to": first + place - 1 if place else 0}
    return event


def last_todo(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Return the to-do list as it stood at the end, as its task holds it; None if there is none."""
    for _, event in reversed(rows):
        if event.get("type") == "todo":
            return {"items": list(event["items"])}
    return None


def _in_turn(rows: Sequence[Row]) -> bool:
    for _, event in reversed(rows):
        if event.get("type") in ("turn_started", "turn_finished"):
            return bool(event["type"] == "turn_started")
    return False
