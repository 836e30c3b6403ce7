"""A library folder beside a project folder and a forbidden one, and a call of a tool in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.agent.asking import NobodyAsker
from app.agent.evidence import Evidence
from app.agent.policy.paths import Sandbox
from app.agent.services import AgentServices
from app.agent.tools.context import Conversation, ToolContext, Via
from app.agent.tools.filesystem.state import FileStateCache
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import AgentTool, ToolOutput
from app.events import Event
from app.records.ids import SessionId
from app.services.files.searching import FileSearch
from app.settings import Settings


@dataclass
class Place:
    """The folders: `home` of the library, `skills` that come with the program, `project`, `outside`."""

    root: Path
    managed: set[str] = field(default_factory=set)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def files(self) -> Path:
        return self.home / "files"

    @property
    def skills(self) -> Path:
        return self.root / "builtin-skills"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def outside(self) -> Path:
        return self.root / "outside"

    def sandbox(self, *, project: bool = True) -> Sandbox:
        return Sandbox.for_home(
            self.home,
            self.skills,
            self.project if project else None,
            managed=lambda path: path in self.managed,
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """All folders, with a database, settings, backups and something secret outside."""
    place = Place(tmp_path)
    for folder in (place.files, place.skills, place.project, place.outside):
        folder.mkdir(parents=True)
    for name in ("backups", "skills", "tool-results", "files/.incoming", "logs"):
        (place.home / name).mkdir()
    for name in ("library.sqlite3", "settings.toml", "import.lock", "backups/library-1.sqlite3"):
        (place.home / name).write_text("private")
    (place.outside / "secret.txt").write_text("secret")
    return place


class Desk:
    """Calls tools the way the executor does, without its checks."""

    def __init__(self, place: Place, search: FileSearch, settings: Settings) -> None:
        self.place = place
        self.settings = settings
        self.search = search
        self.files = FileStateCache()
        self.reports: list[str] = []
        self.protected: list[str] = []

    def context(self, files: FileStateCache | None = None, *, project: bool = True) -> ToolContext:
        services = SimpleNamespace(settings=lambda: self.settings, file_search=self.search)
        conversation = Conversation(
            session_id=SessionId("s"),
            services=cast("AgentServices", services),
            registry=ToolRegistry.empty(),
            sandbox=self.place.sandbox(project=project),
            asker=NobodyAsker(),
            emit=_emit,
            files=files or self.files,
            evidence=Evidence(),
            project=self.place.project,
        )
        return ToolContext(
            conversation=conversation,
            call_id="call_1",
            step=1,
            waiting=lambda: _nothing([], ""),
            protected=lambda: _nothing(self.protected, "in"),
        )

    async def call(
        self, tool: AgentTool, by: FileStateCache | None = None, /, *, project: bool = True, **arguments: Any
    ) -> ToolOutput:
        args = tool.Args.model_validate(arguments)
        context = self.context(by, project=project)
        return await tool.execute_with_progress(
            args, context, lambda _share, words: self.reports.append(words)
        )

    async def preview(self, tool: AgentTool, **arguments: Any) -> tuple[str, str]:
        return await tool.preview(tool.Args.model_validate(arguments), self.context())


@asynccontextmanager
async def _nothing(log: list[str], word: str) -> AsyncIterator[None]:
    log.append(word)
    yield


async def _emit(event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
    return 1


@pytest.fixture
async def desk(place: Place) -> AsyncIterator[Desk]:
    search = FileSearch()
    yield Desk(place, search, Settings())
    await search.close()


@pytest.fixture
def make_file(place: Place) -> Callable[[str, bytes | str], Path]:
    """Write a file under the library's `files` folder."""

    def write(name: str, content: bytes | str) -> Path:
        path = place.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
