"""A chat model behind an OpenAI-compatible service: OpenAI itself, another, or a server of one's own.

The `openai` library carries requests and splits the stream; what is in them is ours (`wire`). In what a
service differs says its profile (`profiles`), and what no profile knows its refusals teach.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.errors import ModelError
from app.llm.remote.carrier import Wiring, make_carrier
from app.llm.remote.chunks import Chunk, read_chunk
from app.llm.remote.profiles import Profile, profile_of
from app.llm.remote.reply import Reply, Timeouts
from app.llm.remote.service_chat import Asked, Body, Client, Pieces, ServiceChatModel
from app.llm.remote.wire import request_body

if TYPE_CHECKING:
    import httpx2
    import openai

THINKING_TOKENS = 4096
"""What a reply may take longer when the model thinks: services count thinking within the limit."""


class OpenAIChatModel(ServiceChatModel):
    """Speaks chat completions; see `ServiceChatModel`."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: Callable[[], str],
        context_tokens: int,
        profile: Profile | None = None,
        thinking: bool = False,
        timeouts: Timeouts | None = None,
        attempts: int = 4,
        wiring: Wiring | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._profile = profile or profile_of("", base_url)
        wiring = wiring or Wiring()
        super().__init__(
            model,
            provider="openai",
            base_url=base_url or self._profile.base_url,
            needs_key=self._profile.needs_key,
            api_key=api_key,
            context_tokens=context_tokens,
            thinking=thinking,
            timeouts=timeouts,
            attempts=attempts,
            wiring=replace(wiring, transport=transport) if transport else wiring,
        )
        self._dialect = self._profile.dialect

    def _body(self, asked: Asked) -> Body:
        more: dict[str, Any] = dict(self._profile.always)
        ways = self._profile.thinking(self._model, asked.thinking)
        more |= ways[min(self._dialect.way, len(ways) - 1)]
        if not asked.tools:
            more.pop("parallel_tool_calls", None)
        if self._profile.session_key and asked.options.session:
            # a name for the cache, not the one by which the library knows the conversation
            digest = hashlib.sha256(asked.options.session.encode()).hexdigest()[:32]
            more[self._profile.session_key] = digest
        thinks = asked.thinking or more.get("reasoning_effort", "none") != "none"
        return request_body(
            self._model,
            asked.messages,
            dialect=self._dialect,
            max_tokens=asked.max_tokens + (THINKING_TOKENS if thinks else 0),
            temperature=asked.temperature,
            stop=asked.stop,
            tools=asked.tools,
            more=more,
        )

    def _make_client(self) -> Client:
        import openai

        client = openai.AsyncOpenAI(
            api_key="given with every request",
            base_url=self._base_url,
            timeout=openai.Timeout(None, connect=self._timeouts.connect),
            max_retries=0,
            http_client=make_carrier(self._base_url, self._wiring, self._timeouts.connect),
        )
        if self._profile.name != "openai":
            # the environment names them for OpenAI, and they are nobody else's business
            client.organization = client.project = None
        return client

    async def _post(self, client: Client, body: Body, key: str) -> Pieces:
        import openai

        assert isinstance(client, openai.AsyncOpenAI)  # noqa: S101  made above
        stream: openai.AsyncStream[object] = await client.post(
            "/chat/completions",
            body=body,
            cast_to=object,
            options={"headers": {"Authorization": f"Bearer {key or 'none'}"}},
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        return stream

    def _reply(self, asked: Asked) -> Reply:
        return Reply()

    def _read(self, piece: object, reply: Reply) -> Chunk:
        return read_chunk(piece)

    def _learned_from(self, error: ModelError, body: Body) -> bool:
        dialect = self._dialect.after(error.message, body)
        self._dialect = dialect or self._dialect
        return dialect is not None

    def _heard(self, reply: Reply) -> None:
        if reply.thinking_field:
            self._dialect = self._dialect.hearing(reply.thinking_field)

    def _way_out(self, error: ModelError) -> None:
        if hint := self._profile.hint_for(error.message):
            error.hint = hint
