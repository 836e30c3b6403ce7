"""What a chat model is to the rest of the application, local or remote."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

from app.errors import ModelError

Role = Literal["system", "user", "assistant", "tool"]


class ContextOverflowError(ModelError):
    """The messages are longer than the model can read."""

    code = "context_overflow"
    hint = "Ask about fewer papers at once, or choose a model with a longer context."


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallPart:
    """A tool call of an assistant message; `arguments` is JSON text as the model wrote it, unchecked.

    `id` is ours, also on the wire: what a provider called it is never used again (ids repeat).
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the conversation the model continues.

    An assistant message may hold `thinking` (verbatim; a provider decides whether to send it back) and
    `calls`; a "tool" message answers the call `call_id`.
    """

    role: Role
    content: str
    thinking: str = ""
    calls: tuple[CallPart, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """The next piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingChunk:
    """The next piece of thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """The next piece of a tool call as the provider sent it; an empty string means it sent none.

    `index` is None where the provider counts nothing. `app.llm.assemble` makes calls of these.
    """

    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class ChatProgress:
    """A share from 0 to 1 of the prompt that was read, or a wait (`message`); shown, never kept.

    `wait_s` are the seconds until the model is asked again: whoever shows it counts them down.
    """

    share: float | None
    message: str = ""
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class ChatEnd:
    """The last item of a stream: why it ended, and what it took."""

    reason: Literal["stop", "length", "tool_calls"]
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


ChatItem = ChatDelta | ThinkingChunk | CallDelta | ChatProgress | ChatEnd


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is shown of a model, and what callers need to fit a prompt.

    `tiny` marks models below a billion parameters: good for trying the application out, not for trust.
    `tools` says whether the model can call tools; `exact_tokens` whether `count_tokens` is exact.
    """

    name: str
    label: str
    tiny: bool
    context_tokens: int
    provider: str
    tools: bool = False
    exact_tokens: bool = False


class Use(StrEnum):
    """What a request is for: decides its place in the queue of a model on this computer."""

    TURN = "turn"
    SUBAGENT = "subagent"
    TITLE = "title"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What a provider may use to serve better; leaving it out changes no answer.

    `session` names the conversation, so that what a model has read of it is kept apart from others;
    `thinking` asks for it or against it (None: as the settings say).
    """

    use: Use = Use.TURN
    session: str = ""
    thinking: bool | None = None


AS_USUAL = ChatOptions()


class ChatModel(Protocol):
    """Continues a conversation."""

    @property
    def info(self) -> ModelInfo:
        """What is known of the model; raises ModelError when its file is missing or is none."""

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float = 0.2,
        stop: Sequence[str] = (),
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = AS_USUAL,
    ) -> AsyncGenerator[ChatItem, None]:
        """Yield deltas, then a ChatEnd. Closing the iterator or cancelling the task stops the model.

        A stream that ends without a ChatEnd was cut. Temperature 0 always takes the likeliest token.
        Raises ContextOverflowError, ModelError, WorkerError.
        """

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens the text is, without any markup around it."""

    async def close(self) -> None:
        """Give everything back."""
