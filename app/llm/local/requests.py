"""What the application asks of the `llm` worker for one reply, as it goes through the pipe. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from app.llm.chat import CallPart, ChatMessage, ToolSpec, Use
from app.llm.local.rendering import Written
from app.workers.protocol import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Which model, and how. `state_folder` is where states are kept on disk ("" for nowhere)."""

    model: str
    context_tokens: int
    threads: tuple[int, int] = (0, 0)
    """For writing and for reading; 0 means: measure."""
    rung: int = 0
    """How often loading it has crashed."""
    state_folder: str = ""

    @classmethod
    def of(cls, params: Mapping[str, JSON]) -> Load:
        """Read what `asdict` wrote, in a request that may hold more."""
        writing, reading = params.get("threads") or (0, 0)
        return cls(
            model=str(params["model"]),
            context_tokens=int(params["context_tokens"]),
            threads=(int(writing), int(reading)),
            rung=int(params.get("rung") or 0),
            state_folder=str(params.get("state_folder") or ""),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One reply. `written` are replies by their place among the messages."""

    messages: Sequence[ChatMessage]
    max_tokens: int
    temperature: float = 0.2
    stop: Sequence[str] = ()
    tools: Sequence[ToolSpec] = ()
    family: str = ""
    forced: str = ""
    thinking: bool | None = None
    constrained: bool = True
    """False holds nothing to a grammar: one of these tools has crashed the worker before."""
    use: Use = Use.TURN
    session: str = ""
    written: Mapping[int, Written] = field(default_factory=dict)

    def as_json(self) -> dict[str, JSON]:
        """Return the parameters of the request."""
        return asdict(self)

    @classmethod
    def of(cls, params: Mapping[str, JSON]) -> Ask:
        """Read what `as_json` wrote, behind its way through JSON."""
        return cls(
            messages=[_message(each) for each in params["messages"]],
            max_tokens=int(params["max_tokens"]),
            temperature=float(params.get("temperature", 0.2)),
            stop=[str(word) for word in params.get("stop") or ()],
            tools=[ToolSpec(t["name"], t["description"], t["parameters"]) for t in params.get("tools") or ()],
            family=str(params.get("family") or ""),
            forced=str(params.get("forced") or ""),
            thinking=params.get("thinking"),
            constrained=bool(params.get("constrained", True)),
            use=Use(params.get("use") or Use.TURN),
            session=str(params.get("session") or ""),
            written={
                int(place): Written(w["head"], w["text"], w.get("family") or "")
                for place, w in (params.get("written") or {}).items()
            },
        )


def _message(given: Mapping[str, Any]) -> ChatMessage:
    calls = tuple(CallPart(c["id"], c["name"], c["arguments"]) for c in given.get("calls") or ())
    return ChatMessage(
        given["role"], given["content"], given.get("thinking") or "", calls, given.get("call_id") or ""
    )
