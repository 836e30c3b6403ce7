"""A runtime on a stage: a real library, executor and journal; the model and the tools do as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from app.agent.asking import Asker
from app.agent.background import BgNotificationQueue
from app.agent.execution import Executor, OutputStore
from app.agent.loop.runtime import AgentRuntime
from app.agent.memory import MemoryManager
from app.agent.policy.hooks import HookRunner
from app.agent.policy.paths import Sandbox
from app.agent.policy.permissions import PermissionChecker
from app.agent.services import AgentServices
from app.agent.skills import SkillRegistry
from app.agent.team import TeamManager
from app.agent.tools import AgentTool, ToolRegistry
from app.events import Event, TurnFinished
from app.library import Library
from app.llm.chat import AS_USUAL, ChatItem, ChatMessage, ChatModel, ChatOptions, ToolSpec
from app.records.ids import SessionId
from app.services.answering import Answerer
from app.services.owners import Owner
from app.settings import Settings
from tests.fakes.calls import TestTool
from tests.fakes.pairing import problem
from tests.fakes.scripted_chat import ScriptedChat


@dataclass
class StrictChat(ScriptedChat):
    """A scripted model that refuses what the services refuse; `options_seen` holds those of each request."""

    options_seen: list[ChatOptions] = field(default_factory=list)

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float = 0.2,
        stop: Sequence[str] = (),
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = AS_USUAL,
    ) -> AsyncGenerator[ChatItem, None]:
        assert not problem(messages), problem(messages)
        self.options_seen.append(options)
        items = super().stream(messages, max_tokens=max_tokens, tools=tools)
        async with aclosing(items):
            async for item in items:
                yield item


@dataclass
class Stage:
    """Opens and closes with the test: `async with Stage(home, model, tools) as stage`."""

    home: Path
    model: ChatModel | None
    tools: Sequence[AgentTool] = ()
    agent: Mapping[str, Any] = field(default_factory=dict)
    asker: Asker | None = None
    woken: list[SessionId] = field(default_factory=list)
    answerer: Any = None
    skills: SkillRegistry = field(default_factory=SkillRegistry)
    remember_after_s: float | None = None

    def __post_init__(self) -> None:
        rules = [{"action": "allow", "tool": "*"}]
        self.settings = Settings.model_validate({"agent": {"permissions": rules, **self.agent}})
        self.library = Library.open(self.home)
        self.executor = Executor(
            PermissionChecker(lambda: self.settings),
            HookRunner(()),
            OutputStore(self.home),
            self.library.audit,
            lambda: self.settings,
        )
        self.registry = ToolRegistry(self.tools)
        self.owner = Owner(self.home)
        self.background = BgNotificationQueue(self.library, self.owner)
        self.team = TeamManager(self.library, self.owner)
        self.runtime = AgentRuntime(
            lambda: self.services,
            self.executor,
            self.registry,
            sandbox=lambda project: Sandbox.for_home(self.home, self.home / "no skills", project),
            wake=self.woken.append,
            remember_after_s=self.remember_after_s,
        )
        self.background.on_ready(self.runtime.ready)
        self.team.on_ready(self.runtime.ready)
        self.services = AgentServices(
            home=self.home,
            settings=lambda: self.settings,
            library=self.library,
            searcher=cast(Any, None),
            answerer=cast(Answerer, self.answerer),
            importer=cast(Any, None),
            notes=cast(Any, None),
            chat=lambda: self.model,
            skills=self.skills,
            memory=MemoryManager(self.library.memories),
            background=self.background,
            team=self.team,
            children=self.runtime,
            calls=self.runtime,
            request_compaction=self.runtime.request_compaction,
            **self._later(),
        )

    def _later(self) -> dict[str, Any]:
        """Services that came with other parts and that no test here uses."""
        known = set(AgentServices.__dataclass_fields__)
        return {name: cast(Any, None) for name in ("file_search", "commands") if name in known}

    async def __aenter__(self) -> Stage:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.runtime.close()
        await self.team.close()
        await self.background.close()
        await self.executor.close()
        self.owner.release()
        self.library.close()

    async def ask(
        self,
        text: str = "What is the period?",
        session: SessionId | None = None,
        on: Callable[[Event], Any] = lambda _event: None,
        **options: Any,
    ) -> list[Event]:
        """Run one turn to its end and return its events; `on` hears of each."""
        events = []
        options.setdefault("asker", self.asker)
        async with aclosing(self.runtime.run_turn(text, session=session, **options)) as turn:
            async for event in turn:
                events.append(event)
                on(event)
        return events

    @property
    def session(self) -> SessionId:
        """The conversation used last."""
        return self.library.journal.sessions()[0].session_id

    def rows(self, session: SessionId | None = None) -> list[dict[str, Any]]:
        """Return what the journal holds of a conversation."""
        return self.library.journal.events(session or self.session)

    def types(self, session: SessionId | None = None) -> list[str]:
        """Return the types of the rows, the system prompt and the date aside."""
        return [
            row["type"]
            for row in self.rows(session)
            if row.get("source") not in ("system", "date", "project")
        ]


def reason_of(events: Sequence[Event]) -> str:
    """Return how a turn ended."""
    assert isinstance(events[-1], TurnFinished)
    return events[-1].reason


def look(name: str = "look", **options: Any) -> TestTool:
    """Return a tool that reads."""
    return TestTool(name, **options)


def paired(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every call in these rows has exactly one result."""
    calls = [row["id"] for row in rows if row["type"] == "tool_call"]
    listed = [call["id"] for row in rows if row["type"] == "message" for call in row["calls"]]
    results = [row["tool_call_id"] for row in rows if row["type"] == "tool_result"]
    return sorted({*calls, *listed}) == sorted(results)


async def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until something is so; a hang ends the test."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  what is waited for has no event
            await asyncio.sleep(0.005)
