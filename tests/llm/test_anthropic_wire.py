from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatMessage, ThinkingChunk, ToolSpec
from app.llm.remote.anthropic_reply import MessagesReply
from app.llm.remote.anthropic_wire import MessagesDialect, messages_body
from tests.fakes.anthropic_server import FakeAnthropic
from tests.harness.strategies import damaged, histories
from tests.harness.streams import JSON_VALUES

WEIRD = ToolSpec("mcp server.tool!", "", {"anyOf": [{"type": "object"}], "$schema": "x", "properties": {}})


def body(messages: list[ChatMessage], tools: tuple[ToolSpec, ...] = (), *, cache: bool = False) -> dict:
    return messages_body(
        "claude-fake", messages, dialect=MessagesDialect(cache=cache), max_tokens=5, temperature=1.7,
        stop=[" ", "x"], tools=tools, thinking=False, lasting=True, signed=lambda _message: None,
    )  # fmt: skip


@given(histories())
def test_that_every_conversation_keeps_to_what_the_service_demands(history: list[ChatMessage]) -> None:
    """Bugs 1 and 4: turns, pairs, no empty text, tools named; every id and word of the calls arrives."""
    sent = json.loads(json.dumps(body(history, cache=True)))
    server = FakeAnthropic()
    heard = server.heard(sent)
    assert server._wrong(sent, heard) == ""
    calls = [(call.id, json.loads(call.arguments)) for m in heard for call in m.calls]
    assert calls == [(call.id, json.loads(call.arguments)) for m in history for call in m.calls]
    said = [m.content for m in history if m.role == "assistant" and m.content.strip()]
    assert [m.content for m in heard if m.role == "assistant" and m.content] == said
    assert server.marks[0] <= 4


@given(damaged(histories()))
def test_that_no_conversation_makes_it_fail(history: list[ChatMessage]) -> None:
    roles = [said["role"] for said in body(history)["messages"]]
    assert roles[::2] == ["user"] * len(roles[::2])
    assert roles[-1] == "user"


@given(histories(), st.integers(1, 40))
def test_that_a_longer_conversation_begins_with_the_shorter_one(history: list[ChatMessage], cut: int) -> None:
    """Bug 40: nothing sent earlier changes later, save that a turn may go on."""
    longer, shorter = body(history)["messages"], body(history[: cut + 1])["messages"]
    assert longer[: len(shorter) - 1] == shorter[:-1]
    last, same = shorter[-1]["content"], longer[min(len(shorter) - 1, len(longer) - 1)]["content"]
    assert same[: len(last)] == last or last[-1]["text"] in ("Go on.", "(nothing)")


@given(JSON_VALUES, JSON_VALUES)
def test_that_any_event_is_read_without_failing(value: object, other: object) -> None:
    """Bug 7: whatever a server sends in whatever place."""
    reply = MessagesReply()
    for event in (value, {"type": value}, {"type": "message_start", "message": value},
                  {"type": "content_block_start", "index": other, "content_block": value},
                  {"type": "content_block_start", "content_block": {"type": "tool_use", "name": value}},
                  {"type": "content_block_delta", "index": other, "delta": value},
                  {"type": "content_block_delta", "delta": {"partial_json": value, "text": value}},
                  {"type": "content_block_stop", "index": other}, {"type": "error", "error": value},
                  {"type": "message_delta", "delta": {"stop_reason": value}, "usage": value}):  # fmt: skip
        chunk = reply.read(event)
        assert all(isinstance(item, ChatDelta | ThinkingChunk | CallDelta) for item in chunk.items)
    reply.signed_layout()


def test_that_names_and_schemas_are_sent_as_the_service_takes_them() -> None:
    sent = body([ChatMessage("user", "hi")], (WEIRD,))
    assert sent["tools"] == [
        {"name": "mcp_server_tool_", "description": "",
         "input_schema": {"properties": {}, "type": "object"}}
    ]  # fmt: skip
    assert (sent["temperature"], sent["stop_sequences"]) == (1.0, ["x"])


@pytest.mark.parametrize("arguments", ['{"a": "\\ud835"}', '{"a": 1e999}', '{"a": NaN}', "[1]", '{"a', ""])
def test_that_no_arguments_of_the_past_stop_a_request(arguments: str) -> None:
    """Bug 11: half characters, numbers that JSON has not, half an object."""
    part = CallPart("call_1", "f.g", arguments)
    history = [ChatMessage("user", "\ud835"), ChatMessage("assistant", "", calls=(part,)),
               ChatMessage("tool", "\ud835", call_id="call_1")]  # fmt: skip
    sent = body(history)
    assert json.dumps(sent, ensure_ascii=False, allow_nan=False).encode("utf-8")
    block = sent["messages"][1]["content"][0]
    assert (block["name"], type(block["input"])) == ("f_g", dict)


def test_that_a_reply_of_two_thoughts_keeps_their_order() -> None:
    reply = MessagesReply()
    blocks = [
        {"type": "thinking", "thinking": "a", "signature": "1"}, {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "b"}, {"type": "tool_use", "id": "t", "name": "f", "input": {}},
    ]  # fmt: skip
    for index, block in enumerate(blocks):
        reply.read({"type": "content_block_start", "index": index, "content_block": block})
        reply.read({"type": "content_block_stop", "index": index})
    found = reply.signed_layout()
    assert found is not None
    message, layout = found
    assert (message.content, message.thinking, message.calls[0].arguments) == ("b", "a", "{}")
    assert [block["type"] for block in layout] == ["thinking", "redacted_thinking", "text", "tool_use"]
