"""The chunks of a chat-completions stream as our items. Pure.

Source: the OpenAI API reference ("Streaming"), and what compatible services send in its stead: reasoning
in `reasoning_content` or `reasoning`, null or missing fields, calls without index.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.llm.chat import CallDelta, ChatDelta, ChatItem, ChatProgress, ThinkingChunk


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
    if data.get("object") == "error":  # vLLM before its version 0.10
        chunk.error = error_of(data)
        return chunk
    chunk.usage = _usage(data.get("usage"))
    if progress := _progress(data.get("prompt_progress")):
        chunk.items.append(progress)
    for choice in mappings_in(data.get("choices"))[:1]:
        chunk.usage = chunk.usage or _usage(choice.get("usage"))  # Moonshot puts it here
        delta = mapping_in(choice.get("delta"))
        for name in ("reasoning_content", "reasoning"):
            if text := text_in(delta.get(name)):
                chunk.items.append(ThinkingChunk(text))
                chunk.thinking_field = name
                break
        if isinstance(parts := delta.get("content"), list):
            chunk.items.extend(_parts(parts))
        elif text := text_in(parts) or text_in(delta.get("refusal")):
            chunk.items.append(ChatDelta(text))
        chunk.items.extend(_calls(delta))
        chunk.finish = text_in(choice.get("finish_reason"))
    return chunk


def error_of(error: object) -> tuple[str, str]:
    """Return code and message of an `error` value, whatever its shape."""
    if not isinstance(error, Mapping):
        return "", str(error) if error else ""
    inner = error.get("error")
    if isinstance(inner, Mapping | str):
        return error_of(inner)
    code = error.get("code") or error.get("type") or ""
    return str(code), text_in(error.get("message")) or text_in(error.get("detail"))


def error_in(body: bytes) -> tuple[str, str]:
    """Return code and message of a body that is an error and no stream; empty where it is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "", ""
    found = mapping_in(value)
    return error_of(found) if "error" in found or found.get("object") == "error" else ("", "")


def _calls(delta: Mapping[str, object]) -> Iterator[CallDelta]:
    for call in mappings_in(delta.get("tool_calls")):
        function = mapping_in(call.get("function"))
        index = call.get("index")
        arguments = function.get("arguments")
        yield CallDelta(
            index if isinstance(index, int) and not isinstance(index, bool) else None,
            text_in(call.get("id")),
            text_in(function.get("name")),
            json.dumps(arguments) if isinstance(arguments, Mapping) else text_in(arguments),
        )


def _parts(parts: Sequence[object]) -> Iterator[ChatItem]:
    """Yield content that comes as a list of parts (Mistral): text, and thinking with parts of its own."""
    for part in mappings_in(list(parts)):
        if text := text_in(part.get("text")):
            yield ChatDelta(text)
        for inner in mappings_in(part.get("thinking")):
            if text := text_in(inner.get("text")):
                yield ThinkingChunk(text)


def _progress(value: object) -> ChatProgress | None:
    """Return how much of the prompt llama-server has read."""
    total, read = (number_in(mapping_in(value).get(key)) for key in ("total", "processed"))
    return ChatProgress(min(1.0, max(0.0, read / total))) if total > 0 else None


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    details = mapping_in(value.get("prompt_tokens_details"))
    cached = (
        details.get("cached_tokens") or value.get("prompt_cache_hit_tokens") or value.get("cached_tokens")
    )
    return Usage(
        number_in(value.get("prompt_tokens")), number_in(value.get("completion_tokens")), number_in(cached)
    )


def text_in(value: object) -> str:
    """Return the text, or "" where there is none."""
    return value if isinstance(value, str) else ""


def number_in(value: object) -> int:
    """Return the whole number, or 0 where there is none."""
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0


def mapping_in(value: object) -> Mapping[str, object]:
    """Return the object, or an empty one where there is none."""
    return value if isinstance(value, Mapping) else {}


def mappings_in(value: object) -> list[Mapping[str, object]]:
    """Return the objects in a list; none where there is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
