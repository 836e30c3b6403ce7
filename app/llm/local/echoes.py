"""Replies of a local model as it wrote them, found again when they come back as history. Pure."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatItem, ChatMessage
from app.llm.local.rendering import Written

_MOST = 2048

_Key = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class Heard:
    """One reply while it is read: as it was written (`raw`), and as the application sees it."""

    head: str = ""
    family: str = ""
    raw: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    calls: dict[int | None, list[str]] = field(default_factory=dict)

    def take(self, item: ChatItem) -> None:
        """Take what the parser made of a piece."""
        if isinstance(item, ChatDelta):
            self.text.append(item.text)
        elif isinstance(item, CallDelta):
            call = self.calls.setdefault(item.index, ["", ""])
            call[0] += item.name
            call[1] += item.arguments

    def key(self, session: str) -> _Key:
        calls = tuple((name, _canonical(arguments)) for name, arguments in self.calls.values())
        return session, "".join(self.text).strip(), calls


class Echoes:
    """The latest replies of all conversations."""

    def __init__(self) -> None:
        self._written: OrderedDict[_Key, Written] = OrderedDict()

    def keep(self, session: str, heard: Heard) -> None:
        """Keep a reply, also one that was cut off."""
        if raw := "".join(heard.raw):
            key = heard.key(session)
            self._written[key] = Written(heard.head, raw, heard.family)
            self._written.move_to_end(key)
            while len(self._written) > _MOST:
                self._written.popitem(last=False)

    def of(self, session: str, messages: Sequence[ChatMessage]) -> dict[int, Written]:
        """Return the replies among the messages that are known, by their place."""
        return {
            place: written
            for place, message in enumerate(messages)
            if message.role == "assistant" and (written := self._written.get(_key(session, message)))
        }


def _key(session: str, message: ChatMessage) -> _Key:
    calls: Sequence[CallPart] = message.calls
    return (
        session,
        message.content.strip(),
        tuple((call.name, _canonical(call.arguments)) for call in calls),
    )


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments or "{}", strict=False), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments.strip()
