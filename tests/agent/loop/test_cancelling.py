"""A turn that is cancelled at any step leaves a conversation that can go on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from app.agent.loop.history import History
from app.agent.tools import AgentTool, ToolContext, ToolOutput
from app.agent.tools.subagent import SubAgent
from app.llm.chat import ChatMessage
from tests.agent.loop.stage import Stage, StrictChat, look, paired, reason_of
from tests.fakes.pairing import problem
from tests.fakes.scripted_chat import Call, Reply, Say
from tests.harness.cancelling import at_every_step


def script(messages: Sequence[ChatMessage]) -> Reply:
    """Two parallel calls, then one alone, then words; again in every turn."""
    last = next(i for i in reversed(range(len(messages))) if messages[i].role == "user")
    rounds = sum(message.role == "assistant" for message in messages[last:])
    replies: list[Reply] = [
        [Say("I look. "), Call("look", {"number": 1}), Call("look", {"number": 2}), Say("and")],
        [Call("write", {"text": "a"})],
        [Say("Done.")],
    ]
    return replies[min(rounds, 2)]


def check_of(stage: Stage) -> Callable[[], None]:
    """Return a check of the conversation used last, and of those below it."""

    def check() -> None:
        sessions = stage.library.journal.sessions(limit=1)
        if not sessions:
            return
        session = sessions[0].session_id
        assert not stage.runtime.running(session)
        below = [row.session_id for row in stage.library.journal.children(session)]
        for one in (session, *below):
            rows = stage.library.journal.rows(one)
            events = [event for _, event in rows]
            if not events:
                continue
            assert paired(events)
            if "turn_started" in [e["type"] for e in events]:
                assert events[-1]["type"] == "turn_finished"
                assert [e["type"] for e in events].count("turn_finished") == 1
            history = History.of(rows)
            assert not history.open_turn
            assert not history.open_calls()
            # and the conversation is not spoiled
            sent = [*history.messages(), ChatMessage("user", "go on")]
            assert not problem(sent), problem(sent)

    return check


@pytest.mark.slow
async def test_that_cancelling_at_every_step_keeps_every_call_paired(home: Path) -> None:
    """Bug 1: whatever the step, calls and results are paired, the turn is closed, the next one runs."""

    async def write(_args: Any, ctx: ToolContext) -> ToolOutput:
        async with ctx.protected():
            return ToolOutput("written")

    turns = itertools.count()
    model = StrictChat([script] * 100_000, context_tokens=10_000_000)
    tools = [look(safe=True), look("write", does=write, block=True)]
    async with Stage(home, model, tools) as stage:

        async def one_turn() -> None:
            async with aclosing(stage.runtime.run_turn(f"question {next(turns)}")) as events:
                async for _ in events:
                    pass

        assert await at_every_step(one_turn, check_of(stage)) > 50
        assert reason_of(await stage.ask("go on", stage.session)) == "done"


@pytest.mark.slow
async def test_that_cancelling_at_any_step_leaves_sub_agents_and_compactions_whole(home: Path) -> None:
    """Bug 1: below the conversation too, and while it is shortened."""

    def reply(messages: Sequence[ChatMessage]) -> Reply:
        if "Write the summary." in messages[-1].content:
            return [Say("In short.")]
        if "a sub-agent" in messages[0].content:
            return [Say("Found.")] if messages[-1].role == "tool" else [Call("look", {"number": 1})]
        if "Found." in messages[-1].content:
            return [Say("Done.")]
        if any("In short." in message.content for message in messages):
            return [Call("subagent", {"task": "Look."})]
        looked = any(message.role == "tool" for message in messages)
        return [Call("compact", {})] if looked else [Call("look", {"number": 2})]

    async def compact(_args: Any, ctx: ToolContext) -> ToolOutput:
        ctx.services.request_compaction(ctx.conversation.session_id)
        return ToolOutput("soon")

    model = StrictChat([reply] * 100_000, context_tokens=10_000_000)
    tools: list[AgentTool] = [look(safe=True), look("compact", does=compact), SubAgent()]
    async with Stage(home, model, tools) as stage:

        async def one_turn() -> None:
            async with aclosing(stage.runtime.run_turn("question")) as events:
                async for _ in events:
                    pass

        assert await at_every_step(one_turn, check_of(stage)) > 50
        assert reason_of(await stage.ask("go on", stage.session)) == "done"
        assert {"compaction", "nested"} <= set(stage.types())
