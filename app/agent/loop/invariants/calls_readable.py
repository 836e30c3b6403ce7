"""The arguments of every call are a JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from app.agent.loop.invariants.rule import Invariant
from app.llm.chat import CallPart, ChatMessage


class CallsReadable(Invariant):
    """Templates and servers parse old arguments again and refuse the request when they cannot.

    What the model wrote was already answered with an error; here it is only kept readable.
    """

    def enforce(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Wrap what is no object as `{"unreadable": text}`."""
        return [
            message
            if all(_is_object(call.arguments) for call in message.calls)
            else replace(message, calls=tuple(_readable(call) for call in message.calls))
            for message in messages
        ]


def _readable(call: CallPart) -> CallPart:
    if _is_object(call.arguments):
        return call
    wrapped = json.dumps({"unreadable": call.arguments}, ensure_ascii=False) if call.arguments else "{}"
    return CallPart(call.id, call.name, wrapped)


@lru_cache(maxsize=4096)
def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
