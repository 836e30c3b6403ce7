"""An executor on a bench: a conversation whose journal is a list, and tools that do as a test says.

bench = Bench(tmp_path)
bench.add(tool("look", safe=True))
results = await bench.reply(("look", {"text": "a"}), ("look", {"text": "b"}))
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, cast

from pydantic import BaseModel

from app.agent.asking import Asker, NobodyAsker, PermissionReply, QuestionReply
from app.agent.execution import DuplicateDetector, Executor, OutputStore, Round
from app.agent.policy.hooks import HookCall, HookRunner, PostOutcome, PreOutcome
from app.agent.policy.paths import Sandbox
from app.agent.policy.permissions import PermissionChecker
from app.agent.policy.rules import PermissionRule
from app.agent.services import AgentServices
from app.agent.tools import (
    AgentTool,
    InterruptBehavior,
    Report,
    ToolContext,
    ToolKind,
    ToolOutput,
    ToolRegistry,
)
from app.agent.tools.context import Conversation, Emit, Via
from app.agent.tools.filesystem.state import FileStateCache
from app.agent.tools.tool import ToolArgs
from app.errors import AppError
from app.events import Event, PermissionRequest, Question, ToolCall, ToolProgress, ToolResult
from app.llm.call_ids import new_call_id
from app.llm.chat import CallPart
from app.records.ids import SessionId
from app.settings import Settings

Does = Callable[[Any, ToolContext], Awaitable[ToolOutput]]


class TextArgs(ToolArgs):
    """One text and one number."""

    text: str = ""
    number: int | None = None


class TestTool(AgentTool):
    """Does what it is given; `ran` counts."""

    __test__: ClassVar[bool] = False
    Args: ClassVar[type[BaseModel]] = TextArgs

    def __init__(
        self,
        name: str,
        does: Does | None = None,
        *,
        safe: bool | Callable[[Any], bool] = False,
        kind: ToolKind = ToolKind.READ,
        aborts: bool = False,
        block: bool = False,
        rules: Sequence[PermissionRule] = (),
        args: type[BaseModel] = TextArgs,
        **settings: Any,
    ) -> None:
        self.name = name
        self.description = f"Does what {name} does."
        self.kind = kind  # type: ignore[misc]
        self.Args = args  # type: ignore[misc]
        for key, value in settings.items():
            setattr(self, key, value)
        self._does, self._safe, self._aborts, self._block, self._rules = does, safe, aborts, block, rules
        self.ran: list[Any] = []

    async def execute(self, args: Any, ctx: ToolContext) -> ToolOutput:
        self.ran.append(args)
        if self._does is None:
            return ToolOutput(f"{self.name}: {getattr(args, 'text', '')}")
        return await self._does(args, ctx)

    def interrupt_behavior(self) -> InterruptBehavior:
        return InterruptBehavior.BLOCK if self._block else InterruptBehavior.CANCEL

    def is_concurrency_safe(self, args: Any) -> bool:
        return self._safe(args) if callable(self._safe) else self._safe

    def check_permissions(self, args: Any) -> Sequence[PermissionRule]:
        return self._rules

    def causes_sibling_abort(self) -> bool:
        return self._aborts


class ReportingTool(TestTool):
    """Reports the words of its text one by one."""

    async def execute_with_progress(self, args: Any, ctx: ToolContext, report: Report) -> ToolOutput:
        words = args.text.split()
        for place, word in enumerate(words, start=1):
            report(place / len(words), word)
            await asyncio.sleep(0)
        return await self.execute(args, ctx)


@dataclass
class Rows:
    """The journal: what was emitted, in order; `slow_s` is what a row takes."""

    events: list[Event] = field(default_factory=list)
    durable: list[bool | None] = field(default_factory=list)
    fails: Callable[[Event], AppError | None] = lambda _event: None
    """Sees every event as it comes; what it returns is raised."""
    slow_s: float = 0.0

    async def emit(self, event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
        await asyncio.sleep(self.slow_s)
        if error := self.fails(event):
            raise error
        self.events.append(event)
        self.durable.append(durable)
        return 0 if isinstance(event, ToolProgress) else len(self.events)

    def of(self, *kinds: type[Event]) -> list[Any]:
        """Return the events of these kinds."""
        return [event for event in self.events if isinstance(event, kinds)]


@dataclass
class Audit:
    """The audit log: (call id, tool, outcome, detail) in order."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def record(
        self, session_id: SessionId, call_id: str, tool: str, arguments_json: str, outcome: str, detail: str
    ) -> None:
        self.rows.append((call_id, tool, outcome, detail))
        self.arguments.append(arguments_json)


@dataclass
class PersonAsker:
    """Answers permission requests with what was prepared; waits for ever when there is nothing."""

    answers: list[PermissionReply] = field(default_factory=list)
    asked: list[PermissionRequest] = field(default_factory=list)
    present: bool = True

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        self.asked.append(request)
        if not self.answers:
            await asyncio.Event().wait()
        return self.answers.pop(0)

    async def question(self, question: Question, timeout_s: float | None) -> QuestionReply:
        return QuestionReply("no_answer")


class TestHooks(HookRunner):
    """Hooks that are two functions."""

    __test__ = False

    def __init__(
        self,
        pre: Callable[[HookCall], PreOutcome] | None = None,
        post: Callable[[HookCall, ToolOutput], PostOutcome] | None = None,
    ) -> None:
        super().__init__(())
        self._pre, self._post = pre, post
        self.seen: list[HookCall] = []

    def any_for(self, tool: str) -> bool:
        return self._pre is not None or self._post is not None

    async def pre(self, call: HookCall) -> PreOutcome:
        self.seen.append(call)
        return self._pre(call) if self._pre else PreOutcome()

    async def post(self, call: HookCall, output: ToolOutput) -> PostOutcome:
        return self._post(call, output) if self._post else PostOutcome(output)


class Bench:
    """An executor with one conversation."""

    def __init__(
        self,
        home: Path,
        *tools: AgentTool,
        settings: Mapping[str, Any] | None = None,
        asker: Asker | None = None,
        hooks: HookRunner | None = None,
        emit: Emit | None = None,
        audit: Audit | None = None,
    ) -> None:
        self.rows, self.audit = Rows(), audit or Audit()
        self.settings = Settings.model_validate(
            {"agent": {"permissions": [{"action": "allow", "tool": "*"}], **(settings or {})}}
        )
        self.registry = ToolRegistry(tools)
        self.detector = DuplicateDetector(self.settings.agent.duplicate_threshold)
        self.outputs = OutputStore(home)
        self.executor = Executor(
            PermissionChecker(lambda: self.settings),
            hooks or HookRunner(()),
            self.outputs,
            self.audit,
            lambda: self.settings,
        )
        self.tainted = False
        self.conversation = Conversation(
            session_id=SessionId("session"),
            services=cast(AgentServices, None),
            registry=self.registry,
            sandbox=Sandbox((), base=home),
            asker=asker or NobodyAsker(),
            emit=emit or self.rows.emit,
            files=cast(FileStateCache, None),
            evidence=cast(Any, None),
        )

    def begin(self, step: int = 1, **options: Any) -> Round:
        """Begin a round with the detector of this turn."""
        return self.executor.begin_round(
            self.conversation, step, detector=self.detector, tainted=lambda: self.tainted, **options
        )

    async def reply(self, *calls: tuple[str, Mapping[str, Any] | str]) -> list[ToolResult]:
        """Run the calls of one reply and return their results."""
        async with self.begin() as running:
            for name, arguments in calls:
                running.submit(part(name, arguments))
            results = list(await running.results())
        await self.executor.audited()
        return results

    def paired(self) -> bool:
        """Whether every call in the journal has exactly one result, which comes later."""
        calls = [event.id for event in self.rows.of(ToolCall)]
        results = [event.tool_call_id for event in self.rows.of(ToolResult)]
        order = [
            event.id if isinstance(event, ToolCall) else f"result {event.tool_call_id}"
            for event in self.rows.of(ToolCall, ToolResult)
        ]
        return sorted(calls) == sorted(results) and all(
            order.index(call) < order.index(f"result {call}") for call in calls
        )


def part(name: str, arguments: Mapping[str, Any] | str) -> CallPart:
    """Return a call as the stream assembly makes it."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return CallPart(new_call_id(), name, text)
