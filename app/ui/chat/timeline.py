"""Events to timeline items. Pure, and each event costs the same however long the conversation is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.events import Event
from app.llm.usage import Meter
from app.ui.chat.figures import watch
from app.ui.chat.fold import HANDLERS
from app.ui.chat.items import (
    Answered,
    Asked,
    Asking,
    Ended,
    Item,
    ModelState,
    Noticed,
    Permission,
    Plan,
    Thought,
    ToolState,
    ToolUse,
)


@dataclass(slots=True)
class Timeline:
    """All items of a conversation; `apply` takes an event and returns the places that changed.

    Items are only added at the end or replaced in their place, never moved or taken out.
    """

    items: list[Item] = field(default_factory=list)
    plan: Plan | None = None
    running: bool = False
    steps: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)
    tools: dict[str, int] = field(default_factory=dict)
    """Place of each call by its id; of the newest where an id came twice."""
    requests: dict[str, int] = field(default_factory=dict)
    moving: set[int] = field(default_factory=set)
    """Places of what still moves: streams, running calls, requests without an answer."""
    reply: list[int] = field(default_factory=list)
    """Places of the texts and thoughts of the reply that streams now, until its `Message` comes."""
    answer: int | None = None
    """Place of the text that a checked answer replaces."""
    step: int = -1
    steered: list[int] = field(default_factory=list)
    """Places of steering that the agent has not read yet."""
    sending: set[int] = field(default_factory=set)
    """Those of them of which it is not known yet whether a turn will take them."""
    prepended: int = 0
    """How many items were put in before those that were here first."""
    lost: list[str] = field(default_factory=list)
    """Words of steering that was never read."""
    progress: ModelState | None = None
    """What the model is doing while it says nothing."""
    meter: Meter = field(default_factory=Meter)
    """What the conversation has taken."""

    def ask(self, text: str, about: tuple[str, ...] = ()) -> int:
        """Add what the person wrote; return its place."""
        self.begin()
        return self.add(Asked(text, about))

    def prepend(self, earlier: Timeline) -> None:
        """Put an earlier part of the conversation, in which nothing moves, before this one."""
        count = len(earlier.items)
        self.items[:0] = earlier.items
        self.tools = earlier.tools | {id: place + count for id, place in self.tools.items()}
        self.requests = earlier.requests | {id: place + count for id, place in self.requests.items()}
        self.moving = {place + count for place in self.moving}
        self.sending = {place + count for place in self.sending}
        self.reply = [place + count for place in self.reply]
        self.steered = [place + count for place in self.steered]
        self.answer = None if self.answer is None else self.answer + count
        self.plan = self.plan or earlier.plan
        self.steps += earlier.steps
        for model, tokens in earlier.meter.by_model.items():
            self.meter.add(model, tokens)
        self.prepended += count

    def steer(self, text: str) -> int:
        """Add what the person wrote while the agent works; it waits until the agent has read it."""
        place = self.add(Asked(text, steering="waits"))
        self.steered.append(place)
        self.sending.add(place)
        return place

    def sent(self, place: int, *, taken: bool) -> list[int]:
        """Whether a turn takes the steering at `place`; if not, it is a question of its own."""
        self.sending.discard(place)
        if place not in self.steered:
            return []  # read already
        if not taken:
            self.steered.remove(place)
            self.put(place, steering="")
            self.begin()
            return [place]
        return [] if self.running else self.stop()

    def take_unread(self) -> list[str]:
        """Return the steering that turns ended without having read, once."""
        unread, self.lost = self.lost, []
        return unread

    def waiting(self) -> tuple[int, ...]:
        """Return the places of the questions that wait for the person, the oldest first."""
        found = (p for p in self.moving if isinstance(self.items[p], Permission | Asking))
        return tuple(sorted(found))

    def waits(self, request: str) -> bool:
        """Whether the request or question of this id waits for the person."""
        place = self.requests.get(request)
        return place is not None and place in self.moving

    def apply(self, event: Event, now: float = 0.0) -> list[int]:
        """Take one event; `now` is a clock in seconds, for the time a thing took."""
        watch(self, event)
        handler = HANDLERS.get(type(event))
        return handler(self, event, now) if handler is not None else []

    def finish(self, reason: str, usage: Mapping[str, Any] | None = None) -> list[int]:
        """End the turn: nothing moves any more, whatever still arrives."""
        changed = self.stop()
        if usage is not None:
            self.usage = usage
        last = self.items[-1] if self.items else None
        told = isinstance(last, Noticed) and last.level == "error" and reason == "failed"
        if reason != "done" and not told and last != Ended(reason):
            changed.append(self.add(Ended(reason)))
        return changed

    def stop(self) -> list[int]:
        """Close what still moves; questions stay, since they can be answered late."""
        self.progress = None
        changed = sorted(self.moving)
        for place in changed:
            match self.items[place]:
                case ToolUse() as use:
                    if use.inner is not None:
                        use.inner.stop()
                    self.put(place, state=ToolState.STOPPED, progress=None)
                case Answered() | Thought():
                    self.put(place, streaming=False)
                case Permission():
                    self.put(place, answer="cancelled")
                case Asking():
                    self.put(place, status="no_answer")
                case _:
                    pass
        self.moving.clear()
        for place in [place for place in self.steered if place not in self.sending]:
            self.steered.remove(place)
            self.put(place, steering="unread")
            changed.append(place)
            self.lost.append(str(getattr(self.items[place], "text", "")))
        self.reply.clear()
        self.running = False
        return changed

    def answer_permission(self, id: str, answer: str, by: str = "person") -> list[int]:
        """Take the answer to a request."""
        place = self.requests.get(id)
        if place is None or not isinstance(request := self.items[place], Permission):
            return []
        self.moving.discard(place)
        self.put(place, answer=answer, by=by)
        call = self.tools.get(request.call_id)
        waits = call is not None and getattr(self.items[call], "state", None) is ToolState.ASKING
        return [place, *(self.change_tool(request.call_id, state=ToolState.RUNNING) if waits else ())]

    def answer_question(self, id: str, status: str, text: str = "") -> list[int]:
        """Take the answer to a question."""
        place = self.requests.get(id)
        if place is None or not isinstance(asked := self.items[place], Asking) or asked.status == "late":
            return []
        self.moving.discard(place)
        self.put(place, status=status, answer=text)
        return [place]

    def add(self, item: Item, *, moves: bool = False) -> int:
        """Add an item that may still move; return its place."""
        self.items.append(item)
        place = len(self.items) - 1
        if moves:
            self.moving.add(place)
        return place

    def put(self, place: int, **changes: Any) -> None:
        """Put a changed copy in the place of an item."""
        self.items[place] = dataclasses.replace(self.items[place], **changes)

    def change_tool(self, id: str, **changes: Any) -> list[int]:
        """Change the call `id`, if it is here."""
        place = self.tools.get(id)
        if place is None:
            return []
        self.put(place, **changes)
        return [place]

    def begin(self) -> None:
        """What is said from now on belongs to another turn."""
        self.reply.clear()
        self.answer, self.step = None, -1
