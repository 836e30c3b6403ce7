"""What the agent's tools may use of the application, put together in `application.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.library import Library
from app.library.journal import SessionKind
from app.llm.chat import ChatModel
from app.services.answering import Answerer
from app.services.consent import Consent
from app.services.files.searching import FileSearch
from app.services.importing import Importer
from app.services.notes import NotesService
from app.services.searching import Searcher
from app.settings import Settings

if TYPE_CHECKING:
    from app.agent.background import BgNotificationQueue
    from app.agent.memory import MemoryManager
    from app.agent.skills import SkillRegistry
    from app.agent.team import TeamManager
    from app.agent.tools.context import Conversation, ToolContext
    from app.agent.tools.registry import ToolRegistry
    from app.agent.tools.tool import Report, ToolOutput


class ChildRunner(Protocol):
    """Runs sub-agents."""

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
        """Run a task in an isolated context and return its summary; events go out as `Nested`.

        The child's rights are its parent's at most; its questions for permission reach the same
        person under its name. `registry` narrows the tools further. Raises AppError when it fails.
        """


class CallRunner(Protocol):
    """Runs one call through the whole executor, outside of a turn."""

    async def run_call(
        self, conversation: Conversation, tool: str, arguments: dict[str, object]
    ) -> ToolOutput:
        """Return the output of the call; `metadata["outcome"]` says how it ended."""


@dataclass(slots=True, kw_only=True)
class AgentServices:
    """The operations and managers that tools call. One object for the whole application."""

    home: Path
    settings: Callable[[], Settings]
    library: Library
    searcher: Searcher
    answerer: Answerer
    importer: Importer
    notes: NotesService
    chat: Callable[[], ChatModel | None]
    skills: SkillRegistry
    memory: MemoryManager
    background: BgNotificationQueue
    team: TeamManager
    children: ChildRunner
    calls: CallRunner
    request_compaction: Callable[[str], None]
    """Asks for a manual compaction of a session before its next model call."""
    file_search: FileSearch = field(default_factory=FileSearch)
    """Has processes once it was used: close it with the application."""
    consent: Consent | None = None
    """Asked before private text goes to a model on another computer; None lets it go."""
    tool_limit: Callable[[], int | None] = lambda: None
    """How many tools the model of the moment is shown; None is all of them."""
    note_papers: Callable[[Sequence[str]], None] = lambda _ids: None
    """Tells the window that papers changed."""
