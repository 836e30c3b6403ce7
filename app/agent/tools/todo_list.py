"""The agent's to-do list: what makes one valid, and how it reads. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["pending", "in_progress", "completed"]

MAX_ITEMS = 50
_MARKS: dict[Status, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One thing to do; it can begin when all of `blocked_by` are completed."""

    id: str
    content: str
    status: Status
    blocked_by: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the `todo` event and of the stored list."""
        return {
            "id": self.id,
            "content": self.content,
            "status": self.status,
            "blockedBy": list(self.blocked_by),
        }


def problems(items: Sequence[TodoItem]) -> list[str]:
    """Return everything that is wrong with the list, in words the model can act on."""
    found = []
    if len(items) > MAX_ITEMS:
        found.append(f"There are {len(items)} items; {MAX_ITEMS} at most. Join small steps.")
    ids = [item.id for item in items]
    status = {item.id: item.status for item in items}
    found += [f"The id {name!r} is used more than once." for name in _repeated(ids)]
    running = [item.id for item in items if item.status == "in_progress"]
    if len(running) > 1:
        found.append(f"Only one item can be in_progress; these are: {', '.join(running)}.")
    for item in items:
        unknown = [name for name in item.blocked_by if name not in status]
        if unknown:
            found.append(f"Item {item.id!r} is blockedBy unknown ids: {', '.join(map(repr, unknown))}.")
        open_ones = [name for name in item.blocked_by if status.get(name, "completed") != "completed"]
        if item.status != "pending" and open_ones and item.id not in open_ones:
            found.append(
                f"Item {item.id!r} is {item.status} but waits for {', '.join(map(repr, open_ones))}: "
                "complete those first, or take them out of its blockedBy."
            )
    if circle := cycle({item.id: item.blocked_by for item in items}):
        found.append(f"blockedBy goes in a circle: {' -> '.join(circle)}. Take one of these links out.")
    return found


def cycle(blocked_by: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a way from an item back to itself, first and last the same; empty where there is none."""
    done: set[str] = set()
    for start in blocked_by:
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            node, turn = stack.pop()
            if turn == 0:
                if node in done:
                    continue
                path.append(node)
                on_path.add(node)
            links = blocked_by.get(node, ())
            if turn == len(links):
                done.add(node)
                on_path.discard(path.pop())
                continue
            stack.append((node, turn + 1))
            following = links[turn]
            if following in on_path:
                return [*path[path.index(following) :], following]
            stack.append((following, 0))
    return []


def ready(items: Sequence[TodoItem]) -> list[TodoItem]:
    """Return the pending items that nothing blocks."""
    open_ones = {item.id for item in items if item.status != "completed"}
    return [item for item in items if item.status == "pending" and not open_ones & set(item.blocked_by)]


def rendered(items: Sequence[TodoItem]) -> str:
    """Return the list as the model and the prompt read it."""
    if not items:
        return "The to-do list is empty."
    done = sum(item.status == "completed" for item in items)
    lines = [f"{done} of {len(items)} done."]
    for item in items:
        waits = f" (after {', '.join(item.blocked_by)})" if item.blocked_by else ""
        lines.append(f"{_MARKS[item.status]} {item.id}: {item.content}{waits}")
    free = [item.id for item in ready(items)]
    if free and not any(item.status == "in_progress" for item in items):
        lines.append(f"Can begin now: {', '.join(free)}.")
    return "\n".join(lines)


def _repeated(ids: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(ids) if ids.count(name) > 1]
