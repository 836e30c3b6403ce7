"""What one service takes of the chat-completions protocol: it begins with the standard and learns. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PLAIN = frozenset(
    "model messages stream stream_options max_tokens max_completion_tokens temperature stop tools".split()
)
THINKING_KEYS = frozenset("thinking enable_thinking reasoning_effort chat_template_kwargs".split())
"""Keys by which services are asked for thinking."""
_LIMIT = re.compile(
    r"max(?:_completion)?_tokens\D{0,40}\d+\s*>\s*(\d+)"
    r"|max(?:_completion)?_tokens is too large: \d+.{0,60}?at most (\d+)"
    r"|(?:range of )?max(?:_completion)?_tokens should be \[\d+, ?(\d+)\]"
    r"|valid range of max(?:_completion)?_tokens is \[\d+, ?(\d+)\]",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one server takes. It begins with the standard and learns from what the server refuses."""

    usage: bool = True
    """Takes `stream_options`."""
    limit: str = "max_tokens"
    temperature: bool = True
    thinking_field: str = "reasoning_content"
    """Under which name thinking is sent back with its message; empty: not at all.

    Kept by default: some services refuse a conversation whose thinking is missing (bug 5), and one
    fixed rule keeps the beginning of the prompt the same from request to request (bug 40).
    """

    thinking_always: bool = False
    """Sends the field, empty, also with messages that have calls and no thinking, as of another model."""
    way: int = 0
    """Which of the ways to ask for thinking, or against it, is used: the first that was not refused."""
    dropped: frozenset[str] = frozenset()
    """Keys that the profile sends with every request, and that were refused."""
    most_tokens: int | None = None
    """The longest reply that may be asked for."""

    def hearing(self, name: str) -> Dialect:
        """Return the dialect once the server has sent thinking under that name: it goes back under it."""
        return dataclasses.replace(self, thinking_field=name) if self.thinking_field else self

    def after(self, refusal: str, body: Mapping[str, Any] | None = None) -> Dialect | None:
        """Return the dialect to try after a refused request; None when the refusal is about nothing here.

        `body` is what was refused: keys of it that are none of the plain protocol's can be left out.
        """
        if limit := limit_in(refusal):
            return dataclasses.replace(self, most_tokens=limit) if limit != self.most_tokens else None
        if re.search(r"reasoning(?:_content)?\b", refusal):
            wanted = re.search(r"\bmust\b|missing|required", refusal, re.IGNORECASE)
            if wanted and not self.thinking_always:
                name = self.thinking_field or "reasoning_content"
                return dataclasses.replace(self, thinking_field=name, thinking_always=True)
            return (
                dataclasses.replace(self, thinking_field="") if self.thinking_field and not wanted else None
            )
        peculiar = {key for key in body or () if key not in _PLAIN}
        ways = peculiar & THINKING_KEYS
        if ways and ("thinking" in refusal.lower() or any(key in refusal for key in ways)):
            return dataclasses.replace(self, way=self.way + 1)
        if named := {key for key in peculiar - THINKING_KEYS if key in refusal}:
            return dataclasses.replace(self, dropped=self.dropped | named)
        if "stream_options" in refusal and self.usage:
            return dataclasses.replace(self, usage=False)
        if "max_tokens" in refusal and self.limit == "max_tokens":
            return dataclasses.replace(self, limit="max_completion_tokens")
        if "temperature" in refusal and self.temperature:
            return dataclasses.replace(self, temperature=False)
        return None


def limit_in(refusal: str) -> int | None:
    """Return the longest reply that a refusal says may be asked for."""
    found = _LIMIT.search(refusal)
    return int(next(group for group in found.groups() if group)) or None if found else None
