"""The built-in conformance set: what a model that can use tools must get right. Data and a judge; pure.

    items = [item async for item in model.stream(case.messages, max_tokens=…, tools=case.tools)]
    verdict = judge(case, heard(items))

`valid` is about form and must hold for every reply of every model behind this application: known tools,
arguments that keep to their schema, nothing cut. `right` is about sense, and small models fail at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.llm.assemble import CutCall, StreamAssembler
from app.llm.chat import (
    CallDelta,
    CallPart,
    ChatDelta,
    ChatEnd,
    ChatItem,
    ThinkingChunk,
    ToolSpec,
)
from app.llm.local.calls.schema_check import problems_of_call
from app.llm.local.conformance_cases import CASES, Case

QUICK: tuple[Case, ...] = tuple(
    case for case in CASES if case.name in {"one call", "no tool needed", "a list", "after a result"}
)
"""The few that a battery of a minute has time for."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A whole reply. `reason` is None when the stream was cut."""

    text: str = ""
    thinking: str = ""
    calls: tuple[CallPart, ...] = ()
    cut: tuple[CutCall, ...] = ()
    reason: str | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to say of a reply; `problems` in words."""

    case: str
    valid: bool
    right: bool
    problems: tuple[str, ...] = ()


def heard(items: Iterable[ChatItem]) -> Heard:
    """Return the reply that the items of a stream make."""
    assembler = StreamAssembler()
    text: list[str] = []
    thinking: list[str] = []
    end: ChatEnd | None = None
    for item in items:
        match item:
            case ChatDelta():
                text.append(item.text)
            case ThinkingChunk():
                thinking.append(item.text)
            case CallDelta():
                assembler.feed(item)
            case ChatEnd():
                end = item
            case _:
                continue
    finished = assembler.finish(end.reason if end else None)
    return Heard(
        "".join(text),
        "".join(thinking),
        finished.calls,
        finished.cut,
        end.reason if end else None,
        end.completion_tokens if end else 0,
    )


def judge(case: Case, reply: Heard) -> Verdict:
    """Return whether the reply is well formed, and whether it is what the case asks for."""
    wrong = [*_unwell(case.tools, reply)]
    missed = [*_missed(case, reply)] if not wrong else []
    return Verdict(case.name, not wrong, not (wrong or missed), (*wrong, *missed))


def _unwell(tools: Sequence[ToolSpec], reply: Heard) -> Iterable[str]:
    schemas: Mapping[str, object] = {tool.name: tool.parameters for tool in tools}
    if reply.reason is None:
        yield "The stream ended before the reply did."
    for cut in reply.cut:
        yield f"A call was cut ({cut.reason}): {cut.name or '?'} {cut.arguments[:80]}"
    for call in reply.calls:
        if call.name not in schemas:
            yield f"There is no tool {call.name!r}."
        else:
            for problem in problems_of_call(schemas[call.name], call.arguments):
                yield f"{call.name}: {problem}"
    if not reply.calls and not reply.cut and not reply.text.strip():
        yield "The reply is empty."


def _missed(case: Case, reply: Heard) -> Iterable[str]:
    if not case.tool:
        if reply.calls:
            yield f"No tool was wanted, {reply.calls[0].name} was called."
        return
    fitting = [call for call in reply.calls if call.name == case.tool]
    if not fitting:
        yield f"{case.tool} was wanted, {', '.join(call.name for call in reply.calls) or 'none'} was called."
        return
    written = " ".join(call.arguments for call in fitting).casefold()
    for word in case.words:
        if word.casefold() not in written:
            yield f"{case.tool}: {word!r} is not in its arguments."
