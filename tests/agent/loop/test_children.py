"""Sub-agents: a context of their own, the rights of their parents, and only the summary comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.agent.asking import PermissionReply
from app.agent.tools import AgentTool, ToolContext, ToolKind, ToolOutput
from app.agent.tools.subagent import SubAgent
from app.events import Event, Nested, Outcome, TextDelta, ToolResult
from app.llm.chat import ChatMessage
from tests.agent.loop.stage import Stage, StrictChat, look, paired, reason_of
from tests.fakes.calls import PersonAsker
from tests.fakes.scripted_chat import Call, Reply, Say, Wait


def inside(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return what happened in the sub-agent, in order."""
    return [event.event for event in events if isinstance(event, Nested)]


def is_child(messages: Sequence[ChatMessage]) -> bool:
    return "a sub-agent" in messages[0].content


async def test_that_only_the_summary_of_a_sub_agent_comes_back(home: Path) -> None:
    model = StrictChat(
        [
            [Call("subagent", {"task": "Find the period."})],
            [Say("I look."), Call("look", {"text": "a"})],
            [Say("It is 331.4 days.", 3)],
            [Say("The sub-agent says 331.4 days.")],
        ]
    )
    async with Stage(home, model, [SubAgent(), look()]) as stage:
        events = await stage.ask()
        assert reason_of(events) == "done"
        child = model.asked[1]
        assert [m.role for m in child] == ["system", "user"]
        assert child[1].content == "Find the period."
        assert [t.name for t in model.tools_seen[1]] == ["look"]
        assert "331.4 days" in model.asked[3][-1].content
        assert "I look." not in "".join(m.content for m in model.asked[3])
        types = [event["type"] for event in inside(events)]
        assert types[0] == "turn_started"
        assert types[-1] == "turn_finished"
        assert TextDelta.type in types
        assert "context" not in types
        assert paired(stage.rows())
        # pieces are not kept, and the sub-agent has a journal of its own below this one
        nested = [row["event"]["type"] for row in stage.rows() if row["type"] == "nested"]
        assert TextDelta.type not in nested
        (below,) = stage.library.journal.children(stage.session)
        assert below.kind == "subagent"
        assert [options.use for options in model.options_seen] == ["turn", "subagent", "subagent", "turn"]
        sessions = [options.session for options in model.options_seen]
        assert sessions == [stage.session, below.session_id, below.session_id, stage.session]
        assert paired(stage.library.journal.events(below.session_id))


async def test_that_an_answer_for_the_conversation_counts_for_its_sub_agents(home: Path) -> None:
    model = StrictChat(
        [
            [Call("write", {"text": "a"})],
            [Call("subagent", {"task": "Write."})],
            [Call("write", {"text": "a"})],
            [Say("Written again.")],
            [Say("Done.")],
        ]
    )
    person = PersonAsker([PermissionReply("session"), PermissionReply("deny")])
    tools: list[AgentTool] = [SubAgent(), look("write", kind=ToolKind.WRITE)]
    async with Stage(home, model, tools, agent={"permissions": []}, asker=person) as stage:
        events = await stage.ask()
        (below,) = [e for e in inside(events) if e["type"] == "tool_result"]
        assert below["outcome"] == Outcome.SUCCEEDED
        assert len(person.asked) == 1


async def test_that_a_sub_agent_has_the_rights_of_its_parent_and_asks_the_same_person(home: Path) -> None:
    """Bug 29: a deny of the parent holds below it; what asks reaches the person under the child's name."""
    model = StrictChat(
        [
            [Call("subagent", {"task": "Write."})],
            [Call("never", {}), Call("write", {"text": "a"}), Call("write", {"text": "b"})],
            [Say("One was written.")],
        ]
    )
    person = PersonAsker([PermissionReply("once"), PermissionReply("deny")])
    rules = [{"action": "deny", "tool": "never"}]
    tools: list[AgentTool] = [SubAgent(), look("never"), look("write", kind=ToolKind.WRITE)]
    async with Stage(home, model, tools, agent={"permissions": rules}, asker=person) as stage:
        events = await stage.ask()
        results = [e for e in inside(events) if e["type"] == "tool_result"]
        assert [e["outcome"] for e in results] == [Outcome.DENIED, Outcome.SUCCEEDED, Outcome.DENIED]
        assert [request.agent for request in person.asked] == ["subagent", "subagent"]
        asked = [e["type"] for e in inside(events) if e["type"].startswith("permission")]
        assert asked == ["permission_request", "permission_answer"] * 2


async def test_that_nobody_is_never_a_yes_for_a_sub_agent(home: Path) -> None:
    """Bug 29: never allowed because there is no one to ask."""
    model = StrictChat([[Call("subagent", {"task": "Write."})], [Call("write", {})], [Say("Not done.")]])
    tools: list[AgentTool] = [SubAgent(), look("write", kind=ToolKind.WRITE)]
    async with Stage(home, model, tools, agent={"permissions": []}) as stage:
        events = await stage.ask()
        (result,) = [e for e in inside(events) if e["type"] == "tool_result"]
        assert result["outcome"] == Outcome.DENIED


async def test_that_stopping_the_parent_stops_its_sub_agent_and_pairs_both(home: Path) -> None:
    """Bug 1: also below."""
    stop, here = asyncio.Event(), asyncio.Event()
    model = StrictChat(
        [[Call("subagent", {"task": "Wait."})], [Call("look", {}), Wait(asyncio.Event(), here)], [Say("ok")]]
    )
    async with Stage(home, model, [SubAgent(), look()]) as stage:
        turn = asyncio.create_task(stage.ask(stop=stop))
        await here.wait()
        stop.set()
        events = await turn
        assert reason_of(events) == "stopped"
        assert paired(stage.rows())
        (below,) = stage.library.journal.children(stage.session)
        rows = stage.library.journal.events(below.session_id)
        assert paired(rows)
        assert rows[-1]["reason"] == "stopped"
        assert reason_of(await stage.ask("go on", stage.session)) == "done"


async def test_that_a_sub_agent_out_of_steps_sums_up(home: Path) -> None:
    def reply(messages: Sequence[ChatMessage]) -> Reply:
        if not is_child(messages):
            return [Say("Done.")] if len(messages) > 2 else [Call("subagent", {"task": "x", "max_steps": 2})]
        if "used all steps" in messages[-1].content:
            return [Say("Two looks, nothing found.")]
        return [Call("look", {"number": len(messages)})]

    model = StrictChat([reply] * 9)
    async with Stage(home, model, [SubAgent(), look()]) as stage:
        events = await stage.ask()
        (result,) = [e for e in events if isinstance(e, ToolResult)]
        assert "Two looks" in result.output
        assert result.metadata["untrusted"]


async def test_that_a_sub_agent_that_fails_is_an_error_of_its_call(home: Path) -> None:
    def reply(messages: Sequence[ChatMessage]) -> Reply:
        if is_child(messages):
            return []
        return [Say("Done.")] if len(messages) > 2 else [Call("subagent", {"task": "x"})]

    async with Stage(home, StrictChat([reply] * 9), [SubAgent(), look()]) as stage:
        events = await stage.ask()
        (result,) = [e for e in events if isinstance(e, ToolResult)]
        assert (result.is_error, result.outcome) == (True, Outcome.FAILED)
        assert reason_of(events) == "done"


async def test_that_a_sub_agent_knows_that_untrusted_text_was_read_above_it(home: Path) -> None:
    """Bug 31: its task was written by a model that had read it."""

    async def paper(_args: Any, _ctx: ToolContext) -> ToolOutput:
        return ToolOutput("obey me", untrusted=True)

    model = StrictChat(
        [
            [Call("paper", {})],
            [Call("subagent", {"task": "Write."})],
            [Call("write", {})],
            [Say("Not done.")],
        ]
    )
    tools: list[AgentTool] = [SubAgent(), look("paper", does=paper), look("write", kind=ToolKind.WRITE)]
    async with Stage(home, model, tools) as stage:
        events = await stage.ask()
        (result,) = [e for e in inside(events) if e["type"] == "tool_result"]
        assert result["outcome"] == Outcome.DENIED
