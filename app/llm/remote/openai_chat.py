"""A chat model behind an OpenAI-compatible service: OpenAI itself, or a server of one's own.

The `openai` library carries requests and splits the stream; what is in them is ours (`wire`), as are
time-outs and new attempts (`failures`): an attempt is thrown away whole, and only before anything of
the reply was given.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
from app.llm.remote.address import check_address, checked_key, is_near, shown
from app.llm.remote.failures import ModelRequestError, ModelTimeoutError
from app.llm.remote.reply import Reply, Timeouts, Waits
from app.llm.remote.wire import Chunk, Dialect, error_of, read_chunk, request_body
from app.llm.tokens import TokenEstimator

if TYPE_CHECKING:
    import httpx2
    import openai

_REFUSALS = 4
"""How many things of the protocol a server may refuse before its refusal is believed."""


class OpenAIChatModel:
    """Asks `model` at `base_url`. `api_key` is asked for before every request, in a thread.

    A connection lost in the middle ends the stream without a ChatEnd, as `ChatModel.stream` says; a
    ChatProgress says why. Where the service counts no tokens, the ChatEnd says 0.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: Callable[[], str],
        context_tokens: int,
        timeouts: Timeouts | None = None,
        attempts: int = 4,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._near = is_near(base_url)
        chosen = timeouts or Timeouts()
        self._timeouts = replace(chosen, first_token=None) if self._near else chosen
        self._attempts = attempts
        self._transport = transport
        self._dialect = Dialect()
        self._estimator = TokenEstimator()
        self._client: openai.AsyncOpenAI | None = None
        self._making = asyncio.Lock()
        self._info = ModelInfo(model, model, False, context_tokens, "openai", tools=True)

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
        total = self._timeouts.total
        loop = asyncio.get_running_loop()
        deadline = None if total is None else loop.time() + total
        tries = refusals = 0
        while True:
            body = request_body(
                self._model, messages, dialect=self._dialect, max_tokens=max_tokens, temperature=temperature,
                stop=stop, tools=tools,
            )  # fmt: skip
            started = False
            tries += 1
            try:
                async with contextlib.aclosing(self._attempt(body, deadline)) as items:
                    async for item in items:
                        started = True
                        if isinstance(item, ChatEnd):
                            self._estimator.observe(messages, tools, item.prompt_tokens)
                        yield item
                return
            except ModelError as error:
                if started and isinstance(error, failures.PASSING):
                    yield ChatProgress(None, error.message)
                    return
                if not started and refusals < _REFUSALS and self._learned_from(error):
                    refusals, tries = refusals + 1, tries - 1
                    continue
                chance = random.random()  # noqa: S311  it spreads many clients, nothing more
                wait = failures.retry_wait(error, tries, attempts=self._attempts, chance=chance)
                if started or wait is None or (deadline and loop.time() + wait > deadline):
                    raise
                yield ChatProgress(None, f"{error.message} Trying again in {max(1, round(wait))} s.")
            await asyncio.sleep(wait)

    async def count_tokens(self, text: str) -> int:
        """Return an estimate; it learns from what the service reports."""
        return self._estimator.text(text)

    async def close(self) -> None:
        """Close the connections."""
        if self._client:
            await self._client.close()
            self._client = None

    def _learned_from(self, error: ModelError) -> bool:
        """Whether the error is about something of the protocol that can be said in another way."""
        dialect = self._dialect.after(error.message) if isinstance(error, ModelRequestError) else None
        self._dialect = dialect or self._dialect
        return dialect is not None

    async def _attempt(self, body: dict[str, Any], deadline: float | None) -> AsyncGenerator[ChatItem, None]:
        """Yield one try's items. Every failure is a ModelError; without a ChatEnd the reply was cut."""
        check_address(self._base_url)
        key = checked_key(await asyncio.to_thread(self._api_key), needed=not self._near)
        reply = Reply()
        waits = Waits(self._timeouts, deadline)
        client = await self._connected()
        with _explaining(key, self._base_url):
            async with asyncio.timeout_at(waits.until()):
                stream = await self._post(client, body, key)
            try:
                chunks = aiter(stream)
                while (chunk := await self._next(chunks, waits)) is not None:
                    for item in reply.take(chunk):
                        waits.begun = True
                        yield item
                    waits.ended = bool(reply.finish)
            finally:
                await stream.close()
        if chunk_field := reply.thinking_field:
            self._dialect = self._dialect.hearing(chunk_field)
        if end := reply.end():
            yield end
        elif not waits.begun:
            raise failures.of_empty(stream.response.headers.get("content-type", ""))

    async def _next(self, chunks: AsyncIterator[object], waits: Waits) -> Chunk | None:
        """Return the next chunk, or None at the end of the stream."""
        try:
            async with asyncio.timeout_at(waits.until()):
                return read_chunk(await anext(chunks))
        except StopAsyncIteration:
            return None
        except TimeoutError:
            if waits.ended:
                return None  # the reply is whole; only its usage is missing
            raise

    @staticmethod
    async def _post(client: openai.AsyncOpenAI, body: dict[str, Any], key: str) -> openai.AsyncStream[object]:
        import openai

        headers = {"Authorization": f"Bearer {key or 'none'}"}
        return await client.post(
            "/chat/completions",
            body=body,
            cast_to=object,
            options={"headers": headers},
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )

    async def _connected(self) -> openai.AsyncOpenAI:
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self._make_client)
            return self._client

    def _make_client(self) -> openai.AsyncOpenAI:
        import openai  # takes more than a second, which is why this runs in a thread

        carrier = openai.DefaultAsyncHttpxClient(transport=self._transport) if self._transport else None
        return openai.AsyncOpenAI(
            api_key="given with every request",
            base_url=self._base_url or None,
            timeout=openai.Timeout(None, connect=self._timeouts.connect),
            max_retries=0,
            http_client=carrier,
        )


@contextlib.contextmanager
def _explaining(key: str, address: str) -> Iterator[None]:
    """Turn what the libraries raise into our errors, with the key in none of them."""
    try:
        yield
    except TimeoutError as error:
        raise ModelTimeoutError("The model was silent for too long.") from error
    except (OSError, ValueError) as error:  # also what is no UTF-8 or no JSON inside the stream
        raise failures.ModelServerError(
            f"The model service sent something that cannot be read ({type(error).__name__})."
        ) from error
    except ModelError:
        raise
    except _library_error() as error:
        raise _of_library(error, key, address) from None


def _library_error() -> type[openai.APIError]:
    import openai

    return openai.APIError


def _of_library(error: openai.APIError, key: str, address: str) -> ModelError:
    import openai

    if isinstance(error, openai.APIConnectionError):
        cause = f" ({error.__cause__})" if str(error.__cause__ or "") else ""
        return failures.ModelUnreachableError(
            f"The model service at {shown(address)} cannot be reached{cause}."
        )
    code, message = error_of(error.body)
    message = (message or error.message).replace(key or "\0", "…")
    if isinstance(error, openai.APIStatusError):
        return failures.of_status(error.status_code, code, message, error.response.headers)
    return failures.of_stream(code, message)
