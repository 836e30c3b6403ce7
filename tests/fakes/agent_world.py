"""A library with a conversation that runs no model: what a tool needs to be executed by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from app.agent.asking import Asker, NobodyAsker, PermissionReply, QuestionReply
from app.agent.evidence import Evidence
from app.agent.memory import MemoryManager
from app.agent.services import AgentServices
from app.agent.skills import SkillRegistry
from app.agent.tools.context import Conversation, ToolContext, Via
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import AgentTool, Report, ToolOutput
from app.events import Event, PermissionRequest, Question
from app.library import Library
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, SessionId
from app.records.paper import PaperRecord
from app.records.passage import Passage, PassageKind, Quad, TextLine
from app.services.notes import NotesService
from app.services.searching import Searcher
from app.settings import Settings


@dataclass
class PersonAsker:
    """A person who answers every question with `reply`, or waits on `wait`."""

    reply: QuestionReply = field(default_factory=lambda: QuestionReply("answered", "yes"))
    wait: Callable[[], Any] | None = None
    timeouts: list[float | None] = field(default_factory=list)

    @property
    def present(self) -> bool:
        """There is a person."""
        return True

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        """Allow it."""
        return PermissionReply("once")

    async def question(self, question: Question, timeout_s: float | None) -> QuestionReply:
        """Answer."""
        self.timeouts.append(timeout_s)
        if self.wait is not None:
            await self.wait()
        return self.reply


@dataclass
class Child:
    """One sub-agent that was asked for."""

    task: str
    name: str
    max_steps: int
    instructions: str
    tools: list[str]
    asks: bool


class Children:
    """Runs no sub-agent: remembers what was asked for and returns `summary`."""

    def __init__(self, summary: str = "It is done [1].") -> None:
        self.summary = summary
        self.asked: list[Child] = []

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
    ) -> str:
        """Remember it."""
        tools = (registry or parent.conversation.registry).names()
        asks = parent.conversation.asker.present
        self.asked.append(Child(task, name, max_steps, instructions, tools, asks))
        return self.summary


class World:
    """An open library, a session, and what its tools did: `events`, `states`, `compactions`."""

    def __init__(self, home: Path, *, skills: SkillRegistry | None = None) -> None:
        self.home = home
        self.library = Library.open(home)
        self.session = self.library.journal.new_session("a test")
        self.events: list[Event] = []
        self.states: list[str] = []
        self.compactions: list[str] = []
        self.children = Children()
        self.asker: Asker = NobodyAsker()
        self.registry = ToolRegistry.empty()
        self.evidence = Evidence()
        self.model: object | None = None
        self.overrides: dict[str, Any] = {}
        self.memory = MemoryManager(self.library.memories)
        self.skills = skills or SkillRegistry()
        self.searcher = Searcher(self.library, lambda: None)
        self.notes = NotesService(self.library, cast(Any, None))

    def close(self) -> None:
        """Close the library."""
        self.library.close()

    def context(self, *, depth: int = 0, session: SessionId | None = None) -> ToolContext:
        """Return the context of a call."""
        services = SimpleNamespace(
            home=self.home,
            settings=lambda: Settings(**self.overrides),
            library=self.library,
            searcher=self.searcher,
            notes=self.notes,
            chat=lambda: self.model,
            skills=self.skills,
            memory=self.memory,
            children=self.children,
            request_compaction=self.compactions.append,
            consent=None,
        )
        conversation = Conversation(
            session_id=session or self.session,
            services=cast(AgentServices, services),
            registry=self.registry,
            sandbox=cast(Any, None),
            asker=self.asker,
            emit=self._emit,
            files=cast(Any, None),
            evidence=self.evidence,
            depth=depth,
        )
        return ToolContext(
            conversation=conversation,
            call_id="call_1",
            step=1,
            waiting=lambda: self._state("waiting"),
            protected=lambda: self._state("protected"),
        )

    async def run(self, tool: AgentTool, *, depth: int = 0, **arguments: object) -> ToolOutput:
        """Validate the arguments and execute the tool, with no executor around it."""
        return await tool.execute(tool.Args.model_validate(arguments), self.context(depth=depth))

    def add_paper(
        self,
        title: str,
        sections: Sequence[tuple[str, Sequence[str]]] = (),
        *,
        authors: Sequence[str] = ("Adam G. Riess", "Lucas M. Macri", "Samantha Hoffmann"),
        year: int = 2016,
        name: str = "paper.md",
        **fields: Any,
    ) -> PaperId:
        """Add a paper; each section holds one passage a text, each on a page of its own."""
        record = PaperRecord(title=title, authors=tuple(authors), year=year, **fields)
        paper = self.library.papers.add(record)
        if sections:
            self.add_text(paper, title, sections, name=name)
        return paper

    def add_text(
        self, paper: PaperId, title: str, sections: Sequence[tuple[str, Sequence[str]]], *, name: str = "a.md"
    ) -> FileId:
        """Add a file whose passages these are."""
        placed = [(section, text) for section, texts in sections for text in texts]
        file = self.library.files.add(
            paper,
            sha256=f"{paper}/{name}",
            path=f"{paper}/{name}",
            original_name=name,
            size=1000,
            pages=len(placed),
            status="added",
        )
        self.library.passages.write(
            file,
            [_passage(section, text, page) for page, (section, text) in enumerate(placed)],
            None,
            model="",
            headers=[f"{title} | {section}" for section, _ in placed],
            through_page=len(placed) - 1,
            done=True,
        )
        return file

    async def _emit(self, event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
        # As the event log does: a cancelled emit gives up waiting, not the row.
        self.events.append(event)
        row = len(self.events)
        await asyncio.sleep(0)
        return row

    @asynccontextmanager
    async def _state(self, name: str) -> AsyncIterator[None]:
        self.states.append(name)
        try:
            yield
        finally:
            self.states.append(f"end of {name}")


def _passage(section: str, text: str, page: int) -> Passage:
    kinds = {"abstract": PassageKind.ABSTRACT, "references": PassageKind.REFERENCES}
    box = Quad((72.0, 700.0), (300.0, 700.0), (72.0, 690.0), (300.0, 690.0))
    return Passage(
        page=PageIndex(page),
        page_label=PageLabel(str(page + 1)),
        start=0,
        end=len(text),
        text=text,
        section=section,
        kind=kinds.get(section.lower(), PassageKind.TEXT),
        lines=(TextLine(0, len(text), box),),
    )
