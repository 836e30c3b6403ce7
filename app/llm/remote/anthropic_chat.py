"""A chat model behind Anthropic's Messages protocol, through the `anthropic` library.

The library carries requests and splits the stream; what is in them is ours (`anthropic_wire`). Thinking
is signed and must come back as it was: the last replies are remembered with their signatures, which are
nothing to the rest of the program. After a restart a chain of calls goes on without them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.errors import ModelError
from app.llm.chat import ChatMessage, Use
from app.llm.remote.anthropic_reply import MessagesReply
from app.llm.remote.anthropic_wire import Block, MessagesDialect, filled, layout_key, messages_body
from app.llm.remote.carrier import Wiring, make_carrier
from app.llm.remote.chunks import Chunk
from app.llm.remote.reply import Reply, Timeouts
from app.llm.remote.service_chat import Asked, Body, Client, Pieces, ServiceChatModel

if TYPE_CHECKING:
    import httpx2

BASE_URL = "https://api.anthropic.com"
REMEMBERED = 512
"""Replies whose signed thinking is kept."""


class AnthropicChatModel(ServiceChatModel):
    """Speaks Messages; see `ServiceChatModel`."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: Callable[[], str],
        context_tokens: int,
        thinking: bool = False,
        timeouts: Timeouts | None = None,
        attempts: int = 4,
        wiring: Wiring | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        wiring = wiring or Wiring()
        super().__init__(
            model,
            provider="anthropic",
            base_url=(base_url or BASE_URL).rstrip("/").removesuffix("/v1"),
            needs_key=True,
            api_key=api_key,
            context_tokens=context_tokens,
            thinking=thinking,
            timeouts=timeouts,
            attempts=attempts,
            wiring=replace(wiring, transport=transport) if transport else wiring,
        )
        self._dialect = MessagesDialect()
        self._layouts: OrderedDict[str, list[Block]] = OrderedDict()

    def _body(self, asked: Asked) -> Body:
        return messages_body(
            self._model,
            asked.messages,
            dialect=self._dialect,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
            stop=asked.stop,
            tools=asked.tools,
            thinking=asked.thinking,
            lasting=asked.options.use in (Use.TURN, Use.SUBAGENT),
            signed=self._signed,
        )

    def _make_client(self) -> Client:
        import anthropic

        return anthropic.AsyncAnthropic(
            api_key="given with every request",
            base_url=self._base_url,
            timeout=anthropic.Timeout(None, connect=self._timeouts.connect),
            max_retries=0,
            http_client=make_carrier(self._base_url, self._wiring, self._timeouts.connect),
        )

    async def _post(self, client: Client, body: Body, key: str) -> Pieces:
        import anthropic

        assert isinstance(client, anthropic.AsyncAnthropic)  # noqa: S101  made above
        stream: anthropic.AsyncStream[object] = await client.post(
            "/v1/messages",
            body=body,
            cast_to=object,
            options={"headers": {"Authorization": f"Bearer {key or 'none'}"}},  # as the library sends it
            stream=True,
            stream_cls=anthropic.AsyncStream[object],
        )
        return stream

    def _reply(self, asked: Asked) -> Reply:
        return MessagesReply()

    def _read(self, piece: object, reply: Reply) -> Chunk:
        assert isinstance(reply, MessagesReply)  # noqa: S101  made above
        return reply.read(piece)

    def _learned_from(self, error: ModelError, body: Body) -> bool:
        dialect = self._dialect.after(error.message, body)
        self._dialect = dialect or self._dialect
        return dialect is not None

    def _heard(self, reply: Reply) -> None:
        found = reply.signed_layout() if isinstance(reply, MessagesReply) else None
        if found is None:
            return
        message, layout = found
        self._layouts[layout_key(message)] = layout
        while len(self._layouts) > REMEMBERED:
            self._layouts.popitem(last=False)

    def _signed(self, message: ChatMessage) -> list[Block] | None:
        layout = self._layouts.get(layout_key(message))
        return None if layout is None else filled(layout, message)
