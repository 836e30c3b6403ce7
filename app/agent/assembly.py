"""Puts the agent together: registry, permissions, hooks, executor, runtime, and what tools may use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.agent.asking import Asker
from app.agent.background import BgNotificationQueue
from app.agent.desk import Desk
from app.agent.execution import Executor
from app.agent.execution.output_store import OutputStore
from app.agent.loop.runtime import AgentRuntime
from app.agent.memory import MemoryManager
from app.agent.policy.hooks import HookRunner
from app.agent.policy.paths import Sandbox
from app.agent.policy.permissions import PermissionChecker
from app.agent.services import AgentServices
from app.agent.skills import SkillRegistry, builtin_folder
from app.agent.team import TeamManager
from app.agent.tools.memory import SaveMemory
from app.agent.tools.outside import OutsideTool
from app.agent.tools.registry import ToolRegistry
from app.errors import AppError, UsageError
from app.events import Notice, ToolResult
from app.library import Library
from app.llm.chat import ChatModel
from app.records.ids import SessionId
from app.services import commands
from app.services.answering import Answerer
from app.services.consent import Consent
from app.services.files.searching import FileSearch
from app.services.importing import Importer
from app.services.notes import NotesService
from app.services.outside import OutsideServer
from app.services.owners import Owner
from app.services.searching import Searcher
from app.services.threads import off_loop
from app.settings import Permission, Settings

KEPT_OUTPUT_DAYS = 30.0
REMEMBER_AFTER_S = 120.0
"""How long a conversation is idle before it is looked through for what is worth remembering."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What the agent stands on."""

    home: Path
    settings: Callable[[], Settings]
    save_settings: Callable[[Mapping[str, Any]], Awaitable[None]]
    library: Library
    searcher: Searcher
    answerer: Answerer
    importer: Importer
    notes: NotesService
    chat: Callable[[], ChatModel | None]
    papers_changed: Callable[[Sequence[str]], None]
    wake: Callable[[SessionId], None]
    """Called with an idle conversation for which something waits."""
    consent: Consent | None = None
    tool_limit: Callable[[], int | None] = lambda: None
    """How many tools the model of the moment is shown."""


@dataclass(slots=True)
class Agent:
    """The parts of the agent that screens and the command line speak to."""

    registry: ToolRegistry
    executor: Executor
    runtime: AgentRuntime
    desk: Desk
    services: AgentServices
    outside: list[OutsideServer]
    _owner: Owner
    _started: asyncio.Lock = field(default_factory=asyncio.Lock)
    _ready: bool = False
    _connected: bool = False

    async def start(self) -> None:
        """Take up what an earlier run left: lost tasks, dead teammates, old outputs. Once; quick."""
        async with self._started:
            if self._ready:
                return
            await off_loop(self._owner.claim)
            await off_loop(self.services.skills.load)
            sessions = {*await self.services.background.recover(), *await self.services.team.recover()}
            await off_loop(self.executor.outputs.clean, KEPT_OUTPUT_DAYS)
            self._ready = True
        for session in sessions:
            self.runtime.ready(session)

    async def news(self) -> list[Notice]:
        """Connect to the outside servers and say once what is wrong with them and with the skills."""
        if self._connected:
            return []
        return [*self.services.skills.notices(), *await self.connect_outside()]

    async def connect_outside(self) -> list[Notice]:
        """Offer the tools of the outside MCP servers; returns what went wrong with any."""
        if self._connected:
            return []
        self._connected = True
        found = await asyncio.gather(*(self._connect(server) for server in self.outside))
        return [notice for notices in found for notice in notices]

    async def begin_calls(self, title: str) -> SessionId:
        """Begin a conversation for single calls from outside of any turn; it is not listed."""
        return await off_loop(self.services.library.journal.new_session, title, kind="call")

    async def run_tool(
        self, name: str, arguments: str, session: SessionId, asker: Asker, project: Path | None
    ) -> ToolResult:
        """Run one call outside of a turn, through all checks."""
        runtime = self.runtime
        conversation = await runtime.conversation(session, asker=asker, project=project)
        # Whether what was read before is still before its eyes only the caller knows.
        conversation.files.bump_generation()
        return await self.executor.run_call(
            conversation, name, arguments, tainted=lambda: runtime.tainted(session)
        )

    def settings_changed(self, settings: Settings) -> None:
        """Work by other hooks from now on. Other MCP servers count at the next start."""
        self.executor.hooks = HookRunner(settings.agent.hooks)

    async def close(self) -> None:
        """Stop turns, calls, tasks and teammates, in this order; nothing of them stays behind."""
        self.desk.cancel_all()
        parts: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("turns", self.runtime.close),
            ("team", self.services.team.close),
            ("background tasks", self.services.background.close),
            ("calls", self.executor.close),
            ("file search", self.services.file_search.close),
            *((f"MCP server {server.name}", server.close) for server in self.outside),
        ]
        for name, close in parts:
            try:
                await close()
            except AppError as error:
                _log.error("%s did not close: %s", name, error.message)
        await off_loop(commands.kill_all)
        await off_loop(self._owner.release)

    async def _connect(self, server: OutsideServer) -> list[Notice]:
        try:
            specs = await server.tools()
        except AppError as error:
            return [Notice("warning", f"{error.message} Its tools are not offered. {error.hint}")]
        notices = []
        if server.left_out:
            some = ", ".join(name[:40] for name in server.left_out[:5])
            text = (
                f"{len(server.left_out)} tools of {server.name} are too large or too many ({some}); left out."
            )
            notices.append(Notice("warning", text))
        for spec in specs:
            try:
                self.registry.add_tool(OutsideTool(server, spec))
            except ValueError:
                notices.append(Notice("warning", f"{server.name} offers {spec.name} twice; one is used."))
        return notices


def assemble(foundation: Foundation) -> Agent:
    """Build the agent; nothing is read or started before `start`."""
    home, settings, library = foundation.home, foundation.settings, foundation.library
    owner = Owner(home)
    skills = SkillRegistry.for_home(home)
    queue, team = BgNotificationQueue(library, owner), TeamManager(library, owner)
    registry = ToolRegistry.new_with_team(queue, team, skills)
    registry.add_tool(SaveMemory())
    checker = PermissionChecker(settings, base=home / "files", save_rule=_rule_saver(foundation))
    hooks = HookRunner(settings().agent.hooks)
    executor = Executor(checker, hooks, OutputStore(home), library.audit, settings)
    built_in = builtin_folder()

    def sandbox(project: Path | None) -> Sandbox:
        return Sandbox.for_home(home, built_in, _checked(project), managed=library.files.manages)

    runtime = AgentRuntime(
        lambda: services,
        executor,
        registry,
        sandbox=sandbox,
        wake=foundation.wake,
        remember_after_s=REMEMBER_AFTER_S,
    )
    services = AgentServices(
        home=home,
        settings=settings,
        library=library,
        searcher=foundation.searcher,
        answerer=foundation.answerer,
        importer=foundation.importer,
        notes=foundation.notes,
        chat=foundation.chat,
        skills=skills,
        memory=MemoryManager(library.memories),
        background=queue,
        team=team,
        children=runtime,
        calls=runtime,
        request_compaction=runtime.request_compaction,
        file_search=FileSearch(),
        consent=foundation.consent,
        tool_limit=foundation.tool_limit,
        note_papers=foundation.papers_changed,
    )
    queue.on_ready(runtime.ready)
    team.on_ready(runtime.ready)
    outside = [OutsideServer(server) for server in settings().agent.mcp_servers]
    return Agent(registry, executor, runtime, Desk(), services, outside, owner)


def _checked(project: Path | None) -> Path | None:
    """Return the resolved project folder. Raises UsageError for one that is none, or too wide to be meant."""
    if project is None:
        return None
    folder = project.expanduser().resolve()
    if not folder.is_dir():
        raise UsageError(f"There is no folder {project}.", hint="Pick a folder that exists.")
    if folder.parent == folder or folder == Path.home().resolve():
        raise UsageError(
            f"{folder} is too wide for a project folder.", hint="Pick the folder of one project inside it."
        )
    return folder


def _rule_saver(foundation: Foundation) -> Callable[[Permission], Awaitable[None]]:
    async def save(rule: Permission) -> None:
        """Write an "always" of the person into the settings, behind the rules that are there."""
        rules = foundation.settings().agent.permissions
        if rule not in rules:
            written = [kept.model_dump() for kept in (*rules, rule)]
            await foundation.save_settings({"agent": {"permissions": written}})

    return save
