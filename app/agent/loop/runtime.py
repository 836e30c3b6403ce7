"""The agent's front door: turns, steering, sub-agents, single calls, and what a crash left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.agent.asking import Asker
from app.agent.services import AgentServices
from app.agent.tools.context import Conversation, ToolContext
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import Report, ToolOutput
from app.events import Event
from app.records.ids import PaperId, SessionId

if TYPE_CHECKING:
    from app.agent.execution import Executor
    from app.agent.policy.paths import Sandbox


class AgentRuntime:
    """Runs the turns of all conversations; at most one at a time in each.

    `services` is asked late, because the services hold the runtime in turn (`children`, `calls`,
    `request_compaction`). `sandbox` gives the folders that file tools may use in a project.
    `wake` is called when something waits for an idle conversation (`continue_turn` then delivers it).
    """

    def __init__(
        self,
        services: Callable[[], AgentServices],
        executor: Executor,
        registry: ToolRegistry,
        *,
        sandbox: Callable[[Path | None], Sandbox],
        wake: Callable[[SessionId], None] = lambda _session: None,
    ) -> None:
        raise NotImplementedError

    def run_turn(
        self,
        text: str,
        *,
        papers: Sequence[PaperId] = (),
        session: SessionId | None = None,
        asker: Asker | None = None,
        stop: asyncio.Event | None = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Answer one message; every event is in the journal before it is yielded (pieces are not kept).

        Without `session` the turn begins a new conversation. Setting `stop`, or closing the
        generator, ends the turn with every call accounted for. Raises UsageError for an empty message
        or while a turn runs in this conversation, NotFoundError for an unknown session.
        """
        raise NotImplementedError

    def continue_turn(
        self,
        session: SessionId,
        *,
        asker: Asker | None = None,
        stop: asyncio.Event | None = None,
        project: Path | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Deliver what waits for an idle conversation (background results, mail, late answers).

        Yields nothing when nothing waits or a turn already runs.
        """
        raise NotImplementedError

    def running(self, session: SessionId) -> bool:
        """Whether a turn runs in this conversation."""
        raise NotImplementedError

    async def steer(self, session: SessionId, text: str) -> bool:
        """Put what the person typed before the model at its next step; False when no turn runs."""
        raise NotImplementedError

    async def resume(self, session: SessionId) -> None:
        """Close what a crash left open in a conversation; done by itself at its first turn too."""
        raise NotImplementedError

    def request_compaction(self, session: SessionId | str) -> None:
        """Shorten a conversation before its next model call."""
        raise NotImplementedError

    def ready(self, session: SessionId) -> None:
        """Tell that something waits for a conversation: a running turn takes it, an idle one is woken."""
        raise NotImplementedError

    async def run_child(
        self,
        parent: ToolContext,
        task: str,
        *,
        name: str,
        max_steps: int,
        instructions: str = "",
        registry: ToolRegistry | None = None,
        report: Report | None = None,
    ) -> str:
        """Run a sub-agent; see `ChildRunner`."""
        raise NotImplementedError

    async def run_call(
        self, conversation: Conversation, tool: str, arguments: dict[str, object]
    ) -> ToolOutput:
        """Run one call outside of a turn; see `CallRunner`."""
        raise NotImplementedError

    async def conversation(
        self, session: SessionId, *, asker: Asker | None = None, project: Path | None = None
    ) -> Conversation:
        """Return what calls of this session share, for `run_call` from outside of a turn."""
        raise NotImplementedError

    async def close(self) -> None:
        """Stop all turns and wait until their last rows are committed."""
        raise NotImplementedError
