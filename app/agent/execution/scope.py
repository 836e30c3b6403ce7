"""What the calls of one round share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.agent.execution.auditing import AuditWriter
from app.agent.execution.duplicates import DuplicateDetector
from app.agent.execution.output_store import OutputStore
from app.agent.execution.permission import Permissions
from app.agent.tools.context import Conversation
from app.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One object a round, lent to its calls."""

    conversation: Conversation
    step: int
    detector: DuplicateDetector
    permissions: Permissions
    outputs: OutputStore
    audit: AuditWriter
    settings: Callable[[], Settings]
    max_result_bytes: int
    disown: Callable[[asyncio.Task[Any]], None]
    """Takes a task that did not end when it was told to."""
