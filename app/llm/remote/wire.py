"""Our messages as the chat-completions protocol writes them. Pure.

Source: the OpenAI API reference ("Chat Completions").
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.llm.chat import ChatMessage, ToolSpec
from app.llm.remote.dialect import Dialect

_TOP_REFUSED = ("anyOf", "oneOf", "allOf", "not", "enum", "$schema")
_NAME = re.compile(r"[^a-zA-Z0-9_-]")

DEEPEST = 100
"""Levels of arguments that are sent back. How many can be written depends on how deep the writer stands
itself, so what can only just be read here would make the request fail later, and with it every other.
"""


def request_body(
    model: str,
    messages: Sequence[ChatMessage],
    *,
    dialect: Dialect,
    max_tokens: int,
    temperature: float,
    stop: Sequence[str],
    tools: Sequence[ToolSpec],
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the JSON body of a streamed request; `more` is what is peculiar to the service."""
    limit = min(max_tokens, dialect.most_tokens or max_tokens)
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message, dialect) for message in messages],
        "stream": True,
        dialect.limit: limit,
        **{key: value for key, value in (more or {}).items() if key not in dialect.dropped},
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
                    "name": portable_name(tool.name),
                    "description": tool.description,
                    "parameters": portable_schema(tool.parameters),
                },
            }
            for tool in tools
        ]
    return body


@functools.lru_cache(maxsize=2048)
def portable_arguments(text: str) -> str:
    """Return the arguments of an earlier call as every server can read them: a strict JSON object.

    Some servers parse them in their templates and would refuse the conversation for ever because of one
    broken call. What is broken is sent as a string inside an object.
    """
    try:
        value = json.loads(text or "{}", strict=False)
        json.dumps(value, allow_nan=False)
        value = None if _nested_too_deeply(value) else value
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return json.dumps({"unreadable_arguments": text})
    try:
        json.loads(text)
    except ValueError:
        return json.dumps(value)
    return text


def _nested_too_deeply(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def portable_name(name: str) -> str:
    """Return the name of a call as every service takes it: a model may have called what is no name at all."""
    return _NAME.sub("_", name)[:64] or "unknown"


def portable_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an object as every service takes it: nothing but properties at its top."""
    kept = {key: value for key, value in schema.items() if key not in _TOP_REFUSED}
    if kept.get("type") == "object" and len(kept) == len(schema):
        return schema
    return {**kept, "type": "object"}


def _message(message: ChatMessage, dialect: Dialect) -> dict[str, Any]:
    content = sendable(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": content}
    sent: dict[str, Any] = {"role": message.role, "content": content}
    if dialect.thinking_field and (message.thinking or (message.calls and dialect.thinking_always)):
        sent[dialect.thinking_field] = sendable(message.thinking)
    if message.calls:
        sent["content"] = content or None
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": portable_name(call.name),
                    "arguments": sendable(portable_arguments(call.arguments)),
                },
            }
            for call in message.calls
        ]
    return sent


def sendable(text: str) -> str:
    """Return the text without lone surrogates, which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
