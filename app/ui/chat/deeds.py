"""What the items of the timeline can ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QWidget

from app.agent.asking import PermissionChoice


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """Called by the items' widgets."""

    open_citation: Callable[[Mapping[str, Any]], object] = _nothing
    """Gets the JSON of the citation."""
    permit: Callable[[str, PermissionChoice], object] = _nothing
    """Gets the id of the request and "once", "session", "always" or "deny"."""
    reply: Callable[[str, str], object] = _nothing
    """Gets the id of the question and the answer."""
    fork: Callable[[QWidget], object] = _nothing
    """Gets the widget of the question to ask anew, or of the answer to go on from."""
    leave: Callable[[], object] = _nothing
    """The keyboard leaves a card: back to where one writes."""
