"""One call on its way from the model's reply to its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel

from app.agent.tools.tool import AgentTool, ToolKind


class CallState(StrEnum):
    """Where a call is; after FINISHED comes nothing, and its `Outcome` says how it went."""

    VALIDATING = "validating"
    QUEUED = "queued"
    AWAITING_PERMISSION = "awaiting_permission"
    RUNNING = "running"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call whose arguments are understood: the tool is known and `args` is an instance of its `Args`."""

    id: str
    tool: AgentTool
    args: BaseModel
    arguments: Mapping[str, object]
    """What the model (or a hook) wrote, as JSON values."""
    concurrency_safe: bool
    kind: ToolKind

    @classmethod
    def of(
        cls, call_id: str, tool: AgentTool, args: BaseModel, arguments: Mapping[str, object]
    ) -> PreparedCall:
        """Ask the tool what this call is."""
        return cls(call_id, tool, args, arguments, tool.is_concurrency_safe(args), tool.kind_of(args))
