"""What a model has read of one conversation, as tokens; and a prompt made of it that only grows. Pure.

A conversation is rendered by the model's chat template each time, but what the model wrote itself is put
in as the very tokens it sampled: rendering a reply anew may space its JSON differently, leave out its
thinking, or cut words into other tokens, and everything after the first difference would be read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

MAX_REPLIES = 512


@dataclass(frozen=True, slots=True)
class Reply:
    """Text of a prompt that the model wrote, word for word."""

    text: str


Part: TypeAlias = str | Reply
Tokens: TypeAlias = Sequence[int]


@dataclass(slots=True)
class TokenLog:
    """The tokens whose keys and values are in one sequence of the model's memory."""

    ids: list[int] = field(default_factory=list)

    def shared(self, prompt: Tokens) -> int:
        """Return how many tokens at the head of a prompt have been read."""
        return common_prefix(self.ids, prompt)


class Replies(OrderedDict[str, tuple[int, ...]]):
    """The tokens that the latest replies were made of, by their text."""

    def remember(self, text: str, ids: Tokens) -> None:
        """Keep a reply; the oldest goes."""
        if text:
            self[text] = tuple(ids)
            self.move_to_end(text)
            while len(self) > MAX_REPLIES:
                self.popitem(last=False)


def common_prefix(first: Tokens, second: Tokens) -> int:
    """Return the length of the longest common head."""
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return place
    return min(len(first), len(second))


def compose(parts: Sequence[Part], tokens: Callable[[str], Tokens], known: Mapping[str, Tokens]) -> list[int]:
    """Return the tokens of a prompt: replies as they were sampled where that is known, else as text."""
    ids: list[int] = []
    text: list[str] = []
    for part in parts:
        sampled = known.get(part.text) if isinstance(part, Reply) else None
        if sampled is None:
            text.append(part.text if isinstance(part, Reply) else part)
            continue
        ids.extend(tokens("".join(text)))
        text.clear()
        ids.extend(sampled)
    ids.extend(tokens("".join(text)))
    return ids
