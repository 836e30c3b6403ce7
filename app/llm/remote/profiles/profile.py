"""How one service differs from the protocol it speaks. A profile is data; what no profile knows is learned.

Sources: the API reference of each service, and the reports named in its file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.llm.remote.dialect import Dialect

Ways = tuple[Mapping[str, Any], ...]
"""Parts of a request that ask for thinking or against it: the best first, then what to try if refused."""

NO_WAY: Ways = ({},)


def never(_model: str, _thinking: bool) -> Ways:
    """Say nothing about thinking."""
    return NO_WAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One service that speaks the chat-completions protocol.

    `base_url` is where it is asked unless the settings say otherwise. `hosts` are endings of the host
    names of the service, `port` that of a program on this computer: by these a profile is found for an
    address. `needs_key` says whether requests without a key make sense.
    """

    name: str
    label: str
    base_url: str = ""
    hosts: tuple[str, ...] = ()
    port: int | None = None
    needs_key: bool = True
    dialect: Dialect = field(default_factory=Dialect)
    thinking: Callable[[str, bool], Ways] = never
    always: Mapping[str, Any] = field(default_factory=dict)
    """Keys that go with every request as long as they are not refused."""
    session_key: str = ""
    """The key under which the conversation is named, so that its prompt stays in one cache."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Ways out by a piece of the refusal's text, in small letters."""

    def hint_for(self, message: str) -> str:
        """Return the way out of a refusal that is peculiar to this service, or ""."""
        low = message.lower()
        return next((hint for piece, hint in self.hints.items() if piece in low), "")
