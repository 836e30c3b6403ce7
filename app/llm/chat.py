"""What a chat model is to the rest of the application, local or remote."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from app.errors import ModelError

Role = Literal["system", "user", "assistant"]


class ContextOverflowError(ModelError):
    """The messages are longer than the model can read."""

    code = "context_overflow"
    hint = "Ask about fewer papers at once, or choose a model with a longer context."


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the conversation the model continues."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """The next piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class ChatEnd:
    """The last item of a stream: why it ended, and what it took."""

    reason: Literal["stop", "length"]
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is shown of a model, and what callers need to fit a prompt.

    `tiny` marks models below a billion parameters: good for trying the application out, not for trust.
    """

    name: str
    label: str
    tiny: bool
    context_tokens: int
    provider: str


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
    ) -> AsyncGenerator[ChatDelta | ChatEnd, None]:
        """Yield deltas, then a ChatEnd. Closing the iterator or cancelling the task stops the model.

        Temperature 0 always takes the likeliest token. Raises ContextOverflowError, ModelError, WorkerError.
        """

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens the text is, without any markup around it."""

    async def close(self) -> None:
        """Give everything back."""
