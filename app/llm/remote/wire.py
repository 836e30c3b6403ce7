"""Our messages as the chat-completions protocol writes them, and its chunks as our items. Pure.

Source: the OpenAI API reference ("Chat Completions", "Streaming"), and what compatible servers send
in its stead: reasoning in `reasoning_content` or `reasoning`, null or missing fields, calls without index.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.llm.chat import CallDelta, ChatDelta, ChatItem, ChatMessage, ThinkingChunk, ToolSpec


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

    def hearing(self, name: str) -> Dialect:
        """Return the dialect once the server has sent thinking under that name: it goes back under it."""
        return dataclasses.replace(self, thinking_field=name) if self.thinking_field else self

    def after(self, refusal: str) -> Dialect | None:
        """Return the dialect to try after a refused request; None when the refusal is about nothing here."""
        if re.search(r"reasoning(?:_content)?\b", refusal):
            wanted = re.search(r"\bmust\b|missing|required", refusal, re.IGNORECASE)
            if wanted and not self.thinking_always:
                name = self.thinking_field or "reasoning_content"
                return dataclasses.replace(self, thinking_field=name, thinking_always=True)
            return (
                dataclasses.replace(self, thinking_field="") if self.thinking_field and not wanted else None
            )
        if "stream_options" in refusal and self.usage:
            return dataclasses.replace(self, usage=False)
        if "max_tokens" in refusal and self.limit == "max_tokens":
            return dataclasses.replace(self, limit="max_completion_tokens")
        if "temperature" in refusal and self.temperature:
            return dataclasses.replace(self, temperature=False)
        return None


def request_body(
    model: str,
    messages: Sequence[ChatMessage],
    *,
    dialect: Dialect,
    max_tokens: int,
    temperature: float,
    stop: Sequence[str],
    tools: Sequence[ToolSpec],
) -> dict[str, Any]:
    """Return the JSON body of a streamed request."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message, dialect) for message in messages],
        "stream": True,
        dialect.limit: max_tokens,
    }
    if dialect.temperature:
        body["temperature"] = temperature
    if dialect.usage:
        body["stream_options"] = {"include_usage": True}
    if stop:
        body["stop"] = list(stop)
    if tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in tools
        ]
    return body


@dataclass(slots=True)
class Chunk:
    """One chunk of a streamed reply; `error` is (code, message) when it carries a failure instead."""

    items: list[ChatItem] = field(default_factory=list)
    finish: str = ""
    usage: Usage | None = None
    thinking_field: str = ""
    error: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


def read_chunk(data: object) -> Chunk:
    """Return what a chunk holds; what is missing, null or of a wrong kind is nothing."""
    chunk = Chunk()
    if not isinstance(data, Mapping):
        return chunk
    if error := data.get("error"):
        chunk.error = error_of(error)
        return chunk
    chunk.usage = _usage(data.get("usage"))
    for choice in _mappings(data.get("choices"))[:1]:
        delta = _mapping(choice.get("delta"))
        for name in ("reasoning_content", "reasoning"):
            if text := _text(delta.get(name)):
                chunk.items.append(ThinkingChunk(text))
                chunk.thinking_field = name
                break
        if text := _text(delta.get("content")) or _text(delta.get("refusal")):
            chunk.items.append(ChatDelta(text))
        chunk.items.extend(_calls(delta))
        chunk.finish = _text(choice.get("finish_reason"))
    return chunk


def error_of(error: object) -> tuple[str, str]:
    """Return code and message of an `error` value, whatever its shape."""
    if not isinstance(error, Mapping):
        return "", str(error) if error else ""
    inner = error.get("error")
    if isinstance(inner, Mapping | str):
        return error_of(inner)
    code = error.get("code") or error.get("type") or ""
    return str(code), _text(error.get("message")) or _text(error.get("detail"))


@functools.lru_cache(maxsize=2048)
def portable_arguments(text: str) -> str:
    """Return the arguments of an earlier call as every server can read them: a strict JSON object.

    Some servers parse them in their templates and would refuse the conversation for ever because of one
    broken call. What is broken is sent as a string inside an object.
    """
    try:
        value = json.loads(text or "{}", strict=False)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return json.dumps({"unreadable_arguments": text})
    try:
        json.loads(text)
    except ValueError:
        return json.dumps(value)
    return text


def _message(message: ChatMessage, dialect: Dialect) -> dict[str, Any]:
    content = _sendable(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": content}
    sent: dict[str, Any] = {"role": message.role, "content": content}
    if dialect.thinking_field and (message.thinking or (message.calls and dialect.thinking_always)):
        sent[dialect.thinking_field] = _sendable(message.thinking)
    if message.calls:
        sent["content"] = content or None
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": _sendable(call.name),
                    "arguments": _sendable(portable_arguments(call.arguments)),
                },
            }
            for call in message.calls
        ]
    return sent


def _calls(delta: Mapping[str, object]) -> Iterator[CallDelta]:
    for call in _mappings(delta.get("tool_calls")):
        function = _mapping(call.get("function"))
        index = call.get("index")
        arguments = function.get("arguments")
        yield CallDelta(
            index if isinstance(index, int) and not isinstance(index, bool) else None,
            _text(call.get("id")),
            _text(function.get("name")),
            json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments),
        )


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    details = _mapping(value.get("prompt_tokens_details"))
    cached = details.get("cached_tokens") or value.get("prompt_cache_hit_tokens")
    return Usage(
        _number(value.get("prompt_tokens")), _number(value.get("completion_tokens")), _number(cached)
    )


def _sendable(text: str) -> str:
    """Return the text without lone surrogates, which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
