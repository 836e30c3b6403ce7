from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatMessage, ThinkingChunk, ToolSpec
from app.llm.remote.chunks import read_chunk
from app.llm.remote.dialect import Dialect
from app.llm.remote.wire import DEEPEST, portable_arguments, request_body
from tests.fakes.openai_server import heard
from tests.fakes.pairing import problem
from tests.harness.strategies import histories
from tests.harness.streams import JSON_VALUES


def body(
    messages: list[ChatMessage], dialect: Dialect | None = None, tools: tuple[ToolSpec, ...] = ()
) -> dict:
    return request_body(
        "m", messages, dialect=dialect or Dialect(), max_tokens=5, temperature=0.5, stop=["x"], tools=tools
    )


@given(histories())
def test_that_a_conversation_arrives_as_it_was_sent(history: list[ChatMessage]) -> None:
    """Bug 4: ids, pairs, texts and thinking, byte for byte."""
    sent = json.loads(json.dumps(body(history)))
    assert heard(sent["messages"]) == history
    assert problem(heard(sent["messages"])) == ""


@given(histories(), st.integers(1, 40))
def test_that_a_longer_conversation_begins_with_the_shorter_one(history: list[ChatMessage], cut: int) -> None:
    """Bug 40: nothing sent earlier changes later."""
    longer, shorter = body(history)["messages"], body(history[:cut])["messages"]
    assert longer[: len(shorter)] == shorter


@given(JSON_VALUES)
def test_that_any_chunk_is_read_without_failing(value: object) -> None:
    """Bug 7: whatever a server sends in whatever place."""
    for data in (value, {"choices": value, "usage": value}, {"choices": [{"delta": value}]},
                 {"choices": [{"delta": {"content": value, "tool_calls": value, "reasoning": value}}]},
                 {"choices": [{"delta": {"tool_calls": [{"index": value, "id": value, "function": value}]}}]},
                 {"error": value}):  # fmt: skip
        chunk = read_chunk(data)
        assert all(isinstance(item, ChatDelta | ThinkingChunk | CallDelta) for item in chunk.items)


def test_that_null_and_empty_fields_are_absent() -> None:
    """Bug 7: null, "" and a missing field are one and the same."""
    call = {"index": None, "id": None, "function": {"name": None, "arguments": None}}
    delta = {"content": None, "reasoning_content": "", "tool_calls": [call]}
    assert read_chunk({"choices": [{"delta": delta, "finish_reason": None}]}).items == [CallDelta(None)]
    assert read_chunk({"choices": [{"delta": None}], "usage": None}).items == []


def test_that_arguments_sent_as_an_object_are_taken() -> None:
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    items = read_chunk({"choices": [{"delta": {"tool_calls": [call]}}]}).items
    assert items == [CallDelta(None, "", "f", '{"a": 1}')]


@pytest.mark.parametrize("usage", [
    {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4},
])  # fmt: skip
def test_that_cached_tokens_are_read(usage: dict) -> None:
    found = read_chunk({"choices": [], "usage": usage}).usage
    assert found is not None
    assert (found.prompt, found.completion, found.cached) == (9, 2, 4)


@given(st.text())
def test_that_earlier_arguments_are_always_a_strict_object(text: str) -> None:
    """Bug 11: one broken call must not make every later request fail."""
    assert isinstance(json.loads(portable_arguments(text)), dict)


def test_that_good_arguments_go_back_byte_for_byte() -> None:
    for text in ('{"a":  1}', '{ "b": "星"}', "{}"):
        assert portable_arguments(text) == text
    assert json.loads(portable_arguments('{"a": "x\ny"}')) == {"a": "x\ny"}
    assert portable_arguments("") == "{}"


@pytest.mark.parametrize("depth", [DEEPEST, 300, 900, *range(930, 1000), 100_000])
def test_that_arguments_without_end_do_not_stop_every_later_request(depth: int) -> None:
    """Bug 11: what can only just be read here cannot be written by whoever stands deeper."""
    sent = json.loads(portable_arguments('{"a":' + "[" * depth + "]" * depth + "}"))
    assert list(sent) == ["unreadable_arguments"]


def test_that_lone_surrogates_do_not_stop_a_request() -> None:
    parts = (CallPart("call_1", "f", '{"a": "\ud835"}'),)
    sent = body([ChatMessage("user", "\ud835"), ChatMessage("assistant", "", thinking="\ud835", calls=parts)])
    assert json.dumps(sent, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(("refusal", "dialect"), [
    ("Unsupported: 'max_tokens'. Use 'max_completion_tokens'.", Dialect(limit="max_completion_tokens")),
    ("stream_options is not permitted", Dialect(usage=False)),
    ("temperature does not support 0.2", Dialect(temperature=False)),
    ("unknown field reasoning_content", Dialect(thinking_field="")),
    ("reasoning_content must be passed back", Dialect(thinking_always=True)),
    ("tools are not supported", None),
])  # fmt: skip
def test_that_a_refusal_teaches_the_dialect(refusal: str, dialect: Dialect | None) -> None:
    """Bug 5: whether thinking is sent is the service's word, kept from then on."""
    assert Dialect().after(refusal) == dialect
    assert dialect is None or dialect.after(refusal) is None or "reasoning" in refusal


def test_that_a_refusal_about_the_same_thing_again_is_believed() -> None:
    dialect = Dialect(usage=False, temperature=False, limit="max_completion_tokens", thinking_field="")
    for refusal in ("stream_options", "temperature", "max_tokens", "unknown reasoning_content"):
        assert dialect.after(refusal) is None
    assert Dialect(thinking_always=True).after("reasoning_content must be passed") is None
