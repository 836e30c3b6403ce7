"""The careful executor of tool calls: the one way from a call of the model to its effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from app.agent.execution.duplicates import DuplicateDetector
from app.agent.execution.output_store import OutputStore
from app.agent.execution.round import Round
from app.agent.tools.context import Conversation
from app.events import ToolResult
from app.records.ids import SessionId
from app.settings import Settings

if TYPE_CHECKING:
    from app.agent.policy.hooks import HookRunner
    from app.agent.policy.permissions import PermissionChecker


class AuditLog(Protocol):
    """Keeps what was done: `app.library.audit`. Blocking; called in a thread."""

    def record(
        self, session_id: SessionId, call_id: str, tool: str, arguments_json: str, outcome: str, detail: str
    ) -> None:
        """Note the start (outcome "running") or the end of a call."""


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
        self.audit = audit
        self.settings = settings

    def with_checker(self, checker: PermissionChecker) -> Executor:
        """Return an executor with other (narrower) permissions, for a sub-agent."""
        raise NotImplementedError

    def begin_round(
        self,
        conversation: Conversation,
        step: int,
        *,
        detector: DuplicateDetector | None = None,
        tainted: Callable[[], bool] = lambda: False,
        max_result_bytes: int | None = None,
    ) -> Round:
        """Begin the calls of one reply.

        `tainted` says whether untrusted text has come before the model; `max_result_bytes` narrows what
        one result may add to the history where the model's context is small.
        """
        raise NotImplementedError

    async def run_call(
        self,
        conversation: Conversation,
        tool: str,
        arguments: Mapping[str, object] | str,
        *,
        tainted: Callable[[], bool] = lambda: False,
    ) -> ToolResult:
        """Run one call outside a turn, through all checks; `ToolResult.outcome` says how it ended."""
        raise NotImplementedError

    async def close(self) -> None:
        """Cancel rounds under way and wait for tools that did not stop when they were told."""
        raise NotImplementedError
