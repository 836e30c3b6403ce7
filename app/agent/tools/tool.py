"""What a tool is. A new tool is one file with a subclass of `AgentTool`, plus one line in `registry`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from app.agent.policy.rules import PermissionRule

if TYPE_CHECKING:
    from app.agent.tools.context import ToolContext


class InterruptBehavior(StrEnum):
    """What a cancel does to a running call."""

    CANCEL = "cancel"
    """It ends at once."""
    BLOCK = "block"
    """It ends as well, except inside `ctx.protected()`, which is always finished first."""


class ToolKind(StrEnum):
    """What a call can do to the world: its class, which decides what happens where no rule speaks."""

    READ = "read"
    """Reads the library or the sandbox. Allowed."""
    AGENT = "agent"
    """Keeps the agent's own affairs: todo, memory, context, sub-agents, mail. Allowed."""
    LIBRARY = "library"
    """Adds to the library what can be undone: notes, papers, parsed text. Allowed."""
    SERVICE = "service"
    """Asks a known service with a query (ADS, arXiv, SIMBAD). Allowed, also after untrusted text."""
    NETWORK = "network"
    """Fetches an address that may be made by the model. Allowed; asks after untrusted text."""
    WRITE = "write"
    """Writes files. Asks."""
    SHELL = "shell"
    """Runs programs. Asks."""
    OUTSIDE = "outside"
    """A tool of an outside MCP server. Asks."""


class ToolArgs(BaseModel):
    """Base of every tool's arguments: unknown names are refused, so that a typing error is seen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoArgs(ToolArgs):
    """A tool that takes nothing."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """`content` is for the model, `metadata` (JSON values) for the screen.

    `untrusted` says that the content holds text of papers, pages or programs: it is fenced when the
    model reads it, and from then on calls that could act on it ask first. `private` says that it holds
    notes, drafts or files of the person: a model on another computer reads it only with their consent.
    """

    content: str
    is_error: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    untrusted: bool = False
    private: bool = False

    @classmethod
    def error(cls, message: str, **metadata: Any) -> ToolOutput:
        """Return an error that the model can act on: what is wrong, and what to do instead."""
        return cls(message, is_error=True, metadata=metadata)


Report = Callable[[float | None, str], None]
"""Takes progress: a share from 0 to 1 (None where the length is not known) and words. Never blocks."""


class AgentTool(ABC):
    """One tool. An instance is shared by all calls and keeps no state of a call.

    Subclasses set `name`, `description`, `Args` and `kind`, write `execute`, and override what differs.
    `execute` may raise AppError, which becomes an error result with its hint; any other exception is
    a fault of the tool, reported as such. `args` is an instance of `Args`, already validated.
    """

    name: str
    description: str
    Args: ClassVar[type[BaseModel]] = NoArgs
    kind: ClassVar[ToolKind] = ToolKind.READ
    polls: ClassVar[bool] = False
    """Exempt from loop detection: asking again is its purpose."""
    pages: ClassVar[bool] = False
    """Its output is cut to pages by itself and is never put on disk."""
    needs_person: ClassVar[bool] = False
    """Offered only where somebody can answer."""
    timeout_s: ClassVar[float | None] = None
    """Own limit in seconds; None takes `agent.tool_timeout_s`, infinity has none."""

    def parameters(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments, as the model sees it."""
        from app.agent.tools.schema import plain_schema

        return plain_schema(self.Args)

    @abstractmethod
    async def execute(self, args: Any, ctx: ToolContext) -> ToolOutput:
        """Do it. Waiting for a person goes through `ctx.ask…`, which stops the clock of the timeout."""

    async def execute_with_progress(self, args: Any, ctx: ToolContext, report: Report) -> ToolOutput:
        """Do it and report how far it is."""
        return await self.execute(args, ctx)

    def interrupt_behavior(self) -> InterruptBehavior:
        """Return what a cancel does."""
        return InterruptBehavior.CANCEL

    def is_concurrency_safe(self, args: Any) -> bool:
        """Whether this call may run beside its neighbours; may depend on the arguments."""
        return False

    def check_permissions(self, args: Any) -> Sequence[PermissionRule]:
        """Return the tool's own rules for this call."""
        return []

    def kind_of(self, args: Any) -> ToolKind:
        """Return the class of this call; may depend on the arguments."""
        return self.kind

    def causes_sibling_abort(self) -> bool:
        """Whether a failure of this call ends the calls that run beside it and those after it."""
        return False

    def subject(self, args: Any) -> str:
        """Return the text that argument patterns of permission rules are matched with.

        By default the first string argument (path, command, query…).
        """
        values = args.model_dump().values() if isinstance(args, BaseModel) else args.values()
        return next((value for value in values if isinstance(value, str)), "")

    async def preview(self, args: Any, ctx: ToolContext) -> tuple[str, str]:
        """Return what exactly will happen, for the permission question, and its form.

        The form is "command", "diff", "path" or "text".
        """
        return self.subject(args), "text"
