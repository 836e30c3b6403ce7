"""How long a conversation is for a model: by its own tokenizer where that is at hand, else by estimate."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from app.llm.chat import ChatMessage, ChatModel, ToolSpec
from app.llm.tokens import TokenEstimator, count_messages

_REMEMBERED = 4000


class ContextTokens:
    """Counts for one conversation with one model; every caller goes through it, so that they agree."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self._estimator = TokenEstimator()
        self._counted: OrderedDict[str, int] = OrderedDict()

    async def prompt(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec] = ()) -> int:
        """Return the tokens of a whole request."""
        if not self.model.info.exact_tokens:
            return self._estimator.prompt(messages, tools)
        counts: dict[str, int] = {}
        count_messages(messages, tools, count=lambda text: counts.setdefault(text, 0))
        for text in counts:
            counts[text] = await self.text(text)
        return count_messages(messages, tools, count=counts.__getitem__)

    async def sizes(self, messages: Sequence[ChatMessage]) -> list[int]:
        """Return the tokens of each message with its markup."""
        if not self.model.info.exact_tokens:
            return [self._estimator.message(message) for message in messages]
        return [await self.prompt([message]) for message in messages]

    async def text(self, text: str) -> int:
        """Return the tokens of a text; a text is counted once."""
        if not self.model.info.exact_tokens:
            return self._estimator.text(text)
        if (known := self._counted.get(text)) is not None:
            self._counted.move_to_end(text)
            return known
        counted = self._counted[text] = await self.model.count_tokens(text)
        while len(self._counted) > _REMEMBERED:
            self._counted.popitem(last=False)
        return counted

    def observe(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], prompt_tokens: int) -> None:
        """Take what the model reported for a request, 0 where it reported nothing."""
        self._estimator.observe(messages, tools, prompt_tokens)
