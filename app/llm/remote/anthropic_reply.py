"""One streamed reply of Anthropic's Messages protocol: blocks that open, grow and close."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatItem, ChatMessage, ThinkingChunk
from app.llm.remote.chunks import Chunk, Usage, error_of, mapping_in, number_in, text_in
from app.llm.remote.reply import Reply

_FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


@dataclass(slots=True)
class _Growing:
    """A block that is being written."""

    type: str
    text: list[str] = field(default_factory=list)
    signature: str = ""
    data: str = ""
    name: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    """Arguments that came with the beginning of a call."""
    closed: bool = False


@dataclass(slots=True)
class MessagesReply(Reply):
    """What has come of one reply, block by block."""

    counted: dict[str, int] = field(default_factory=dict)
    _blocks: dict[int, _Growing] = field(default_factory=dict)
    _current: int = -1

    def read(self, event: object) -> Chunk:
        """Return what an event holds; unknown ones, and what is of a wrong kind, are nothing."""
        chunk = Chunk()
        if not isinstance(event, Mapping):
            return chunk
        match event.get("type"):
            case "error":
                chunk.error = error_of(event.get("error"))
            case "message_start":
                self._count(mapping_in(event.get("message")).get("usage"))
            case "content_block_start":
                chunk.items = self._open(event.get("index"), mapping_in(event.get("content_block")))
            case "content_block_delta":
                chunk.items = self._grow(event.get("index"), mapping_in(event.get("delta")))
            case "content_block_stop":
                chunk.items = self._close(self._index(event.get("index")))
            case "message_delta":
                self._count(event.get("usage"))
                reason = text_in(mapping_in(event.get("delta")).get("stop_reason"))
                chunk.finish = _FINISHES.get(reason, "stop") if reason else ""
                if chunk.finish:
                    chunk.items = [item for index in self._blocks for item in self._close(index)]
        chunk.usage = self._usage()
        return chunk

    def signed_layout(self) -> tuple[ChatMessage, list[dict[str, Any]]] | None:
        """Return the reply as it will come back, and its blocks in their order; None without thinking."""
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        if not any(block.signature or block.data for block in blocks):
            return None
        calls = tuple(CallPart("", block.name, _arguments(block)) for block in blocks if _is_call(block))
        text = "".join("".join(block.text) for block in blocks if block.type == "text")
        thinking = "".join("".join(block.text) for block in blocks if block.type == "thinking")
        layout = [kept for block in blocks if (kept := _kept(block))]
        return ChatMessage("assistant", text, thinking=thinking, calls=calls), layout

    def _index(self, value: object) -> int:
        """Return the number of the block that is meant: some servers leave it out."""
        return value if isinstance(value, int) and not isinstance(value, bool) else self._current

    def _open(self, index: object, block: Mapping[str, object]) -> list[ChatItem]:
        number = self._index(index) if isinstance(index, int) else self._current + 1
        if number in self._blocks:  # the same number for all
            number = max(self._blocks) + 1
        self._current = number
        growing = self._blocks[number] = _Growing(
            text_in(block.get("type")),
            signature=text_in(block.get("signature")),
            data=text_in(block.get("data")),
            name=text_in(block.get("name")),
            given=mapping_in(block.get("input")),
        )
        if _is_call(growing):
            return [CallDelta(number, text_in(block.get("id")), growing.name)]
        return self._add(growing, text_in(block.get("text")) or text_in(block.get("thinking")))

    def _grow(self, index: object, delta: Mapping[str, object]) -> list[ChatItem]:
        number = self._index(index)
        block = self._blocks.get(number)
        if block is None or block.closed:
            number = self._current
            block = self._blocks.get(number)
        kind = text_in(delta.get("type"))
        if block is None:  # a beginning that was left out
            if not (text := text_in(delta.get("text")) or text_in(delta.get("thinking"))):
                return []
            self._current = 0
            block = self._blocks[0] = _Growing("thinking" if kind == "thinking_delta" else "text")
            return self._add(block, text)
        if kind == "signature_delta":
            block.signature += text_in(delta.get("signature"))
            return []
        if _is_call(block):
            text = text_in(delta.get("partial_json"))
            block.text.append(text)
            return [CallDelta(number, arguments=text)] if text else []
        return self._add(block, text_in(delta.get("text")) or text_in(delta.get("thinking")))

    def _close(self, index: int) -> list[ChatItem]:
        """Close a block: a call without a word of arguments has those it began with."""
        block = self._blocks.get(index)
        if block is None or block.closed:
            return []
        block.closed = True
        if _is_call(block) and not "".join(block.text).strip():
            return [CallDelta(index, arguments=_arguments(block))]
        return []

    @staticmethod
    def _add(block: _Growing, text: str) -> list[ChatItem]:
        if not text:
            return []
        block.text.append(text)
        if block.type == "thinking":
            return [ThinkingChunk(text)]
        return [ChatDelta(text)] if block.type == "text" else []

    def _count(self, usage: object) -> None:
        """Take counts; they are sums, and later ones stand for earlier ones unless they are missing."""
        for key, value in mapping_in(usage).items():
            if number := number_in(value):
                self.counted[key] = number

    def _usage(self) -> Usage | None:
        if not self.counted:
            return None
        cached = self.counted.get("cache_read_input_tokens", 0)
        written = self.counted.get("cache_creation_input_tokens", 0)
        prompt = self.counted.get("input_tokens", 0) + cached + written
        return Usage(prompt, self.counted.get("output_tokens", 0), cached)


def _is_call(block: _Growing) -> bool:
    return block.type == "tool_use"


def _arguments(block: _Growing) -> str:
    return "".join(block.text).strip() or json.dumps(dict(block.given), ensure_ascii=False)


def _kept(block: _Growing) -> dict[str, Any] | None:
    """Return a block as it goes back; calls are filled in then."""
    text = "".join(block.text)
    if block.type == "thinking" and block.signature:
        return {"type": "thinking", "thinking": text, "signature": block.signature}
    if block.type == "redacted_thinking" and block.data:
        return {"type": "redacted_thinking", "data": block.data}
    if block.type == "text" and text.strip():
        return {"type": "text", "text": text}
    return {"type": "tool_use"} if _is_call(block) else None
