"""What all chat models over the network share: attempts, waits, refusals that teach, the key.

A subclass says how its protocol writes a request, sends it and reads a piece of the reply. An attempt
is thrown away whole, and only before anything of the reply was given (bug 9).
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from app.errors import ModelError
from app.llm.chat import (
    AS_USUAL,
    ChatEnd,
    ChatItem,
    ChatMessage,
    ChatOptions,
    ChatProgress,
    ModelInfo,
    ToolSpec,
)
from app.llm.remote import failures
from app.llm.remote.address import check_address, checked_key, is_near
from app.llm.remote.carrier import Wiring, watch
from app.llm.remote.chunks import Chunk, error_in
from app.llm.remote.explaining import explaining, hidden
from app.llm.remote.reply import Reply, Timeouts, Waits
from app.llm.tokens import TokenEstimator

if TYPE_CHECKING:
    import httpx2

REFUSALS = 8
"""How many things of the protocol a server may refuse before its refusal is believed."""

Body = dict[str, Any]
"""The JSON of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as the caller made it."""

    messages: Sequence[ChatMessage]
    max_tokens: int
    temperature: float
    stop: Sequence[str]
    tools: Sequence[ToolSpec]
    options: ChatOptions
    thinking: bool


class Pieces(Protocol):
    """The open stream of a reply, as the libraries of the services have it."""

    response: httpx2.Response

    def __aiter__(self) -> AsyncIterator[object]:
        """Yield the JSON value of each event."""

    async def close(self) -> None:
        """Hang up."""


class Client(Protocol):
    """The client object of a library."""

    async def close(self) -> None:
        """Close the connections."""


class ServiceChatModel(ABC):
    """Asks `model` at `base_url`. `api_key` is asked for before every request, in a thread.

    A connection lost in the middle ends the stream without a ChatEnd, as `ChatModel.stream` says; a
    ChatProgress says why. Where the service counts no tokens, the ChatEnd says 0.
    """

    def __init__(
        self,
        model: str,
        *,
        provider: str,
        base_url: str,
        needs_key: bool,
        api_key: Callable[[], str],
        context_tokens: int,
        thinking: bool = False,
        timeouts: Timeouts | None = None,
        attempts: int = 4,
        wiring: Wiring | None = None,
    ) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._thinking = thinking
        near = is_near(base_url)
        self._needs_key = needs_key and not near
        chosen = timeouts or Timeouts()
        self._timeouts = replace(chosen, first_token=None) if near else chosen
        self._attempts = attempts
        self._wiring = wiring or Wiring()
        self._estimator = TokenEstimator()
        self._client: Client | None = None
        self._making = asyncio.Lock()
        self._info = ModelInfo(model, model, False, context_tokens, provider, tools=True)

    @property
    def info(self) -> ModelInfo:
        """What the settings say of the model."""
        return self._info

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
        """Yield deltas, then a ChatEnd; see `ChatModel.stream`. Raises errors of `failures`."""
        thinking = self._thinking if options.thinking is None else options.thinking
        asked = Asked(
            messages=messages, max_tokens=max_tokens, temperature=temperature, stop=stop, tools=tools,
            options=options, thinking=thinking,
        )  # fmt: skip
        total = self._timeouts.total
        loop = asyncio.get_running_loop()
        deadline = None if total is None else loop.time() + total
        tries = refusals = 0
        while True:
            body = self._body(asked)
            started = False
            tries += 1
            try:
                async with contextlib.aclosing(self._attempt(asked, body, deadline)) as items:
                    async for item in items:
                        started = started or not isinstance(item, ChatProgress)
                        if isinstance(item, ChatEnd):
                            self._estimator.observe(messages, tools, item.prompt_tokens)
                        yield item
                return
            except ModelError as error:
                if started and isinstance(error, failures.PASSING):
                    yield ChatProgress(None, error.message)
                    return
                if not started and refusals < REFUSALS and self._said_better(asked, error, body):
                    refusals, tries = refusals + 1, tries - 1
                    continue
                chance = random.random()  # noqa: S311  it spreads many clients, nothing more
                wait = failures.retry_wait(error, tries, attempts=self._attempts, chance=chance)
                if started or wait is None or (deadline and loop.time() + wait > deadline):
                    raise
                text = f"{error.message} Trying again in {max(1, round(wait))} s."
                yield ChatProgress(None, text, wait)
            await asyncio.sleep(wait)

    async def count_tokens(self, text: str) -> int:
        """Return an estimate; it learns from what the service reports."""
        return self._estimator.text(text)

    async def close(self) -> None:
        """Close the connections."""
        if self._client:
            await self._client.close()
            self._client = None

    # -- what a protocol says -------------------------------------------------------------------------

    @abstractmethod
    def _body(self, asked: Asked) -> Body:
        """Return the request in the words that are known to be taken."""

    @abstractmethod
    def _make_client(self) -> Client:
        """Import the library, which takes a second, and return its client; runs in a thread."""

    @abstractmethod
    async def _post(self, client: Client, body: Body, key: str) -> Pieces:
        """Send the request."""

    @abstractmethod
    def _reply(self, asked: Asked) -> Reply:
        """Return what collects a reply."""

    @abstractmethod
    def _read(self, piece: object, reply: Reply) -> Chunk:
        """Return what an event of the stream holds."""

    @abstractmethod
    def _learned_from(self, error: ModelError, body: Body) -> bool:
        """Whether the error is about something of the protocol that can be said in another way."""

    def _heard(self, reply: Reply) -> None:  # noqa: B027  most need not
        """Take note of a reply that came to its end."""

    def _way_out(self, error: ModelError) -> None:  # noqa: B027  most need not
        """Put the way out into an error that is peculiar to the service."""

    def _said_better(self, asked: Asked, error: ModelError, body: Body) -> bool:
        """Whether the request would be made in other words now, be it by what another request learned."""
        if not isinstance(error, failures.ModelRequestError):
            return False
        return self._body(asked) != body or self._learned_from(error, body)

    # -- one attempt ----------------------------------------------------------------------------------

    async def _attempt(
        self, asked: Asked, body: Body, deadline: float | None
    ) -> AsyncGenerator[ChatItem, None]:
        """Yield one try's items. Every failure is a ModelError; without a ChatEnd the reply was cut."""
        check_address(self._base_url)
        key = checked_key(await asyncio.to_thread(self._api_key), needed=self._needs_key)
        reply = self._reply(asked)
        waits = Waits(self._timeouts, deadline)
        with explaining(key, self._base_url, self._way_out):
            client = await self._connected()
            async with asyncio.timeout_at(waits.until()):
                stream = await self._post(client, body, key)
            head = watch(stream.response, waits.alive)
            try:
                pieces = aiter(stream)
                while (chunk := await self._next(pieces, waits, reply)) is not None:
                    for item in reply.take(chunk):
                        waits.begun = waits.begun or not isinstance(item, ChatProgress)
                        yield item
                    waits.ended = bool(reply.finish)
            finally:
                await stream.close()
        if end := reply.end():
            self._heard(reply)
            yield end
        elif not waits.begun:
            code, message = error_in(bytes(head))
            kind = stream.response.headers.get("content-type", "")
            raise failures.of_empty(kind, code, hidden(message, key))

    async def _next(self, pieces: AsyncIterator[object], waits: Waits, reply: Reply) -> Chunk | None:
        """Return the next chunk, or None at the end of the stream."""
        try:
            async with asyncio.timeout_at(waits.until()) as waits.timer:
                return self._read(await anext(pieces), reply)
        except StopAsyncIteration:
            return None
        except TimeoutError:
            if waits.ended:
                return None  # the reply is whole; only its usage is missing
            raise

    async def _connected(self) -> Client:
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self._make_client)
            return self._client
