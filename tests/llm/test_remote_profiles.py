"""What each compatible service is sent, and what its refusals teach."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.errors import ModelError
from app.llm.chat import ChatDelta, ChatEnd, ChatItem, ChatMessage, ChatOptions, ChatProgress, ThinkingChunk
from app.llm.remote import failures
from app.llm.remote.chunks import read_chunk
from app.llm.remote.dialect import Dialect
from app.llm.remote.openai_chat import OpenAIChatModel
from app.llm.remote.profiles import PROFILES, profile_of
from tests.fakes.openai_server import FakeOpenAI, Http, Raw
from tests.fakes.scripted_chat import Say

ASK = [ChatMessage("user", "Hello?")]


async def asked(server: FakeOpenAI, service: str, name: str = "fake", **options: Any) -> list[ChatItem]:
    model = OpenAIChatModel(
        name, base_url=server.url, api_key=lambda: "k", context_tokens=9, profile=PROFILES[service],
        attempts=1,
    )  # fmt: skip
    try:
        return [item async for item in model.stream(ASK, max_tokens=50, **options)]
    finally:
        await model.close()


@pytest.mark.parametrize(("name", "address", "found"), [
    ("", "", "openai"), ("qwen", "https://gateway.example.org", "qwen"), ("none", "", "openai"),
    ("", "https://api.deepseek.com", "deepseek"), ("", "https://api.moonshot.ai/v1", "moonshot"),
    ("", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen"),
    ("", "http://localhost:11434/v1", "ollama"), ("", "http://192.168.1.5:8000/v1", "vllm"),
    ("", "http://127.0.0.1:1234/v1", "lmstudio"), ("", "http://127.0.0.1:8080/v1", "llama_server"),
    ("", "https://evil-api.deepseek.com.example.org", "other"), ("", "https://example.org:8000/v1", "other"),
    ("", "http://[::1", "other"), ("", "http://localhost:99999", "other"),
])  # fmt: skip
def test_that_a_service_is_known_by_its_name_or_address(name: str, address: str, found: str) -> None:
    assert profile_of(name, address).name == found


@pytest.mark.parametrize(("service", "name", "on", "off"), [
    ("openai", "gpt-5.2", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ("openai", "gpt-4o", {}, {}),
    ("deepseek", "deepseek-chat", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    ("deepseek", "deepseek-reasoner", {}, {}),
    ("qwen", "qwen-plus", {"enable_thinking": True}, {"enable_thinking": False}),
    ("moonshot", "kimi-k2.5", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    ("ollama", "qwen3", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ("llama_server", "any", {"chat_template_kwargs": {"enable_thinking": True}},
     {"chat_template_kwargs": {"enable_thinking": False}}),
    ("lmstudio", "gpt-oss-20b", {"reasoning_effort": "medium"}, {"reasoning_effort": "low"}),
    ("other", "any", {}, {}),
])  # fmt: skip
async def test_that_thinking_is_asked_for_and_against(service: str, name: str, on: dict, off: dict) -> None:
    keys = {"thinking", "enable_thinking", "reasoning_effort", "chat_template_kwargs"}
    with FakeOpenAI() as server:
        await asked(server, service, name, options=ChatOptions(thinking=True))
        await asked(server, service, name)
    sent = [{key: value for key, value in request.items() if key in keys} for request in server.requests]
    assert sent == [on, off]
    limit = PROFILES[service].dialect.limit
    assert server.requests[0][limit] == 50 + 4096, "thinking does not eat up the answer"


async def test_that_a_refused_way_to_ask_for_thinking_is_followed_by_the_next() -> None:
    """Bug 5: what a model takes is the service's word."""
    refusals = [
        Http(400, "Unsupported value: 'reasoning_effort' does not support 'none' with this model."),
        Http(400, "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model."),
    ]
    with FakeOpenAI(refusals) as server:
        await asked(server, "openai", "o4")
    assert [r.get("reasoning_effort") for r in server.requests] == ["none", "minimal", "low"]


@pytest.mark.parametrize("service", sorted(PROFILES))
async def test_that_every_peculiar_key_is_given_up_when_it_is_refused(service: str) -> None:
    plain = {"model", "messages", "stream", "stream_options", "max_tokens", "temperature"}
    name = "gpt-oss" if service == "lmstudio" else "gpt-5" if service == "openai" else "fake"
    options = ChatOptions(session="s", thinking=True)
    with FakeOpenAI() as server:
        await asked(server, service, name, options=options)
        server.refuses = sorted(server.requests[0].keys() - plain - {"max_completion_tokens"})
        items = await asked(server, service, name, options=options)
    assert isinstance(items[-1], ChatEnd)
    assert server.requests[-1].keys() - plain <= {"max_completion_tokens"}


async def test_that_a_conversation_is_named_to_the_cache_and_not_by_its_own_name() -> None:
    with FakeOpenAI() as server:
        for session in ("a", "a", "b"):
            await asked(server, "openai", options=ChatOptions(session=session))
    keys = [request["prompt_cache_key"] for request in server.requests]
    assert keys[0] == keys[1] != keys[2]
    assert keys[0] != "a"


async def test_that_progress_with_the_prompt_is_shown_and_is_no_part_of_the_reply() -> None:
    """A failure after it is tried again: nothing of the reply was given."""
    raw = Raw(b'data: {"choices": [], "prompt_progress": {"total": 8, "processed": 2}}\n\n')
    with FakeOpenAI([[raw, Say("hi")]]) as server:
        items = await asked(server, "llama_server")
    assert items[:2] == [ChatProgress(0.25), ChatDelta("hi")]
    assert server.requests[0]["return_progress"] is True


@pytest.mark.parametrize(("service", "answer", "word"), [
    ("ollama", Http(404, "model 'x' not found"), "ollama pull"),
    ("ollama", Http(400, "registry.ollama.ai/library/x does not support tools"), "calls tools"),
    ("vllm", Http(400, '"auto" tool choice requires --enable-auto-tool-choice'), "--tool-call-parser"),
    ("llama_server", Http(500, "tools param requires --jinja flag"), "--jinja"),
    ("lmstudio", Http(404, body='{"error": "No models loaded. Please load a model"}'), "Load a model"),
])  # fmt: skip
async def test_that_the_way_out_is_that_of_the_service(service: str, answer: Http, word: str) -> None:
    with FakeOpenAI([answer]) as server, pytest.raises(ModelError) as caught:
        await asked(server, service)
    assert word in caught.value.hint


def test_that_counts_are_read_wherever_they_are() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "cached_tokens": 4}
    chunk = read_chunk({"choices": [{"delta": {}, "finish_reason": "stop", "usage": usage}]})
    assert chunk.usage is not None
    assert (chunk.usage.prompt, chunk.usage.completion, chunk.usage.cached) == (9, 2, 4)


def test_that_content_in_parts_is_read() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
    ]
    items = read_chunk({"choices": [{"delta": {"content": parts}}]}).items
    assert items == [ThinkingChunk("hm"), ChatDelta("a")]


@pytest.mark.parametrize("body", [
    {"object": "error", "message": "boom", "code": 400}, {"error": "boom"},
    {"error": {"message": "boom", "code": None}}, {"error": {"error": {"message": "boom"}}},
])  # fmt: skip
def test_that_errors_in_a_stream_are_heard_in_every_form(body: dict) -> None:
    error = read_chunk(body).error
    assert error is not None
    assert error[1] == "boom"


@pytest.mark.parametrize(("refusal", "limit"), [
    ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens", 4096),
    ("Range of max_tokens should be [1, 8192]", 8192),
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192),
    ("max_tokens: 9000 > 8192, which is the maximum allowed number", 8192),
])  # fmt: skip
def test_that_the_longest_reply_is_learned(refusal: str, limit: int) -> None:
    learned = Dialect().after(refusal)
    assert learned == Dialect(most_tokens=limit)
    assert learned.after(refusal) is None


@pytest.mark.parametrize(("status", "code", "message", "kind"), [
    (400, "", "Invalid model: x", failures.ModelMissingError),
    (400, "", "bad request", failures.ModelRequestError),
    (401, "", "", failures.ModelKeyError), (401, "", "token expired", failures.ModelKeyError),
    (402, "", "Insufficient Balance", failures.ModelQuotaError),
    (402, "", "Payment required", failures.ModelQuotaError),
    (403, "", "Country not supported", failures.ModelMissingError),
    (403, "", "forbidden", failures.ModelKeyError), (404, "", "", failures.ModelMissingError),
    (407, "", "", failures.ModelUnreachableError), (408, "", "", failures.ModelTimeoutError),
    (409, "", "", failures.ModelBusyError), (422, "", "bad field", failures.ModelRequestError),
    (425, "", "", failures.ModelBusyError), (429, "", "", failures.ModelBusyError),
    (429, "insufficient_quota", "", failures.ModelQuotaError), (500, "", "", failures.ModelServerError),
    (502, "", "", failures.ModelServerError), (503, "", "Loading model", failures.ModelBusyError),
    (504, "", "", failures.ModelServerError), (529, "", "", failures.ModelBusyError),
    (301, "", "", failures.ModelMissingError), (418, "", "", failures.ModelRequestError),
])  # fmt: skip
def test_that_every_status_is_an_error_with_a_way_out(
    status: int, code: str, message: str, kind: type[ModelError]
) -> None:
    error = failures.of_status(status, code, message, {})
    assert type(error) is kind
    assert error.message
    assert error.hint


async def test_that_two_requests_at_once_share_what_was_learned() -> None:
    """The dialect is the model's, not the request's: sub-agents ask at the same time."""
    with FakeOpenAI(refuses=["temperature", "stream_options"]) as server:
        model = OpenAIChatModel("m", base_url=server.url, api_key=lambda: "k", context_tokens=9)

        async def ask() -> ChatItem:
            return [item async for item in model.stream(ASK, max_tokens=5)][-1]

        ends = await asyncio.gather(*(ask() for _ in range(4)))
        before = len(server.requests)
        await ask()
        await model.close()
    assert all(isinstance(end, ChatEnd) for end in ends)
    assert len(server.requests) == before + 1
