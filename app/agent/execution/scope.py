"""What the calls of one round share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from app.agent.execution.duplicates import DuplicateDetector
from app.agent.execution.output_store import OutputStore
from app.agent.execution.permission import Permissions
from app.agent.tools.context import Conversation
from app.records.ids import SessionId
from app.settings import Settings


class AuditLog(Protocol):
    """Keeps what was done: `app.library.audit`. Blocking; called in a thread."""

    def record(
        self, session_id: SessionId, call_id: str, tool: str, arguments_json: str, outcome: str, detail: str
    ) -> None:
        """Note the start (outcome "running") or the end of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One object a round, lent to its calls."""

    conversation: Conversation
    step: int
    detector: DuplicateDetector
    permissions: Permissions
    outputs: OutputStore
    audit: AuditLog
    settings: Callable[[], Settings]
    max_result_bytes: int
    disown: Callable[[asyncio.Task[Any]], None]
    """Takes a task that did not end when it was told to."""
