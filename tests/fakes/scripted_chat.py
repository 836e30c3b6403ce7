"""A chat model with tools that says what a test tells it to, one reply a request.

    model = ScriptedChat([[Call("read_file", {"path": "a.txt"})], [Say("It says hello.")]])

`tests.fakes.openai_server` plays the same scripts over HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from app.errors import AppError, ModelError
from app.llm.chat import (
    AS_USUAL,
    CallDelta,
    ChatDelta,
    ChatEnd,
    ChatItem,
    ChatMessage,
    ChatOptions,
    ChatProgress,
    ModelInfo,
    ThinkingChunk,
    ToolSpec,
)
from tests.fakes.pairing import problem

Reason = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Say:
    """Text, in `pieces` of about the same length."""

    text: str
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class Think:
    """Thinking, in `pieces`."""

    text: str
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; a string is sent as the arguments' text, unchecked, so that it may be no JSON.

    The provider's `id` is `call_<place>` unless given: it repeats in every reply, as it does in the
    wild. `index` is the call's place in the reply unless given. A `bare` call has neither id nor index.
    """

    name: str
    arguments: Mapping[str, Any] | str
    id: str = ""
    index: int | None = None
    pieces: int = 3
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """One delta of a call exactly as it is."""

    delta: CallDelta


@dataclass(frozen=True, slots=True)
class Read:
    """Progress with the prompt."""

    share: float | None
    message: str = ""
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing comes for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing comes until the test sets the event; `reached` is set when the model waits there.

    Over HTTP the model is in another thread: use `threading.Event` there.
    """

    event: asyncio.Event | threading.Event
    reached: asyncio.Event | threading.Event | None = None

    async def over(self) -> None:
        if self.reached:
            self.reached.set()
        if isinstance(self.event, asyncio.Event):
            await self.event.wait()
            return
        while not self.event.is_set():  # noqa: ASYNC110  another thread sets it
            await asyncio.sleep(0.005)


@dataclass(frozen=True, slots=True)
class Fail:
    """The stream raises the error here."""

    error: AppError


@dataclass(frozen=True, slots=True)
class Cut:
    """The stream ends here, without a ChatEnd."""


@dataclass(frozen=True, slots=True)
class End:
    """The end with a reason of the test's; without it "tool_calls" after calls, else "stop"."""

    reason: Reason
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0


Step = Say | Think | Call | Piece | Read | Pause | Wait | Fail | Cut | End
Reply = Sequence[Step]
Replies = Sequence[Reply | Callable[[Sequence[ChatMessage]], Reply]]


@dataclass
class ScriptedChat:
    """Plays `replies` in order; a reply may be made of what was asked. Beyond the last it says "done.".

    `asked` and `tools_seen` hold what every request brought, `limits` its `max_tokens`. `closed_early`
    counts streams that were closed or cancelled before their end, `open` those running now. Like a real
    service, a `strict` one refuses conversations in which calls and results are not paired.
    """

    replies: Replies = ()
    context_tokens: int = 32_768
    name: str = "scripted"
    provider: str = "test"
    tiny: bool = False
    tools: bool = True
    exact_tokens: bool = True
    strict: bool = True
    asked: list[list[ChatMessage]] = field(default_factory=list)
    tools_seen: list[tuple[ToolSpec, ...]] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    closed_early: int = 0
    open: int = 0
    closed: bool = False

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(
            name=self.name,
            label=self.name.capitalize(),
            tiny=self.tiny,
            context_tokens=self.context_tokens,
            provider=self.provider,
            tools=self.tools,
            exact_tokens=self.exact_tokens,
        )

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float = 0.2,
        stop: Sequence[str] = (),
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = AS_USUAL,
    ) -> AsyncGenerator[ChatItem, None]:
        reply = reply_to(self.replies, len(self.asked), messages)
        self.asked.append(list(messages))
        self.tools_seen.append(tuple(tools))
        self.limits.append(max_tokens)
        if self.strict and (wrong := problem(messages)):
            raise ModelError(f"400: {wrong}", code="model_request")
        self.open += 1
        try:
            async with contextlib.aclosing(_played(reply, prompt_tokens=tokens_of(messages))) as items:
                async for item in items:
                    yield item
        except (asyncio.CancelledError, GeneratorExit):
            self.closed_early += 1
            raise
        finally:
            self.open -= 1

    async def count_tokens(self, text: str) -> int:
        return tokens_in(text)

    async def close(self) -> None:
        self.closed = True


def reply_to(replies: Replies, number: int, messages: Sequence[ChatMessage]) -> Reply:
    """Return the reply to the request of that number, counting from 0."""
    if number >= len(replies):
        return [Say("done.")]
    chosen = replies[number]
    return chosen(messages) if callable(chosen) else chosen


def items_of(step: Step, place: int = 0) -> Iterator[ChatItem]:
    """Yield what a step streams; steps that only wait, fail or end stream nothing.

    `place` is the number of calls that came before it in the reply.
    """
    match step:
        case Say(text, pieces):
            yield from map(ChatDelta, _cut(text, pieces))
        case Think(text, pieces):
            yield from map(ThinkingChunk, _cut(text, pieces))
        case Piece(delta):
            yield delta
        case Read(share, message, wait_s):
            yield ChatProgress(share, message, wait_s)
        case Call():
            text = step.arguments if isinstance(step.arguments, str) else json.dumps(step.arguments)
            index = None if step.bare else place if step.index is None else step.index
            id_ = "" if step.bare else step.id or f"call_{place}"
            first, *rest = _cut(text, step.pieces)
            yield CallDelta(index, id_, step.name, first)
            for piece in rest:
                yield CallDelta(index, arguments=piece)
        case _:
            return


def tokens_in(text: str) -> int:
    """Return the tokens of a text as this model has them: four ASCII characters each, others one each."""
    ascii_ = sum(character < "\x80" for character in text)
    return -(-ascii_ // 4) + len(text) - ascii_


def tokens_of(messages: Sequence[ChatMessage]) -> int:
    """Return the tokens of a prompt: four a message, and what it holds."""
    return sum(
        4
        + tokens_in(message.content)
        + tokens_in(message.thinking)
        + sum(4 + tokens_in(call.name) + tokens_in(call.arguments) for call in message.calls)
        for message in messages
    )


async def _played(reply: Reply, *, prompt_tokens: int) -> AsyncGenerator[ChatItem, None]:
    place = written = 0
    reason: Reason = "stop"
    for step in reply:
        match step:
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Wait():
                await step.over()
            case Fail(error):
                raise error
            case Cut():
                return
            case End():
                yield ChatEnd(
                    step.reason,
                    prompt_tokens if step.prompt_tokens is None else step.prompt_tokens,
                    written if step.completion_tokens is None else step.completion_tokens,
                    step.cached_tokens,
                )
                return
        for item in items_of(step, place):
            written += _size(item)
            yield item
        if isinstance(step, Call | Piece):
            place += isinstance(step, Call)
            reason = "tool_calls"
    yield ChatEnd(reason, prompt_tokens, written)


def _size(item: ChatItem) -> int:
    match item:
        case ChatDelta(text) | ThinkingChunk(text):
            return tokens_in(text)
        case CallDelta():
            return tokens_in(item.name + item.arguments)
        case _:
            return 0


def _cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
