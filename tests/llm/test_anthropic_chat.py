"""The Anthropic provider against a real HTTP server on this machine that refuses what the real one does."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence

import pytest

from app.errors import AppError, ModelError
from app.llm.assemble import Finished, StreamAssembler
from app.llm.call_ids import new_call_id
from app.llm.chat import (
    CallDelta,
    CallPart,
    ChatDelta,
    ChatEnd,
    ChatItem,
    ChatMessage,
    ChatOptions,
    ChatProgress,
    ContextOverflowError,
    ThinkingChunk,
    ToolSpec,
    Use,
)
from app.llm.remote import failures
from app.llm.remote.anthropic_chat import AnthropicChatModel
from tests.fakes.anthropic_server import FakeAnthropic
from tests.fakes.openai_server import Http, Raw, Script, Unfinished
from tests.fakes.scripted_chat import Call, Cut, End, Fail, Say, Think, Wait

ASK = [ChatMessage("system", "Be brief."), ChatMessage("user", "What is in a.txt?")]
READ = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
OLD = "claude-sonnet-4-5"
"""A model that is given a budget for thinking."""


def model_at(server: FakeAnthropic, name: str = "claude-fake", **options: object) -> AnthropicChatModel:
    settings = {
        "base_url": server.url,
        "api_key": lambda: "sk-ant-secret",
        "context_tokens": 32_768,
        **options,
    }
    return AnthropicChatModel(name, **settings)  # type: ignore[arg-type]


async def one(
    model: AnthropicChatModel, messages: Sequence[ChatMessage] = ASK, **options: object
) -> list[ChatItem]:
    return [item async for item in model.stream(messages, max_tokens=100, **options)]  # type: ignore[arg-type]


async def asked(
    model: AnthropicChatModel, messages: Sequence[ChatMessage] = ASK, **options: object
) -> list[ChatItem]:
    try:
        return await one(model, messages, **options)
    finally:
        await model.close()


def text_of(items: Sequence[ChatItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, ChatDelta))


def finished(items: Sequence[ChatItem]) -> Finished:
    assembler = StreamAssembler()
    for item in items:
        if isinstance(item, CallDelta):
            assembler.feed(item)
    end = items[-1]
    return assembler.finish(end.reason if isinstance(end, ChatEnd) else None)


def answered(items: Sequence[ChatItem]) -> list[ChatMessage]:
    """Return the conversation after the reply and the results of its calls."""
    calls = finished(items).calls
    thinking = "".join(item.text for item in items if isinstance(item, ThinkingChunk))
    return [
        *ASK,
        ChatMessage("assistant", text_of(items), thinking=thinking, calls=calls),
        *[ChatMessage("tool", "its text", call_id=call.id) for call in calls],
    ]


async def test_that_text_thinking_calls_and_usage_come_as_items() -> None:
    script: Script = [Think("Let me look."), Say("I read it.", 2), Call("read_file", {"path": "a.txt"})]
    with FakeAnthropic([script], cached=40) as server:
        items = await asked(model_at(server), tools=[READ])
    assert items[0] == ThinkingChunk("Let me look.")
    assert text_of(items) == "I read it."
    assert [(call.name, call.arguments) for call in finished(items).calls] == [
        ("read_file", '{"path": "a.txt"}')
    ]
    end = items[-1]
    assert isinstance(end, ChatEnd)
    assert (end.reason, end.cached_tokens) == ("tool_calls", 40)
    assert end.prompt_tokens > 40, "what came from the cache was read, too"
    assert end.completion_tokens > 0
    assert server.requests[0]["system"][0]["text"] == "Be brief."
    assert server.headers[0]["authorization"] == "Bearer sk-ant-secret"


async def test_that_a_conversation_with_calls_is_accepted_back_under_our_ids() -> None:
    """Bug 4: the service called both calls `call_0`; what goes back is ours, unique and paired."""
    calls = [Call("read_file", {"path": "a"}, id="call_0"), Call("read_file", {"path": "b"}, id="call_0")]
    with FakeAnthropic([calls, [Say("Both.")]]) as server:
        model = model_at(server)
        first = await one(model, tools=[READ])
        assert text_of(await asked(model, answered(first), tools=[READ])) == "Both."
    said = server.requests[1]["messages"]
    ids = [block["id"] for block in said[1]["content"] if block["type"] == "tool_use"]
    assert ids == [block["tool_use_id"] for block in said[2]["content"]]
    assert len(set(ids)) == 2
    assert "call_0" not in ids


@pytest.mark.parametrize("name", [OLD, "claude-opus-4-1-20250805", "claude-opus-5", "claude-fake"])
async def test_that_signed_thinking_goes_back_as_it_came_in_a_chain_of_calls(name: str) -> None:
    """Bug 5: with its signature, in its order, under models that want a budget and such that do not."""
    steps: Script = [Think("Hm 想."), Say("One moment."), Call("read_file", {"path": "a"})]
    with FakeAnthropic([steps, [Think("So."), Say("It says x.")]]) as server:
        model = model_at(server, name, thinking=True)
        first = await one(model, tools=[READ])
        assert text_of(await asked(model, answered(first), tools=[READ])) == "It says x."
    back = server.requests[1]["messages"][1]["content"]
    assert [block["type"] for block in back] == ["thinking", "text", "tool_use"]
    assert back[0] == {"type": "thinking", "thinking": "Hm 想.", "signature": "signed-0"}
    assert all("temperature" not in request for request in server.requests)
    assert server.requests[1]["thinking"]["type"] == ("enabled" if "4-" in name else "adaptive")


async def test_that_a_chain_of_calls_whose_thinking_was_lost_goes_on_without() -> None:
    """Bug 5: after a restart the signatures are gone; the service would refuse the rest for ever."""
    part = CallPart(new_call_id(), "read_file", "{}")
    lost = [
        *ASK,
        ChatMessage("assistant", "", thinking="Hm.", calls=(part,)),
        ChatMessage("tool", "x", call_id=part.id),
    ]
    with FakeAnthropic() as server:
        model = model_at(server, OLD, thinking=True)
        assert text_of(await one(model, lost, tools=[READ])) == "done."
        assert text_of(await one(model, [*lost, ChatMessage("user", "And?")], tools=[READ])) == "done."
        later = [*lost, ChatMessage("assistant", "x."), ChatMessage("user", "And?")]
        assert text_of(await asked(model, later, tools=[READ])) == "done."
    assert ["thinking" in request for request in server.requests] == [False, False, True]


@pytest.mark.parametrize(("name", "on", "off"), [
    (OLD, {"type": "enabled", "budget_tokens": 8192}, None),
    ("claude-opus-5", {"type": "adaptive", "display": "summarized"}, {"type": "disabled"}),
])  # fmt: skip
async def test_that_thinking_is_asked_for_and_against(name: str, on: dict, off: dict | None) -> None:
    with FakeAnthropic() as server:
        model = model_at(server, name)
        await one(model, options=ChatOptions(thinking=True))
        await one(model)
        await asked(model, options=ChatOptions(thinking=False))
    assert [request.get("thinking") for request in server.requests] == [on, off, off]
    assert server.requests[0]["max_tokens"] == 100 + 8192, "thinking does not eat up the answer"
    assert server.requests[1]["max_tokens"] == 100


async def test_that_what_the_service_refuses_is_said_differently_and_remembered() -> None:
    """Bug 5: a way to ask for thinking, the cache, the temperature as far as the model takes them."""
    with FakeAnthropic(refuses=["cache_control", "adaptive", "temperature"]) as server:
        model = model_at(server, thinking=True)
        for _ in range(2):
            assert text_of(await one(model, tools=[READ])) == "done."
        await one(model, options=ChatOptions(thinking=False))
        await asked(model, options=ChatOptions(thinking=False))
    assert len(server.requests) == 4 + 1 + 2 + 1
    assert server.requests[-1].keys() == {"model", "messages", "stream", "max_tokens", "system"}


async def test_that_a_reply_longer_than_the_model_may_write_is_asked_for_shorter() -> None:
    refusal = "max_tokens: 8292 > 4096, which is the maximum allowed number of output tokens for claude-x"
    with FakeAnthropic([Http(400, refusal)]) as server:
        assert text_of(await asked(model_at(server, OLD, thinking=True))) == "done."
    assert [request["max_tokens"] for request in server.requests] == [8292, 4096]
    assert server.requests[1]["thinking"]["budget_tokens"] == 4095


async def test_that_the_prompt_is_kept_in_the_cache_up_to_its_end() -> None:
    """Bug 40: tools, system prompt, this request and the one before; a title leaves nothing behind."""
    part = CallPart(new_call_id(), "read_file", "{}")
    longer = [*ASK, ChatMessage("assistant", "", calls=(part,)), ChatMessage("tool", "x", call_id=part.id)]
    with FakeAnthropic() as server:
        model = model_at(server)
        await one(model, longer, tools=[READ])
        await asked(model, options=ChatOptions(Use.TITLE))
    assert server.marks == [4, 1]
    request = server.requests[0]
    assert "cache_control" in request["tools"][-1]
    assert "cache_control" in request["system"][-1]
    assert "cache_control" in request["messages"][-1]["content"][-1]


async def test_that_the_last_words_after_calls_are_asked_for_without_tools() -> None:
    """The service refuses calls of the past where no tool is named."""
    part = CallPart(new_call_id(), "read_file", "{}")
    history = [*ASK, ChatMessage("assistant", "", calls=(part,)), ChatMessage("tool", "", call_id=part.id)]
    with FakeAnthropic() as server:
        assert text_of(await asked(model_at(server), history)) == "done."
    assert server.requests[0]["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("script", [
    [Say("half"), Cut()],
    [Say("half"), Unfinished()],
    [Say("half"), Fail(AppError("Overloaded", code="overloaded"))],
    [Say("half"), Raw(b"event: content_block_delta\ndata: {broken\n\n")],
    [Say("half"), Raw(b"event: content_block_delta\ndata: " + b"[" * 200_000 + b"\n\n")],
    [Say("half"), Raw(b"event: content_block_delta\ndata: \xff\xfe\n\n")],
])  # fmt: skip
async def test_that_a_reply_broken_off_has_no_end_and_is_not_asked_for_again(script: list) -> None:
    """Bug 9: whatever breaks it, nothing of it is repeated."""
    with FakeAnthropic([script, [Say("again")]]) as server:
        items = await asked(model_at(server))
    assert text_of(items) == "half"
    assert not any(isinstance(item, ChatEnd) for item in items)
    assert len(server.requests) == 1


@pytest.mark.parametrize("failure", [
    Http(500, "api_error"), Http(529, "Overloaded", "overloaded_error"), [Cut()], [Unfinished()],
    Http(429, headers={"retry-after": "0"}), [Fail(AppError("Overloaded", code="overloaded"))],
])  # fmt: skip
async def test_that_a_failure_before_the_reply_is_tried_again_and_counted_down(failure: Http | list) -> None:
    """Bug 9: an attempt of which nothing was given is thrown away whole."""
    with FakeAnthropic([failure, [Say("At last.")]]) as server:
        items = await asked(model_at(server))
    assert text_of(items) == "At last."
    told = [item for item in items if isinstance(item, ChatProgress)]
    assert len(told) == 1
    assert told[0].wait_s is not None
    assert len(server.requests) == 2


@pytest.mark.parametrize(("answer", "kind"), [
    (Http(401, "invalid x-api-key sk-ant-secret", "authentication_error"), failures.ModelKeyError),
    (Http(403, "Your key has expired", "permission_error"), failures.ModelKeyError),
    (Http(404, "model: claude-none", "not_found_error"), failures.ModelMissingError),
    (Http(400, "Your credit balance is too low to access the API."), failures.ModelQuotaError),
    (Http(429, headers={"retry-after": "3600"}), failures.ModelBusyError),
    (Http(400, "tools.0: bad"), failures.ModelRequestError),
    (Http(400, "prompt is too long: 210000 tokens > 200000 maximum"), ContextOverflowError),
    (
        Http(400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
        ContextOverflowError,
    ),
    (Http(413, "Request exceeds the maximum size", "request_too_large"), ContextOverflowError),
    (Http(200, body="<html>Welcome</html>"), failures.ModelMissingError),
])  # fmt: skip
async def test_that_what_cannot_pass_is_a_typed_error_at_once(answer: Http, kind: type[ModelError]) -> None:
    with FakeAnthropic([answer]) as server, pytest.raises(kind) as caught:
        await asked(model_at(server, attempts=1 if answer.status == 200 else 4))
    assert type(caught.value) is kind
    assert caught.value.hint
    assert "sk-ant-secret" not in caught.value.message
    assert len(server.requests) == 1


async def test_that_withheld_content_is_an_error_and_a_length_limit_is_an_end() -> None:
    refusal = {"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {"output_tokens": 1}}
    raw = Raw(b"event: message_delta\ndata: " + json.dumps(refusal).encode() + b"\n\n")
    with FakeAnthropic([[Say("long"), End("length")], [Say("no"), raw]]) as server:
        model = model_at(server)
        last = (await one(model))[-1]
        assert isinstance(last, ChatEnd)
        assert last.reason == "length"
        with pytest.raises(failures.ModelRefusedError):
            await asked(model)


async def test_that_a_call_cut_by_the_length_limit_is_not_a_call() -> None:
    """Bug 11: half of the arguments must never run."""
    with FakeAnthropic([[Call("read_file", '{"path": "a'), End("length")]]) as server:
        found = finished(await asked(model_at(server), tools=[READ]))
    assert found.calls == ()
    assert [cut.reason for cut in found.cut] == ["unclosed"]


async def test_that_closing_the_stream_hangs_up() -> None:
    """Bug 16: a stopped turn does not leave the model writing."""
    waiting, never = threading.Event(), threading.Event()
    with FakeAnthropic([[Say("a"), Wait(never, waiting)]]) as server:
        model = model_at(server)
        stream = model.stream(ASK, max_tokens=9)
        assert await anext(stream) == ChatDelta("a")
        await stream.aclose()
        assert text_of(await asked(model)) == "done."
        never.set()


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
async def test_that_the_address_is_taken_with_and_without_its_end(ending: str) -> None:
    with FakeAnthropic() as server:
        assert text_of(await asked(model_at(server, base_url=server.url + ending))) == "done."


async def test_that_no_request_is_made_without_a_key() -> None:
    model = AnthropicChatModel("claude-fake", api_key=str, context_tokens=9)
    with pytest.raises(failures.ModelKeyError):
        await asked(model)


async def test_that_the_environment_cannot_send_the_conversation_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-another")
    with FakeAnthropic() as server:
        assert text_of(await asked(model_at(server))) == "done."
    assert server.headers[0]["authorization"] == "Bearer sk-ant-secret"
