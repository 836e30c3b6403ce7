"""The agents that are at work or were a moment ago, each with what it has read."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.agent.evidence import Evidence
from app.agent.loop.breaker import CompactionCircuitBreaker
from app.agent.loop.context_tokens import ContextTokens
from app.agent.loop.event_log import EventLog
from app.agent.loop.history import History
from app.agent.tools.filesystem.state import FileStateCache
from app.errors import NotFoundError
from app.library import Library
from app.llm.chat import ChatModel
from app.records.ids import PassageId, SessionId
from app.records.passage import PassageHit
from app.services.threads import off_loop

MOST_IDLE = 16
"""So many conversations that nobody works in are kept in memory."""


@dataclass(slots=True, eq=False)
class Agent:
    """One agent: the main one of a conversation, a sub-agent or a teammate."""

    session_id: SessionId
    log: EventLog
    history: History
    files: FileStateCache = field(default_factory=FileStateCache)
    evidence: Evidence = field(default_factory=Evidence)
    breaker: CompactionCircuitBreaker = field(default_factory=CompactionCircuitBreaker)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held from the first to the last row of a turn."""
    running: bool = False
    """Whether what the person types is read by the turn under way."""
    something_waits: bool = False
    """Whether a background result or a letter came in since the turn last looked."""
    wants_compaction: bool = False
    counted: ContextTokens | None = None

    @classmethod
    def new(cls, library: Library, session_id: SessionId, history: History | None = None) -> Agent:
        """An agent that goes on from a history."""
        folded = history or History()
        return cls(session_id, EventLog(library.journal, session_id, folded.apply), folded)

    def tokens(self, model: ChatModel) -> ContextTokens:
        """Return the counter for a model; with another model compaction gets a new try."""
        if self.counted is None or self.counted.model is not model:
            self.counted = ContextTokens(model)
            self.breaker.reset()
        return self.counted


class Sessions:
    """Agents by session, loaded from the journal when they are first needed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._agents: OrderedDict[SessionId, Agent] = OrderedDict()
        self._loading: dict[SessionId, asyncio.Lock] = {}

    async def get(self, session_id: SessionId) -> Agent:
        """Return the agent of a session. Raises NotFoundError."""
        lock = self._loading.setdefault(session_id, asyncio.Lock())
        async with lock:
            agent = self.live(session_id)
            if agent is None:
                agent = await off_loop(self._load, session_id)
                self.add(agent)
        self._loading.pop(session_id, None)
        return agent

    async def catch_up(self, agent: Agent) -> None:
        """Take in what other processes have written since. Raises NotFoundError for a deleted session."""
        await agent.log.settled()
        try:
            rows = await off_loop(self._since, agent.session_id, agent.history.last_row)
        except NotFoundError:
            self.forget(agent.session_id)
            raise
        for row, event in rows:
            agent.history.apply(row, event)
        await off_loop(self._restore, agent, rows)

    def live(self, session_id: SessionId) -> Agent | None:
        """Return the agent of a session if it is in memory."""
        if session_id in self._agents:
            self._agents.move_to_end(session_id)
        return self._agents.get(session_id)

    def add(self, agent: Agent) -> None:
        """Keep an agent; idle ones beyond `MOST_IDLE` are let go, the longest unused first."""
        self._agents[agent.session_id] = agent
        idle = [key for key, other in self._agents.items() if not other.turn.locked()]
        for key in idle[: max(0, len(idle) - MOST_IDLE)]:
            if key != agent.session_id:
                del self._agents[key]

    def forget(self, session_id: SessionId) -> None:
        """Let go of an agent; it is loaded again when it is needed."""
        self._agents.pop(session_id, None)

    def all(self) -> list[Agent]:
        """Return the agents in memory."""
        return list(self._agents.values())

    def _load(self, session_id: SessionId) -> Agent:
        self._library.journal.session(session_id)
        rows = self._library.journal.rows(session_id)
        agent = Agent.new(self._library, session_id, History.of(rows))
        self._restore(agent, rows)
        return agent

    def _since(self, session_id: SessionId, row: int) -> list[tuple[int, dict[str, Any]]]:
        self._library.journal.session(session_id)
        return self._library.journal.rows(session_id, row)

    def _restore(self, agent: Agent, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        for _, event in rows:
            for metadata in _metadata_in(event):
                agent.evidence.restore(metadata, self._passage)

    def _passage(self, passage_id: PassageId) -> PassageHit | None:
        try:
            return self._library.passages.get(passage_id)
        except NotFoundError:
            return None


def _metadata_in(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the metadata of a tool result, also of one inside a sub-agent."""
    while event.get("type") == "nested":
        event = event.get("event") or {}
    metadata = event.get("metadata") if event.get("type") == "tool_result" else None
    return [metadata] if isinstance(metadata, dict) and "evidence" in metadata else []
