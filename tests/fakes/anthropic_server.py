"""The same scripts as `FakeOpenAI` plays, in Anthropic's Messages protocol; refuses what the real one does.

with FakeAnthropic([[Think("Hm."), Call("read_file", {"path": "a.txt"})]]) as server:
    model = AnthropicChatModel("claude-fake", base_url=server.url, …)
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatItem, ChatMessage, ThinkingChunk
from tests.fakes.openai_server import FakeOpenAI, Raw, Script, Unfinished
from tests.fakes.pairing import problem
from tests.fakes.scripted_chat import Call, Cut, End, Fail, Pause, Piece, Step, Wait, items_of

Event = dict[str, Any]
Shape = Callable[[list[Event]], list[Event]]
REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


@dataclass
class FakeAnthropic(FakeOpenAI):
    """Signs thinking, and wants it back with its signature wherever a chain of calls goes on.

    `shape` changes the events of a reply before they are sent. `marks` holds, for every request, how many
    places it asked to keep in the cache.
    """

    shape: Shape = field(default=list)
    needs_signed: bool = True
    marks: list[int] = field(default_factory=list)
    line_end: bytes = b"\n"
    cached: int = 0

    path: ClassVar[str] = "/v1/messages"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def heard(self, body: Mapping[str, Any]) -> list[ChatMessage]:
        self.marks.append(json.dumps(body).count('"cache_control"'))
        system = [ChatMessage("system", block["text"]) for block in body.get("system", ())]
        return [*system, *(ours for message in body["messages"] for ours in _ours(message))]

    def _wrong(self, body: dict[str, Any], messages: list[ChatMessage]) -> str:
        for name in self.refuses:
            if name in json.dumps(body):
                return f"{name}: Extra inputs are not permitted"
        tools = [tool["name"] for tool in body.get("tools", ())]
        if bad := [name for name in tools if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)]:
            return f"tools: invalid names {bad}"
        if any(message.calls for message in messages) and not tools:
            return "Requests which include `tool_use` or `tool_result` blocks must define tools"
        thinking = body.get("thinking", {})
        if thinking.get("type") == "enabled":
            if not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
                return "`max_tokens` must be greater than `thinking.budget_tokens`"
            if "temperature" in body:
                return "`temperature` may only be set to 1 when thinking is enabled"
        return _wrong_blocks(body["messages"], self.needs_signed and thinking) or problem(messages)

    async def _events(self, script: Script, body: dict[str, Any]) -> AsyncIterator[bytes | None]:
        events: list[Event] = []
        usage = {"input_tokens": len(json.dumps(body["messages"])) // 4, "output_tokens": 1}
        usage |= {"cache_read_input_tokens": self.cached, "cache_creation_input_tokens": 0}
        start = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage}
        events.append({"type": "message_start", "message": start})
        blocks = _Blocks(events)
        sent = 0
        reason = "stop"
        for step in script:
            blocks.take(step)
            if isinstance(step, Call | Piece):
                reason = "tool_calls"
            if isinstance(step, Pause | Wait | Raw | Fail | Cut | Unfinished):
                for event in self.shape(events[sent:]):
                    yield self._sent(event)
                sent = len(events)
                match step:
                    case Wait():
                        await step.over()
                    case Raw(data):
                        yield data
                    case Fail(error):
                        told = {"type": f"{error.code}_error", "message": error.message}
                        yield self._sent({"type": "error", "error": told})
                        return
                    case Cut():
                        yield None
                        return
                    case Unfinished():
                        return
            if isinstance(step, End):
                reason = step.reason
                break
        blocks.close()
        end = {"stop_reason": REASONS[reason], "stop_sequence": None}
        events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": len(events)}})
        events.append({"type": "message_stop"})
        for event in self.shape(events[sent:]):
            yield self._sent(event)

    def _sent(self, event: Event) -> bytes:
        if "comment" in event:
            return f": {event['comment']}".encode() + self.line_end * 2
        data = json.dumps(event, ensure_ascii=False).encode("utf-8", "replace")
        return f"event: {event['type']}".encode() + self.line_end + b"data: " + data + self.line_end * 2


class _Blocks:
    """Writes steps as blocks that open, grow and close."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events
        self._index = -1
        self._open = ""
        self._calls = 0

    def take(self, step: Step | Raw | Unfinished) -> None:
        if isinstance(step, Raw | Unfinished):
            return
        for item in items_of(step, self._calls):
            self._item(item)
        self._calls += isinstance(step, Call)

    def close(self) -> None:
        if self._open.startswith("thinking"):
            self._grow({"type": "signature_delta", "signature": f"signed-{self._index}"})
        if self._open:
            self._events.append({"type": "content_block_stop", "index": self._index})
        self._open = ""

    def _item(self, item: ChatItem) -> None:
        match item:
            case ChatDelta(text):
                self._begin("text", {"type": "text", "text": ""})
                self._grow({"type": "text_delta", "text": text})
            case ThinkingChunk(text):
                self._begin("thinking", {"type": "thinking", "thinking": "", "signature": ""})
                self._grow({"type": "thinking_delta", "thinking": text})
            case CallDelta():
                if item.name:
                    self.close()
                    block = {"type": "tool_use", "id": item.id or "toolu_0", "name": item.name, "input": {}}
                    self._begin(f"call {item.index}", block)
                self._grow({"type": "input_json_delta", "partial_json": item.arguments})

    def _begin(self, kind: str, block: Event) -> None:
        if self._open == kind:
            return
        self.close()
        self._open, self._index = kind, self._index + 1
        event = {"type": "content_block_start", "index": self._index, "content_block": block}
        self._events.append(event)

    def _grow(self, delta: Event) -> None:
        self._events.append({"type": "content_block_delta", "index": self._index, "delta": delta})


def _ours(message: Mapping[str, Any]) -> list[ChatMessage]:
    blocks = message["content"]
    if message["role"] == "user":
        return [
            ChatMessage("tool", block.get("content", ""), call_id=block["tool_use_id"])
            if block["type"] == "tool_result"
            else ChatMessage("user", block["text"])
            for block in blocks
        ]
    calls = tuple(
        CallPart(block["id"], block["name"], json.dumps(block["input"], ensure_ascii=False))
        for block in blocks
        if block["type"] == "tool_use"
    )
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    thinking = "".join(block.get("thinking", "") for block in blocks)
    return [ChatMessage("assistant", text, thinking=thinking, calls=calls)]


def _wrong_blocks(messages: Sequence[Mapping[str, Any]], thinking: Mapping[str, Any] | bool) -> str:
    """Return what is wrong with turns, blocks and thinking."""
    roles = [message["role"] for message in messages]
    if not roles or roles[0] != "user" or any(a == b for a, b in itertools.pairwise(roles)):
        return f"messages: roles must alternate and begin with user: {roles}"
    for message in messages:
        if not message["content"]:
            return "messages: content must not be empty"
        kinds = [block["type"] for block in message["content"]]
        if "tool_result" in kinds[kinds.count("tool_result") :]:
            return f"messages: tool_result must come first: {kinds}"
        for block in message["content"]:
            if block["type"] == "text" and not block["text"].strip():
                return "messages: text content blocks must be non-empty"
            if block["type"] == "thinking" and not block["signature"].startswith("signed-"):
                return "messages: Invalid `signature` in `thinking` block"
            if "cache_control" in block and "thinking" in block["type"]:
                return "cache_control: not on thinking blocks"
    last = next((message for message in reversed(messages) if message["role"] == "assistant"), None)
    goes_on = any(block["type"] == "tool_result" for block in messages[-1]["content"])
    if isinstance(thinking, Mapping) and thinking.get("type") == "enabled" and goes_on and last:
        first = last["content"][0]["type"]
        if first not in ("thinking", "redacted_thinking"):
            return f"messages: Expected `thinking` or `redacted_thinking`, but found `{first}`"
    return ""
