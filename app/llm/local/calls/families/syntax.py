"""What a call syntax is: how tools are told, how a call looks in the history, and how it is read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from app.llm.call_ids import wire_id
from app.llm.chat import CallPart, ChatMessage, ToolSpec
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled
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

    id_length: ClassVar[int | None] = None
    """How long ids of calls must be; None for as they are."""

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

    @abstractmethod
    def written(self, message: ChatMessage) -> str:
        """Return a reply as the model wrote it: its text and its calls."""

    def result(self, name: str, content: str) -> str:
        """Return how a result is told where the template knows no role for it."""
        return f"Result of {name or 'the tool'}:\n{content}"

    def arranged(self, history: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """Return the history in an order that the template takes."""
        return history

    def variables(self, offer: Offer) -> dict[str, object]:
        """Return what the template is given besides the messages."""
        return {"tools": [described(tool) for tool in offer.tools]}


def described(tool: ToolSpec) -> dict[str, object]:
    """Return a tool in the form that templates expect, OpenAI's."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def safe_tool(tool: ToolSpec, safe: Callable[[str], str]) -> ToolSpec:
    """Return a tool whose texts hold no control words; its name is what the grammar holds calls to."""
    parameters = _safe_value(tool.parameters, safe)
    return ToolSpec(
        tool.name,
        safe(tool.description),
        parameters if isinstance(parameters, dict) else dict(tool.parameters),
    )


def _safe_value(value: object, safe: Callable[[str], str]) -> object:
    match value:
        case str():
            return safe(value)
        case Mapping():
            return {key: _safe_value(inner, safe) for key, inner in value.items()}
        case list() | tuple():
            return [_safe_value(inner, safe) for inner in value]
        case _:
            return value


def native_messages(
    history: Sequence[ChatMessage], safe: Callable[[str], str], id_length: int | None = None
) -> list[TemplateMessage]:
    """Return the history with calls, results and thinking apart, as templates with tools take it."""
    return [_native(message, history[:place], safe, id_length) for place, message in enumerate(history)]


def name_of_call(call_id: str, before: Sequence[ChatMessage]) -> str:
    """Return the tool that a call asked for; empty when no earlier message holds the call."""
    calls = (call for message in reversed(before) for call in message.calls)
    return next((call.name for call in calls if call.id == call_id), "")


def _native(
    message: ChatMessage, before: Sequence[ChatMessage], safe: Callable[[str], str], id_length: int | None
) -> TemplateMessage:
    found: TemplateMessage = {"role": message.role, "content": safe(message.content)}
    if message.thinking:
        found["reasoning_content"] = safe(message.thinking)
    if message.calls:
        found["tool_calls"] = [
            {
                "type": "function",
                "id": wire_id(call.id, id_length),
                "function": {"name": call.name, "arguments": RawArguments(safe(call.arguments))},
            }
            for call in message.calls
        ]
    if message.role == "tool":
        found["tool_call_id"] = wire_id(message.call_id, id_length)
        found["name"] = name_of_call(message.call_id, before)
    return found


def one_call_a_message(history: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the history with every call in a message of its own, its result behind it."""
    results = {message.call_id: message for message in history if message.role == "tool"}
    found: list[ChatMessage] = []
    for message in history:
        if len(message.calls) < 2:
            if message.role != "tool" or message.call_id in results:
                found.append(message)
                results.pop(message.call_id, None)
            continue
        for place, call in enumerate(message.calls):
            first = place == 0
            found.append(
                replace(
                    message,
                    content=message.content if first else "",
                    thinking=message.thinking if first else "",
                    calls=(call,),
                )
            )
            if result := results.pop(call.id, None):
                found.append(result)
    return found


def one_of_the_calls(build: GrammarBuilder, offer: Offer, head: Callable[[str], str]) -> str:
    """Return an expression for a call: what `head` says stands before a tool's arguments, then those."""
    options = (
        f"{literal(head(name))} {build.shape(offer.shapes[name], f'args-{place}')}"
        for place, name in enumerate(offer.callable, 1)
    )
    return f"({' | '.join(options)})"


def call_object(call: CallPart, name: str = "name", arguments: str = "arguments") -> str:
    """Return a call as the object a model wrote, its arguments untouched."""
    return f'{{"{name}": {spelled(call.name)}, "{arguments}": {call.arguments or "{}"}}}'
