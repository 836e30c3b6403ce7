"""What the model has read, as a fold over journal rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.llm.chat import ChatMessage


class History:
    """The conversation as the model sees it; every row changes it by a little.

    `History.of(journal.rows(session))` and feeding the same rows one by one give the same.
    """

    @classmethod
    def of(cls, rows: Iterable[tuple[int, dict[str, Any]]]) -> History:
        """Fold journal rows (number, `Event.as_json()`), oldest first."""
        raise NotImplementedError

    def apply(self, row: int, event: dict[str, Any]) -> None:
        """Take one more row."""
        raise NotImplementedError

    def messages(self) -> list[ChatMessage]:
        """Return what the next request sends, repaired: system prompt first."""
        raise NotImplementedError

    @property
    def tainted(self) -> bool:
        """Whether text that is not trusted was ever before the model."""
        raise NotImplementedError

    def open_calls(self) -> list[tuple[str, str, int]]:
        """Return id, name and step of the calls without a result."""
        raise NotImplementedError
