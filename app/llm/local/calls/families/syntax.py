"""What a call syntax is: how tools are told, how a call looks in the history, and how it is read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from app.llm.chat import CallPart, ChatMessage, ToolSpec
from app.llm.local.calls.parser import Reader
from app.llm.local.calls.shape import Anything, Record

TemplateMessage: TypeAlias = dict[str, object]
"""A message as chat templates take it: role, content, and what a family needs besides."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar, and when it begins to hold.

    Without `words` it holds from the first token. With them it holds from the first of them that is
    written outside of thinking (`at_start`: only at the head of the reply), which it includes.
    """

    text: str
    words: tuple[str, ...] = ()
    at_start: bool = False

    @property
    def lazy(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of one request: specs in a fixed order, the shapes of their arguments, and limits."""

    tools: tuple[ToolSpec, ...]
    shapes: Mapping[str, Record | Anything]
    forced: str = ""
    """The one tool that must be called."""
    longest: int | None = None
    """The most characters of a string in arguments."""
    most_calls: int = 8

    @property
    def callable(self) -> tuple[str, ...]:
        """The names that may be called."""
        return (self.forced,) if self.forced else tuple(tool.name for tool in self.tools)


class RawArguments(dict[str, object]):
    """Arguments of a call in the history: a mapping for templates, and the text as the model wrote it."""

    def __init__(self, raw: str) -> None:
        try:
            value = json.loads(raw or "{}", strict=False)
        except (ValueError, RecursionError):
            value = {}
        super().__init__(value if isinstance(value, dict) else {})
        self.raw = raw or "{}"


class Syntax(ABC):
    """One way to call tools. Stateless; readers hold the state of a reply."""

    name: ClassVar[str]
    native: ClassVar[bool] = True
    """Whether models are trained on it; the others are told how in the system message."""
    shown: ClassVar[tuple[str, ...]] = ()
    """Control words that must reach the reader as text."""

    @abstractmethod
    def matches(self, template: str) -> bool:
        """Whether a chat template speaks this syntax."""

    @abstractmethod
    def grammar(self, offer: Offer) -> Grammar | None:
        """Return the grammar of calls."""

    @abstractmethod
    def reader(self, offer: Offer) -> Reader:
        """Return a reader for one reply."""

    @abstractmethod
    def instructions(self, offer: Offer) -> str:
        """Return what the system message says of the tools where the chat template does not."""

    def messages(
        self, history: Sequence[ChatMessage], offer: Offer, safe: Callable[[str], str]
    ) -> list[TemplateMessage]:
        """Return the history as the chat template takes it; `safe` breaks control words up."""
        return [native_message(message, history[:place], safe) for place, message in enumerate(history)]

    def variables(self, offer: Offer) -> dict[str, object]:
        """Return what the template is given besides the messages."""
        return {"tools": [described(tool) for tool in offer.tools]}


def described(tool: ToolSpec) -> dict[str, object]:
    """Return a tool in the form that templates expect, OpenAI's."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def native_message(
    message: ChatMessage, before: Sequence[ChatMessage], safe: Callable[[str], str]
) -> TemplateMessage:
    """Return a message with its calls and thinking apart, as templates with tools take them."""
    found: TemplateMessage = {"role": message.role, "content": safe(message.content)}
    if message.thinking:
        found["reasoning_content"] = safe(message.thinking)
    if message.calls:
        found["tool_calls"] = [_native_call(call, safe) for call in message.calls]
    if message.role == "tool":
        found["tool_call_id"] = message.call_id
        found["name"] = name_of_call(message.call_id, before)
    return found


def name_of_call(call_id: str, before: Sequence[ChatMessage]) -> str:
    """Return the tool that a call asked for; empty when no earlier message holds the call."""
    calls = (call for message in reversed(before) for call in message.calls)
    return next((call.name for call in calls if call.id == call_id), "")


def _native_call(call: CallPart, safe: Callable[[str], str]) -> dict[str, object]:
    function = {"name": call.name, "arguments": RawArguments(safe(call.arguments))}
    return {"type": "function", "id": call.id, "function": function}
