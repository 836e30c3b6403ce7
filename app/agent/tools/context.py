"""What a running call may use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from app.agent.asking import Asker
from app.events import Event
from app.records.ids import SessionId

if TYPE_CHECKING:
    from app.agent.evidence import Evidence
    from app.agent.policy.paths import Sandbox
    from app.agent.services import AgentServices
    from app.agent.tools.filesystem.state import FileStateCache
    from app.agent.tools.registry import ToolRegistry

Via = Callable[[SessionId, dict[str, Any]], int]
"""Writes an event's journal row inside another transaction of its own; returns the row's number."""


class Emit(Protocol):
    """Commits an event to the journal and shows it."""

    async def __call__(self, event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
        """Return the number of the journal row when it is committed; 0 for pieces, which are not kept.

        `durable` asks for the disk (True) or for the death of the process alone (False).
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What all calls of one agent in one session share."""

    session_id: SessionId
    services: AgentServices
    registry: ToolRegistry
    sandbox: Sandbox
    asker: Asker
    emit: Emit
    files: FileStateCache
    evidence: Evidence
    project: Path | None = None
    agent: str = ""
    """Name of the sub-agent or teammate; empty for the main agent."""
    depth: int = 0
    """0 for the main agent, 1 for its sub-agents."""
    thinking: bool = False
    lead: SessionId | None = None
    """The conversation of the main agent, where this is not it: answers of the person count for all of it."""

    def of_project(self, path: Path) -> bool:
        """Whether a resolved path lies in the folder that the person opened to the agent."""
        project = self.sandbox.project
        return project is not None and path.is_relative_to(project)

    @property
    def whole(self) -> SessionId:
        """The conversation as the person sees it."""
        return self.lead or self.session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call: the conversation it belongs to, and what the executor lends it."""

    conversation: Conversation
    call_id: str
    step: int
    waiting: Callable[[], AbstractAsyncContextManager[None]]
    """`async with ctx.waiting():` around waiting for the person: the timeout does not run."""
    protected: Callable[[], AbstractAsyncContextManager[None]]
    """`async with ctx.protected():` around a short commit phase: a cancel or timeout waits for its end.

    Keep what is inside one awaited step in a thread; the cancel is delivered when the block is left.
    """
    arguments: dict[str, object] = field(default_factory=dict)
    tainted: bool = False
    """Whether untrusted text has been read in this conversation."""

    @property
    def services(self) -> AgentServices:
        """The operations of the application."""
        return self.conversation.services

    @property
    def silent(self) -> bool:
        """Whether nobody can answer a question here."""
        return not self.conversation.asker.present
