"""The careful executor of tool calls: the one way from a call of the model to its effect."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

from app.agent.execution.auditing import AuditLog, AuditWriter
from app.agent.execution.duplicates import DuplicateDetector
from app.agent.execution.output_store import HISTORY_BYTES, OutputStore
from app.agent.execution.permission import Permissions
from app.agent.execution.round import Round
from app.agent.execution.scope import Scope
from app.agent.policy.hooks import HookRunner
from app.agent.policy.permissions import PermissionChecker
from app.agent.tools.context import Conversation
from app.events import ToolResult
from app.llm.call_ids import new_call_id
from app.llm.chat import CallPart
from app.settings import Settings

CLOSE_GRACE_S = 5.0
_CLOSING = "The application is closing."

_log = logging.getLogger(__name__)


class Executor:
    """Runs calls for all conversations of the application."""

    def __init__(
        self,
        checker: PermissionChecker,
        hooks: HookRunner,
        outputs: OutputStore,
        audit: AuditLog,
        settings: Callable[[], Settings],
    ) -> None:
        self.checker = checker
        self.hooks = hooks
        self.outputs = outputs
        self._audit = AuditWriter(audit)
        self.settings = settings
        self._rounds: WeakSet[Round] = WeakSet()
        self._stragglers: set[asyncio.Task[Any]] = set()
        self._closed = asyncio.Event()

    def with_checker(self, checker: PermissionChecker) -> Executor:
        """Return an executor with other (narrower) permissions, for a sub-agent; closed with this one."""
        child = copy.copy(self)
        child.checker = checker
        return child

    def begin_round(
        self,
        conversation: Conversation,
        step: int,
        *,
        detector: DuplicateDetector | None = None,
        tainted: Callable[[], bool] = lambda: False,
        max_result_bytes: int = HISTORY_BYTES,
    ) -> Round:
        """Begin the calls of one reply.

        `detector` is that of the turn; it is told that a reply begins. `tainted` says whether untrusted text
        has come before the model; `max_result_bytes` narrows what one result may add to the history where
        the model's context is small.
        """
        detector = detector or DuplicateDetector(self.settings().agent.duplicate_threshold)
        detector.begin_round()
        made = Round(
            Scope(
                conversation=conversation,
                step=step,
                detector=detector,
                permissions=Permissions(self.checker, self.hooks, conversation, tainted),
                outputs=self.outputs,
                audit=self._audit,
                settings=self.settings,
                max_result_bytes=min(max_result_bytes, HISTORY_BYTES),
                disown=self._take_over,
            )
        )
        self._rounds.add(made)
        if self._closed.is_set():
            made.cancel(_CLOSING)
        return made

    async def run_call(
        self,
        conversation: Conversation,
        tool: str,
        arguments: Mapping[str, object] | str,
        *,
        tainted: Callable[[], bool] = lambda: False,
    ) -> ToolResult:
        """Run one call outside a turn, through all checks; `ToolResult.outcome` says how it ended."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        async with self.begin_round(conversation, 0, tainted=tainted) as calls:
            calls.submit(CallPart(new_call_id(), tool, text))
            (result,) = await calls.results()
        await self.audited()
        return result

    async def audited(self) -> None:
        """Wait until the audit log holds all that has happened; calls that only read do not wait for it."""
        await self._audit.settled()

    async def close(self) -> None:
        """Cancel what runs, and wait a little for tools that did not stop when they were told."""
        self._closed.set()
        rounds = list(self._rounds)
        for running in rounds:
            running.cancel(_CLOSING)
        for running in rounds:
            await running.ended()
        await self.audited()
        if self._stragglers:
            for task in self._stragglers:
                task.cancel()
            await asyncio.wait(set(self._stragglers), timeout=CLOSE_GRACE_S)

    def _take_over(self, task: asyncio.Task[Any]) -> None:
        _log.warning("%s did not stop when it was told to", task.get_name())
        self._stragglers.add(task)
        task.add_done_callback(self._let_go)

    def _let_go(self, task: asyncio.Task[Any]) -> None:
        self._stragglers.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.warning("%s ended late: %r", task.get_name(), error)
