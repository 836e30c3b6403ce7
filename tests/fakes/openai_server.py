"""A real HTTP server on 127.0.0.1 that plays scripts as an OpenAI-compatible service, well or badly.

    with FakeOpenAI([[Say("Hello")], Http(429, headers={"retry-after": "1"})]) as server:
        model = OpenAIChatModel("fake", base_url=server.url, …)

It runs in a thread of its own, so that a subprocess can be tested against it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatItem, ChatMessage, ThinkingChunk
from tests.fakes.pairing import problem
from tests.fakes.scripted_chat import Call, Cut, End, Fail, Pause, Piece, Say, Step, Wait, items_of


@dataclass(frozen=True, slots=True)
class Http:
    """An answer that is no stream: an error, or a web page."""

    status: int
    message: str = ""
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes put into the stream exactly as they are."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The stream ends properly, with [DONE], but no reason for the end was sent."""


Script = Sequence[Step | Raw | Unfinished]
Answer = Script | Http


@dataclass
class FakeOpenAI:
    """Plays `answers` in order, beyond the last it says "done."; keeps what it was asked.

    `Cut()` closes the connection in the middle, `Fail` sends an error inside the stream. With
    `byte_by_byte` every byte is a chunk of its own. `counts` sends usage, `thinking_field` names the
    field that thinking comes in; `needs_thinking` refuses conversations in which a call's thinking is
    missing, `refuses` requests with one of these keys.
    """

    answers: Sequence[Answer | Callable[[list[ChatMessage]], Answer]] = ()
    byte_by_byte: bool = False
    rechunk: int | None = None
    """A seed: the bytes are sent in pieces of random lengths."""
    models: Sequence[Mapping[str, Any]] | Http = ({"id": "fake"},)
    wants_key: str = ""
    counts: bool = True
    thinking_field: str = "reasoning_content"
    needs_thinking: bool = False
    usage_in_choice: bool = False
    """Where Moonshot puts it."""
    refuses: Sequence[str] = ()
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: list[list[ChatMessage]] = field(default_factory=list)
    dropped: int = 0
    """Streams whose reader went away."""
    port: int = 0

    path: ClassVar[str] = "/chat/completions"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def heard(self, body: Mapping[str, Any]) -> list[ChatMessage]:
        return heard(body["messages"])

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    async def _serve(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        talks: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            talks.add(task)
            try:
                await self._talk(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                talks.discard(task)
                writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for task in list(talks):
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lines = head.split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
            }
            body = await reader.readexactly(int(headers.get("content-length") or 0))
            path = lines[0].split()[1]
            if self.wants_key and self.wants_key not in " ".join(headers.values()):
                await _send(writer, Http(401, "invalid api key"))
            elif path.partition("?")[0].endswith("/models"):
                await _send(writer, self._models())
            elif not path.endswith(self.path):
                await _send(writer, Http(404, f"no such path {path}"))
            elif not await self._complete(json.loads(body), headers, writer):
                return

    async def _complete(
        self, body: dict[str, Any], headers: dict[str, str], writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; False when the connection is to be closed."""
        messages = self.heard(body)
        self.headers.append(headers)
        self.requests.append(body)
        if wrong := self._wrong(body, messages):
            await _send(writer, Http(400, wrong, "invalid_request_error"))
            return True
        answer = self._answer(len(self.asked), messages)
        self.asked.append(messages)
        if isinstance(answer, Http):
            await _send(writer, answer)
            return True
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        try:
            async for data in self._events(answer, body):
                if data is None:
                    writer.transport.abort()
                    return False
                await self._write(writer, data)
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        except ConnectionError:
            self.dropped += 1
            raise
        return True

    def _wrong(self, body: dict[str, Any], messages: list[ChatMessage]) -> str:
        for name in self.refuses:
            if name in body or any(name in message for message in body["messages"]):
                return f"Unsupported parameter: '{name}' is not supported with this model."
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        if bad := [name for name in names if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)]:
            return f"Invalid tool names {bad}"
        for message in body["messages"]:
            if self.needs_thinking and message.get("tool_calls") and self.thinking_field not in message:
                return f"Missing `{self.thinking_field}` field: the reasoning_content must be passed back"
            for call in message.get("tool_calls") or ():
                json.loads(call["function"]["arguments"])  # as templates of servers do: raises, closes
        return problem(messages)

    def _models(self) -> Http:
        if isinstance(self.models, Http):
            return self.models
        return Http(200, body=json.dumps({"object": "list", "data": list(self.models)}))

    def _answer(self, number: int, messages: list[ChatMessage]) -> Answer:
        if number >= len(self.answers):
            return [Say("done.")]
        chosen = self.answers[number]
        return chosen(messages) if callable(chosen) else chosen

    async def _events(self, script: Script, body: dict[str, Any]) -> AsyncIterator[bytes | None]:
        """Yield the events of a script; None asks for the connection to be closed there."""
        place = written = 0
        reason = "stop"
        yield _event({"role": "assistant", "content": ""})
        for step in script:
            match step:
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Wait():
                    await step.over()
                case Raw(data):
                    yield data
                case Fail(error):
                    yield b"data: " + json.dumps({"error": error.as_json()["error"]}).encode() + b"\n\n"
                    return
                case Cut():
                    yield None
                    return
                case Unfinished():
                    yield b"data: [DONE]\n\n"
                    return
                case End():
                    reason = step.reason
                    break
                case _:
                    for item in items_of(step, place):
                        written += 1
                        yield _event(self._delta(item))
            if isinstance(step, Call | Piece):
                place += isinstance(step, Call)
                reason = "tool_calls"
        for data in self._ending(reason, written, body):
            yield data

    def _ending(self, reason: str, written: int, body: dict[str, Any]) -> Iterator[bytes]:
        """Yield the reason, the count of tokens where it is wanted, and the mark of the end."""
        prompt = len(json.dumps(body["messages"])) // 4
        usage = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
        yield _event({}, reason, {"usage": usage} if self.usage_in_choice else None)
        if self.counts and not self.usage_in_choice and body.get("stream_options", {}).get("include_usage"):
            yield _data({"choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def _delta(self, item: ChatItem) -> dict[str, Any]:
        match item:
            case ChatDelta(text):
                return {"content": text}
            case ThinkingChunk(text):
                return {self.thinking_field: text}
            case CallDelta():
                call: dict[str, Any] = {"function": {"arguments": item.arguments}}
                if item.index is not None:
                    call["index"] = item.index
                if item.id:
                    call |= {"id": item.id, "type": "function"}
                if item.name:
                    call["function"]["name"] = item.name
                return {"tool_calls": [call]}
            case _:
                return {}

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        for piece in self._pieces(data):
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the bytes as they are sent: whole, one by one, or in random lengths."""
        chance = random.Random(f"{self.rechunk} {data!r}")
        while data:
            size = 1 if self.byte_by_byte else len(data) if self.rechunk is None else chance.randint(1, 160)
            yield data[:size]
            data = data[size:]


def heard(messages: Sequence[Mapping[str, Any]]) -> list[ChatMessage]:
    """Return the messages of a request as ours."""
    return [
        ChatMessage(
            message["role"],
            message.get("content") or "",
            thinking=message.get("reasoning_content") or message.get("reasoning") or "",
            calls=tuple(
                CallPart(call["id"], call["function"]["name"], call["function"]["arguments"])
                for call in message.get("tool_calls") or ()
            ),
            call_id=message.get("tool_call_id") or "",
        )
        for message in messages
    ]


def _event(delta: dict[str, Any], finish: str | None = None, more: dict[str, Any] | None = None) -> bytes:
    return _data({"choices": [{"index": 0, "delta": delta, "finish_reason": finish, **(more or {})}]})


def _data(value: dict[str, Any]) -> bytes:
    """Return one event, its text as it is, not escaped: that is where decoders break."""
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake", **value}
    return b"data: " + json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace") + b"\n\n"


async def _send(writer: asyncio.StreamWriter, answer: Http) -> None:
    body = answer.body or json.dumps({"error": {"message": answer.message, "code": answer.code, "type": ""}})
    kind = "text/html" if body.startswith("<") else "application/json"
    headers = {"content-type": kind, "content-length": str(len(body.encode())), **answer.headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {answer.status} X\r\n{head}\r\n{body}".encode())
    with contextlib.suppress(ConnectionError):
        await writer.drain()
