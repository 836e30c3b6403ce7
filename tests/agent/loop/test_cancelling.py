"""A turn that is cancelled at any step leaves a conversation that can go on."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from app.agent.loop.history import History
from app.agent.tools import ToolContext, ToolOutput
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

        async def check() -> None:
            sessions = stage.library.journal.sessions(limit=1)
            if not sessions:
                return
            session = sessions[0].session_id
            assert not stage.runtime.running(session)
            rows = stage.library.journal.rows(session)
            events = [event for _, event in rows]
            if not events:
                return
            assert paired(events)
            assert events[-1]["type"] == "turn_finished"
            assert [e["type"] for e in events].count("turn_finished") == 1
            history = History.of(rows)
            assert not history.open_turn
            assert not history.open_calls()
            # and the conversation is not spoiled
            sent = [*history.messages(), ChatMessage("user", "go on")]
            assert not problem(sent), problem(sent)

        steps = await at_every_step(one_turn, check, every=2)
        assert steps > 50
        assert reason_of(await stage.ask("go on", stage.session)) == "done"
