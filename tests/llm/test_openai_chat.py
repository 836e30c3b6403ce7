"""The provider against a real HTTP server on this machine."""

from __future__ import annotations

import asyncio
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
    ChatProgress,
    ContextOverflowError,
    ThinkingChunk,
    ToolSpec,
)
from app.llm.remote import failures
from app.llm.remote.openai_chat import OpenAIChatModel
from tests.fakes.openai_server import FakeOpenAI, Http, Raw, Script, Unfinished
from tests.fakes.scripted_chat import Call, Cut, End, Fail, Pause, Piece, Say, Think, Wait

ASK = [ChatMessage("system", "Be brief."), ChatMessage("user", "What is in a.txt?")]
READ = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
SPLITTERS = "一\u2028二\u0085三\x0b四\x1c五🔭\u2029六"


def model_at(server: FakeOpenAI, **options: object) -> OpenAIChatModel:
    settings = {"base_url": server.url, "api_key": lambda: "sk-secret", "context_tokens": 32_768, **options}
    return OpenAIChatModel("fake", **settings)  # type: ignore[arg-type]


async def asked(
    model: OpenAIChatModel, messages: Sequence[ChatMessage] = ASK, tools: Sequence[ToolSpec] = ()
) -> list[ChatItem]:
    try:
        return [item async for item in model.stream(messages, max_tokens=100, tools=tools)]
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


async def test_that_text_thinking_calls_and_usage_come_as_items() -> None:
    script: Script = [Think("Let me look."), Say("I read it.", 2), Call("read_file", {"path": "a.txt"})]
    with FakeOpenAI([script]) as server:
        items = await asked(model_at(server), tools=[READ])
    assert items[0] == ThinkingChunk("Let me look.")
    assert text_of(items) == "I read it."
    assert [(call.name, call.arguments) for call in finished(items).calls] == [
        ("read_file", '{"path": "a.txt"}')
    ]
    end = items[-1]
    assert isinstance(end, ChatEnd)
    assert (end.reason, end.completion_tokens > 0, end.prompt_tokens > 0) == ("tool_calls", True, True)
    request = server.requests[0]
    assert request["tools"][0]["function"]["name"] == "read_file"
    assert request["max_tokens"] == 100
    assert server.headers[0]["authorization"] == "Bearer sk-secret"


async def test_that_every_byte_alone_and_every_odd_line_end_leave_the_text_whole() -> None:
    """Bug 8: CJK byte by byte, with characters that careless code takes for line ends."""
    call = Call("save_note", {"quote": SPLITTERS})
    with FakeOpenAI([[Say(SPLITTERS, 3), call]], byte_by_byte=True) as server:
        items = await asked(model_at(server))
    assert text_of(items) == SPLITTERS
    assert json.loads(finished(items).calls[0].arguments) == {"quote": SPLITTERS}


async def test_that_comments_and_carriage_returns_in_the_stream_are_taken() -> None:
    """Bug 8: keep-alive comments, CR LF, fields without a space."""
    chunk = {"choices": [{"index": 0, "delta": {"content": "hi"}}]}
    raw = b": wait\r\n\r\n:\n\ndata:" + json.dumps(chunk).encode() + b"\r\n\r\n"
    with FakeOpenAI([[Raw(raw)]]) as server:
        assert text_of(await asked(model_at(server))) == "hi"


@pytest.mark.parametrize("pieces", [
    [CallDelta(None, name="read_file", arguments='{"path":'), CallDelta(None, arguments='"a"}')],
    [CallDelta(0, "call_0", "read_file", ""), CallDelta(0, "", "", '{"path":"a"}')],
    [CallDelta(1, "", "read_file", '{"path":"a"}'), CallDelta(1, "late", "", "")],
])  # fmt: skip
async def test_that_calls_of_every_shape_arrive(pieces: list[CallDelta]) -> None:
    """Bug 7: over the wire an absent index, id or name stays absent."""
    with FakeOpenAI([[Piece(piece) for piece in pieces]]) as server:
        items = await asked(model_at(server))
    assert [(call.name, call.arguments) for call in finished(items).calls] == [("read_file", '{"path":"a"}')]


async def test_that_a_conversation_with_calls_is_accepted_back_under_our_ids() -> None:
    """Bug 4: the service called both calls `call_0`; what goes back is ours, unique and paired."""
    calls = [Call("read_file", {"path": "a"}, id="call_0"), Call("read_file", {"path": "b"}, id="call_0")]
    with FakeOpenAI([calls, [Say("Both.")]]) as server:
        model = model_at(server)
        first = finished([item async for item in model.stream(ASK, max_tokens=9)])
        history = [
            *ASK,
            ChatMessage("assistant", "", calls=first.calls),
            *[ChatMessage("tool", "text", call_id=call.id) for call in first.calls],
        ]
        assert text_of(await asked(model, history)) == "Both."
    sent = server.requests[1]["messages"]
    ids = [call["id"] for call in sent[2]["tool_calls"]]
    assert ids == [message["tool_call_id"] for message in sent[3:]]
    assert len(set(ids)) == 2
    assert "call_0" not in ids


def thoughtful(thinking: str = "Hm.") -> list[ChatMessage]:
    part = CallPart(new_call_id(), "read_file", "{}")
    return [
        *ASK,
        ChatMessage("assistant", "", thinking=thinking, calls=(part,)),
        ChatMessage("tool", "x", call_id=part.id),
    ]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_that_thinking_goes_back_verbatim_under_the_name_it_came_with(name: str) -> None:
    """Bug 5: a service that refuses a conversation whose thinking is missing."""
    with FakeOpenAI([[Think("Hm."), Say("One.")]], thinking_field=name, needs_thinking=True) as server:
        model = model_at(server)
        first, *_rest = [item async for item in model.stream(ASK, max_tokens=9)]
        assert first == ThinkingChunk("Hm.")
        assert text_of(await asked(model, thoughtful())) == "done."
    assert server.requests[-1]["messages"][2][name] == "Hm."


async def test_that_thinking_another_model_did_not_have_is_sent_empty_where_it_is_demanded() -> None:
    """Bug 5: switching to a model with other rules in the middle of a conversation."""
    with FakeOpenAI(needs_thinking=True) as server:
        assert text_of(await asked(model_at(server), thoughtful(""))) == "done."
    assert [("reasoning_content" in r["messages"][2]) for r in server.requests] == [False, True]


async def test_that_what_a_service_refuses_is_said_differently_and_remembered() -> None:
    """Bug 5: thinking, token limit and usage as far as the service takes them."""
    refused = ["reasoning_content", "max_tokens", "stream_options", "temperature"]
    with FakeOpenAI(refuses=refused) as server:
        model = model_at(server)
        for _ in range(2):
            items = [item async for item in model.stream(thoughtful(), max_tokens=7)]
            assert text_of(items) == "done."
        await model.close()
    assert len(server.requests) == 6
    assert server.requests[-1]["max_completion_tokens"] == 7


async def test_that_broken_arguments_of_an_earlier_call_do_not_break_the_next_request() -> None:
    """Bug 11: some servers parse the arguments of the past."""
    part = CallPart(new_call_id(), "read_file", '{"path": "a')
    history = [
        *ASK,
        ChatMessage("assistant", "", calls=(part,)),
        ChatMessage("tool", "not JSON", call_id=part.id),
    ]
    with FakeOpenAI() as server:
        assert text_of(await asked(model_at(server), history)) == "done."
    sent = server.requests[0]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"unreadable_arguments": '{"path": "a'}


@pytest.mark.parametrize("script", [
    [Say("half"), Cut()],
    [Say("half"), Unfinished()],
    [Say("half"), Fail(AppError("overloaded", code="server_error"))],
    [Say("half"), Raw(b"data: {broken\n\n")],
    [Say("half"), Raw(b"data: " + b"[" * 200_000 + b"\n\n")],
    [Say("half"), Raw(b"data: \xff\xfe\n\n")],
])  # fmt: skip
async def test_that_a_reply_broken_off_has_no_end_and_is_not_asked_for_again(script: list) -> None:
    """Bug 9: whatever breaks it, nothing of it is repeated."""
    with FakeOpenAI([script, [Say("again")]]) as server:
        items = await asked(model_at(server))
    assert text_of(items) == "half"
    assert not any(isinstance(item, ChatEnd) for item in items)
    assert len(server.requests) == 1


@pytest.mark.parametrize("failure", [
    Http(500, "oops"), Http(503), Http(429, headers={"retry-after": "0"}), [Cut()], [Unfinished()],
    [Raw(b"data: {broken\n\n")], [Fail(AppError("overloaded"))],
])  # fmt: skip
async def test_that_a_failure_before_the_reply_is_tried_again_and_told(failure: Http | list) -> None:
    """Bug 9: an attempt of which nothing was given is thrown away whole."""
    with FakeOpenAI([failure, [Say("At last.")]]) as server:
        items = await asked(model_at(server))
    assert text_of(items) == "At last."
    told = [item for item in items if isinstance(item, ChatProgress)]
    assert len(told) == 1
    assert "Trying again in" in told[0].message
    assert len(server.requests) == 2


@pytest.mark.parametrize(("answer", "kind"), [
    (Http(401, "Incorrect API key provided: sk-secret."), failures.ModelKeyError),
    (Http(404, "The model `fake` does not exist"), failures.ModelMissingError),
    (Http(429, "You exceeded your current quota", "insufficient_quota"), failures.ModelQuotaError),
    (Http(429, headers={"retry-after": "3600"}), failures.ModelBusyError),
    (Http(400, "Bad tools"), failures.ModelRequestError),
    (Http(400, "This model's maximum context length is 8192 tokens"), ContextOverflowError),
    (Http(400, "", "context_length_exceeded"), ContextOverflowError),
    (Http(500, "the request exceeds the available context size"), ContextOverflowError),
    (Http(413), ContextOverflowError),
    (Http(200, body="<html>Welcome</html>"), failures.ModelMissingError),
    (Http(200, body='{"error": {"message": "maximum context length"}}'), ContextOverflowError),
    (Http(403, body="<html>Blocked by the firewall</html>"), failures.ModelKeyError),
])  # fmt: skip
async def test_that_what_cannot_pass_is_a_typed_error_at_once(answer: Http, kind: type[ModelError]) -> None:
    with FakeOpenAI([answer]) as server, pytest.raises(kind) as caught:
        await asked(model_at(server, attempts=1 if answer.status == 200 else 4))
    assert type(caught.value) is kind
    assert caught.value.hint
    assert "sk-secret" not in caught.value.message
    assert "<html" not in caught.value.message
    assert len(server.requests) == 1


async def test_that_no_attempt_is_made_for_ever() -> None:
    with FakeOpenAI([Http(500)] * 9) as server, pytest.raises(failures.ModelServerError):
        await asked(model_at(server, attempts=2))
    assert len(server.requests) == 2


async def test_that_a_server_that_is_not_there_is_named() -> None:
    with FakeOpenAI() as server:
        address = server.url
    address = address.replace("//", "//me:secret@")
    model = OpenAIChatModel("fake", base_url=address, api_key=str, context_tokens=1, attempts=1)
    with pytest.raises(failures.ModelUnreachableError, match=r"127\.0\.0\.1") as caught:
        await asked(model)
    assert "secret" not in str(caught.value)


async def test_that_a_far_service_without_a_key_is_not_asked() -> None:
    model = OpenAIChatModel("gpt", base_url="https://example.org/v1", api_key=str, context_tokens=1)
    with pytest.raises(failures.ModelKeyError):
        await asked(model)


@pytest.mark.parametrize("address", [
    "models", "ftp://127.0.0.1", "http://a b/v1", "http://exa%mple\x7f/v1",
    "http://127.0.0.1:99999/v1", "http://[::1/v1", "http://",
])  # fmt: skip
async def test_that_what_is_no_address_is_said_before_anything_is_sent(address: str) -> None:
    model = OpenAIChatModel("fake", base_url=address, api_key=lambda: "k", context_tokens=1)
    with pytest.raises(failures.ModelMissingError, match="not an address"):
        await asked(model)


@pytest.mark.parametrize("key", ["sk-é", "sk-a\nb", "two words"])
async def test_that_a_key_that_cannot_be_one_is_refused_and_not_shown(key: str) -> None:
    with FakeOpenAI() as server, pytest.raises(failures.ModelKeyError) as caught:
        await asked(model_at(server, api_key=lambda: key))
    assert key not in str(caught.value)
    assert server.requests == []


async def test_that_other_services_do_not_hear_of_an_account_with_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    with FakeOpenAI() as server:
        await asked(model_at(server))
    assert "secret" not in str({k: v for k, v in server.headers[0].items() if k != "authorization"})


async def test_that_white_space_around_a_key_is_no_part_of_it() -> None:
    with FakeOpenAI() as server:
        await asked(model_at(server, api_key=lambda: " sk-secret\n"))
    assert server.headers[0]["authorization"] == "Bearer sk-secret"


async def test_that_withheld_content_is_an_error_and_a_length_limit_is_an_end() -> None:
    refusal = {"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter"}]}
    raw = Raw(b"data: " + json.dumps(refusal).encode() + b"\n\n")
    with FakeOpenAI([[Say("long"), End("length")], [Say("no"), raw]]) as server:
        model = model_at(server)
        last = [item async for item in model.stream(ASK, max_tokens=3)][-1]
        assert isinstance(last, ChatEnd)
        assert last.reason == "length"
        with pytest.raises(failures.ModelRefusedError):
            await asked(model)


async def test_that_closing_the_stream_hangs_up() -> None:
    """Bug 16: a stopped turn does not leave the model writing."""
    waiting, never = threading.Event(), threading.Event()
    with FakeOpenAI([[Say("a"), Wait(never, waiting), *[Say("x" * 70_000)] * 200]]) as server:
        model = model_at(server)
        stream = model.stream(ASK, max_tokens=9)
        assert await anext(stream) == ChatDelta("a")
        await stream.aclose()
        await asyncio.to_thread(waiting.wait, 10)
        never.set()
        async with asyncio.timeout(30):
            while not server.dropped:  # noqa: ASYNC110  another thread's event
                await asyncio.sleep(0.01)
        await model.close()
    assert server.dropped == 1


async def test_that_a_cancelled_request_leaves_the_model_usable() -> None:
    with FakeOpenAI([[Pause(30)]]) as server:
        model = model_at(server)

        async def first() -> None:
            async for _ in model.stream(ASK, max_tokens=9):
                pass

        task = asyncio.create_task(first())
        async with asyncio.timeout(60):
            while not server.requests:  # noqa: ASYNC110  another thread's event
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert text_of(await asked(model)) == "done."


async def test_that_tokens_are_learned_from_what_the_service_reports() -> None:
    """Bug 20: the estimate follows the service's own count."""
    with FakeOpenAI([[Say("Hm.")]]) as server:
        model = model_at(server)
        before = await model.count_tokens("星系" * 50)
        await asked(model, [ChatMessage("user", "星系" * 500)])
        assert await model.count_tokens("星系" * 50) != before
    assert model.info.tools
    assert not model.info.exact_tokens
