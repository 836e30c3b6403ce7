"""The provider's patience, on a clock that jumps; the service is a transport in the same loop."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable

import httpx2
import pytest

from app.errors import ModelError
from app.llm.chat import ChatDelta, ChatEnd, ChatItem, ChatMessage, ChatProgress
from app.llm.remote import failures
from app.llm.remote.address import is_near
from app.llm.remote.anthropic_chat import AnthropicChatModel
from app.llm.remote.openai_chat import OpenAIChatModel
from app.llm.remote.reply import Timeouts
from app.llm.remote.waiting import wait_of
from tests.harness.cancelling import at_every_step
from tests.harness.clock import run_virtually

ASK = [ChatMessage("user", "Hello?")]
NEAR, FAR = "http://127.0.0.1:8080/v1", "https://models.example.org/v1"


def chunk(text: str = "", finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


class Body(httpx2.AsyncByteStream):
    """A number is a silence in seconds, bytes are sent."""

    open = 0

    def __init__(self, script: list[float | bytes]) -> None:
        self._script = script
        Body.open += 1

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._script:
            if isinstance(piece, bytes):
                yield piece
            else:
                await asyncio.sleep(piece)

    async def aclose(self) -> None:
        Body.open -= 1


class Service(httpx2.AsyncBaseTransport):
    """Answers every request with the next script."""

    def __init__(self, *scripts: list[float | bytes] | httpx2.Response) -> None:
        self._scripts = list(scripts)
        self.asked_at: list[float] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked_at.append(asyncio.get_running_loop().time())
        script = self._scripts.pop(0)
        if isinstance(script, httpx2.Response):
            return script
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, stream=Body(script))


Outcome = tuple[list[ChatItem], float]


def text_event(text: str) -> dict[str, object]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


def played(
    service: Service,
    address: str,
    timeouts: Timeouts | None = None,
    kind: type[OpenAIChatModel] | type[AnthropicChatModel] = OpenAIChatModel,
    **options: int,
) -> Outcome:
    """Return the items of one request and the seconds it took on the clock of the loop."""

    async def main() -> Outcome:
        model = kind(
            "fake", base_url=address, api_key=lambda: "k", context_tokens=999, transport=service,
            timeouts=timeouts, attempts=options.get("attempts", 4),
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            items = [item async for item in model.stream(ASK, max_tokens=9)]
            return items, loop.time() - begun
        finally:
            await model.close()

    return run_virtually(main())


def test_that_a_model_on_this_machine_may_read_for_ten_minutes_in_silence() -> None:
    """Bug 10: an idle time-out does not end a healthy prefill."""
    items, took = played(Service([600.0, chunk("hi"), chunk(finish="stop")]), NEAR)
    assert items[0] == ChatDelta("hi")
    assert isinstance(items[-1], ChatEnd)
    assert took >= 600


def test_that_a_far_service_is_given_up_when_its_first_token_does_not_come() -> None:
    """Bug 10: each wait has its own limit."""
    service = Service([600.0, chunk("hi")], [chunk("second"), chunk(finish="stop")])
    items, took = played(service, FAR, Timeouts(first_token=30))
    assert [item.text for item in items if isinstance(item, ChatDelta)] == ["second"]
    assert 30 <= took <= 40
    assert any(isinstance(item, ChatProgress) for item in items)


def test_that_a_start_of_reply_without_text_does_not_end_the_wait_for_the_first_token() -> None:
    """Bug 10: many services send the role at once and then read the prompt."""
    items, took = played(Service([chunk(), 200.0, chunk("hi"), chunk(finish="stop")]), NEAR)
    assert items[0] == ChatDelta("hi")
    assert took >= 200


def test_that_silence_in_the_middle_cuts_the_reply() -> None:
    """Bug 9: cut, told, not asked again."""
    service = Service([chunk("half"), 500.0, chunk("never"), chunk(finish="stop")])
    items, took = played(service, NEAR, Timeouts(between_tokens=60))
    assert items[0] == ChatDelta("half")
    assert isinstance(items[-1], ChatProgress)
    assert 60 <= took <= 70
    assert len(service.asked_at) == 1


def test_that_a_service_that_says_it_still_works_is_waited_for() -> None:
    """Bug 10: keep-alive comments while a long call is written; no piece of the reply comes."""
    busy: list[float | bytes] = [piece for _ in range(6) for piece in (50.0, b": keep-alive\n\n")]
    items, took = played(Service([chunk("a"), *busy, chunk("b"), chunk(finish="stop")]), NEAR)
    assert [item.text for item in items if isinstance(item, ChatDelta)] == ["a", "b"]
    assert took >= 300


def test_that_a_service_that_says_nothing_else_is_given_up_in_the_end() -> None:
    busy: list[float | bytes] = [piece for _ in range(60) for piece in (50.0, b": keep-alive\n\n")]
    items, took = played(Service([chunk("a"), *busy, chunk("b")]), FAR, Timeouts(first_token=200))
    assert isinstance(items[-1], ChatProgress)
    assert 190 <= took <= 260


def test_that_pings_of_messages_are_taken_for_signs_of_life_too() -> None:
    """Bug 10: the library drops them before we see them."""
    end: dict[str, object] = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    events: list[dict[str, object] | None] = [text_event("a"), None, None, None, text_event("b"), end]
    script: list[float | bytes] = []
    for event in events:
        script += [60.0] if event is None else []
        data: dict[str, object] = event or {"type": "ping"}
        script.append(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode())
    items, took = played(Service(script), NEAR, kind=AnthropicChatModel)
    assert [item.text for item in items if isinstance(item, ChatDelta)] == ["a", "b"]
    assert isinstance(items[-1], ChatEnd)
    assert took >= 180


def test_that_a_missing_count_of_tokens_does_not_hold_a_whole_reply_back() -> None:
    items, took = played(Service([chunk("whole"), chunk(finish="stop"), 500.0]), FAR)
    assert items[-1] == ChatEnd("stop", 0, 0)
    assert took <= 10


def test_that_the_whole_request_has_a_limit_where_one_is_set() -> None:
    slow: list[float | bytes] = [piece for _ in range(100) for piece in (10.0, chunk("x"))]
    items, took = played(Service(slow), NEAR, Timeouts(total=95))
    assert len([item for item in items if isinstance(item, ChatDelta)]) == 9
    assert 95 <= took <= 100


def test_that_what_the_service_asks_for_is_waited_for() -> None:
    """Retry-After is believed, shown, and then kept."""
    busy = httpx2.Response(429, headers={"retry-after": "20"}, json={"error": {"message": "slow down"}})
    service = Service(busy, [chunk("ok"), chunk(finish="stop")])
    items, _ = played(service, FAR)
    first = items[0]
    assert isinstance(first, ChatProgress)
    assert "20 s" in first.message
    assert 20 <= service.asked_at[1] - service.asked_at[0] <= 21


def test_that_waits_double_and_end() -> None:
    service = Service(*[httpx2.Response(500) for _ in range(9)])
    with pytest.raises(failures.ModelServerError):
        played(service, FAR, attempts=4)
    waits = [later - earlier for earlier, later in zip(service.asked_at, service.asked_at[1:], strict=False)]
    assert len(waits) == 3
    assert all(
        0.7 * expected <= wait <= 1.3 * expected for wait, expected in zip(waits, (0.5, 1, 2), strict=True)
    )


def test_that_a_request_cancelled_at_any_step_leaves_no_connection_and_the_model_usable() -> None:
    """Bug 16: a stop while the key is looked up, the request sent, or the reply read."""
    heard: list[str] = []

    async def main() -> int:
        scripts: list[list[float | bytes]] = [[chunk("a"), 1.0, chunk("b", "stop")] for _ in range(500)]
        service = Service(*scripts)
        model = OpenAIChatModel(
            "fake", base_url=NEAR, api_key=lambda: "k", context_tokens=9, transport=service
        )

        async def ask() -> None:
            heard.clear()
            stream = model.stream(ASK, max_tokens=9)
            heard.extend([item.text async for item in stream if isinstance(item, ChatDelta)])

        def check() -> None:
            assert Body.open == 0

        steps = await at_every_step(ask, check)
        await model.close()
        return steps

    Body.open = 0
    assert run_virtually(main()) >= 3
    assert heard == ["a", "b"]


def test_that_the_library_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, app.services.models; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"'openai'", "'anthropic'", "'httpx2'"} & set(done.stdout.strip("[]\n").split(", "))


@pytest.mark.parametrize(("address", "near"), [
    ("http://localhost:1234/v1", True), ("http://127.0.0.1/v1", True), ("http://[::1]:80/v1", True),
    ("http://192.168.1.7:8000", True), ("http://box.local/v1", True), ("", False),
    ("https://api.example.org/v1", False), ("https://8.8.8.8/v1", False),
])  # fmt: skip
def test_that_near_and_far_addresses_are_told_apart(address: str, near: bool) -> None:
    assert is_near(address) is near


NOW = 1_700_000_000.0
DATE = "Tue, 14 Nov 2023 22:13:30 GMT"


@pytest.mark.parametrize(("headers", "wait"), [
    ({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "1500"}, 1.5), ({"retry-after": DATE}, 10.0),
    ({"retry-after": "2023-11-14T22:13:30Z"}, 10.0), ({"retry-after-ms": "x"}, None),
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0.5s"}, 60.5),
    ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
    ({"x-ratelimit-remaining-tokens": "7", "x-ratelimit-reset-tokens": "1h"}, None),
    ({"anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-tokens-reset": "2023-11-14T22:13:25Z"}, 5.0),
    ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "never"}, None),
    ({"retry-after": "soon"}, None), ({}, None), ({"retry-after": "-3"}, None),
])  # fmt: skip
def test_that_the_wait_is_read_in_every_form(headers: dict[str, str], wait: float | None) -> None:
    assert wait_of(headers, now=NOW) == pytest.approx(wait)


@pytest.mark.parametrize("make", [
    lambda: failures.ModelKeyError("k"), lambda: failures.ModelRequestError("r"),
    lambda: failures.ModelBusyError("b", wait_s=3600.0),
])  # fmt: skip
def test_that_what_does_not_pass_is_not_tried_again(make: Callable[[], ModelError]) -> None:
    assert failures.retry_wait(make(), 1) is None
