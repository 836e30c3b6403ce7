"""An agent's surroundings for tests of background work and teams: a real library, journal and event log.

What would ask a model or run a tool is played by functions of the test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from app.agent.asking import NobodyAsker
from app.agent.background import BgNotificationQueue
from app.agent.loop.event_log import EventLog
from app.agent.policy.paths import Sandbox
from app.agent.services import AgentServices
from app.agent.team import TeamManager
from app.agent.tools import Report, ToolContext, ToolOutput, ToolRegistry
from app.agent.tools.context import Conversation
from app.agent.tools.filesystem.state import FileStateCache
from app.library import Library
from app.library.journal import SessionKind
from app.records.ids import SessionId
from app.services.owners import Owner
from app.services.threads import off_loop

Works = Callable[["Child"], Awaitable[str]]
Runs = Callable[[Conversation, str, dict[str, object]], Awaitable[ToolOutput]]


@dataclass
class Child:
    """One run of a sub-agent or teammate, as the runner was asked for it."""

    parent: ToolContext
    task: str
    name: str
    max_steps: int
    instructions: str
    registry: ToolRegistry
    kind: SessionKind
    conversation: Conversation
    report: Report | None


async def echo(child: Child) -> str:
    """Say what one was asked."""
    await asyncio.sleep(0)
    return f"{child.name} did: {child.task}"


async def succeed(conversation: Conversation, tool: str, arguments: dict[str, object]) -> ToolOutput:
    """Return what was called."""
    await asyncio.sleep(0)
    return ToolOutput(f"{tool} {arguments}", metadata={"outcome": "succeeded"})


@dataclass
class Orchestra:
    """Everything around one lead; `works` plays its agents, `runs` its calls."""

    library: Library
    works: Works = echo
    runs: Runs = succeed
    children: list[Child] = field(default_factory=list)
    woken: list[SessionId] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Begin as a new process would."""
        self.owner = Owner(self.library.home)
        self.background = BgNotificationQueue(self.library, self.owner)
        self.team = TeamManager(self.library, self.owner)
        self.background.on_ready(self.woken.append)
        self.team.on_ready(self.woken.append)
        self.services = cast(
            AgentServices,
            SimpleNamespace(
                home=self.library.home, library=self.library, background=self.background, team=self.team,
                children=self, calls=self,
            ),
        )  # fmt: skip

    def die(self) -> None:
        """Be gone as a killed process is: nothing is written, the system frees the lock."""
        self.owner._lock.release()

    async def close(self) -> None:
        """End everything."""
        await self.team.close()
        await self.background.close()
        self.owner.release()

    def lead(self, session: SessionId | None = None) -> Conversation:
        """Return the conversation of a main agent."""
        session = session or self.library.journal.new_session("Lead")
        return Conversation(
            session_id=session,
            services=self.services,
            registry=ToolRegistry.new_with_team(),
            sandbox=Sandbox((), base=Path()),
            asker=NobodyAsker(),
            emit=EventLog(self.library.journal, session).emit,
            files=FileStateCache(),
            evidence=cast(Any, None),
        )

    def call(self, conversation: Conversation, call_id: str = "call_1") -> ToolContext:
        """Return what a call of this conversation is given."""
        return ToolContext(
            conversation=conversation, call_id=call_id, step=1, waiting=nullcontext, protected=nullcontext
        )

    async def use(self, conversation: Conversation, tool: str, /, **arguments: object) -> ToolOutput:
        """Run a tool as the executor does, its checks aside."""
        found = conversation.registry.get(tool)
        assert found is not None, tool
        return await found.execute(found.Args.model_validate(arguments), self.call(conversation))

    async def run_call(
        self, conversation: Conversation, tool: str, arguments: dict[str, object]
    ) -> ToolOutput:
        """Play one call."""
        return await self.runs(conversation, tool, arguments)

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
        kind: SessionKind = "subagent",
    ) -> str:
        """Play one agent, in a session of its own as the real runner gives it."""
        talk = parent.conversation
        session = await off_loop(self.library.journal.new_session, name, kind=kind, parent=talk.session_id)
        chosen = talk.registry if registry is None else registry
        inside = Conversation(
            session_id=session,
            services=talk.services,
            registry=chosen,
            sandbox=talk.sandbox,
            asker=talk.asker,
            emit=EventLog(self.library.journal, session).emit,
            files=talk.files,
            evidence=talk.evidence,
            agent=name,
            depth=talk.depth + 1,
        )
        child = Child(parent, task, name, max_steps, instructions, chosen, kind, inside, report)
        self.children.append(child)
        return await self.works(child)


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until something is so; a test that hangs here fails by its own limit."""
    async with asyncio.timeout(20):
        while True:
            so = condition()
            if so if isinstance(so, bool) else await so:
                return
            await asyncio.sleep(0.001)
