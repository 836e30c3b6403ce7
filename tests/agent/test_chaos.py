"""Whole turns in chaos: models cut and broken off anywhere, tools late and failing, people stopping.

The clock is virtual, so that minutes of delays and new attempts take a moment.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from app.events import AnswerReady, Event, Message, TurnFinished
from app.llm.chat import ChatMessage
from app.records.ids import SessionId
from tests.agent.loop.stage import Stage, look, paired
from tests.fakes.chaos import Chaos, ChaosChat, chaotic
from tests.fakes.scripted_chat import Call, End, Pause, Reply, Say, ScriptedChat, Step, Think
from tests.harness.clock import run_virtually

TURNS = 4
ARGUMENTS: list[dict[str, object] | str] = [
    {"text": "a"}, {"text": "星系\u2028🔭"}, {"number": 3}, {},
    '{"text": "cut', "null", "", '{"wrong": 1}', "[]",
]  # fmt: skip


def random_reply(chance: random.Random) -> Reply:
    """Words, thinking, good and bad calls, pauses and odd ends, in any order."""
    steps: list[Step] = [Think("hm", 2)] if chance.random() < 0.3 else []
    for _ in range(chance.choice([0, 0, 1, 1, 2, 4])):
        steps.append(Say("I look. ", chance.randint(1, 4)))
        name = chance.choice(["look", "look", "write", "slow", "nothing_like_it"])
        bare = chance.random() < 0.3
        steps.append(Call(name, chance.choice(ARGUMENTS), pieces=chance.randint(1, 6), bare=bare))
        if chance.random() < 0.2:
            steps.append(Pause(chance.random() * 50))
    if len(steps) < 2:
        steps.append(Say("That is all.", 3))
    if chance.random() < 0.1:
        steps.append(End("length"))
    return steps


@pytest.mark.parametrize("seed", range(16))
def test_that_turns_in_chaos_end_with_every_call_answered_and_the_conversation_usable(
    home: Path, seed: int
) -> None:
    """Bug 1, 9, 11, 16: the journal stays in order, and a strict service takes all of it."""
    chance = random.Random(seed)
    chaos = Chaos(seed, delay_s=20, failures=0.01, cuts=0.01)
    tool_chaos = Chaos(seed, delay_s=90, failures=0.2, faults=0.1)

    def reply(_messages: Sequence[ChatMessage]) -> Reply:
        return random_reply(chance)

    async def main() -> None:
        strict = ScriptedChat([reply] * 10_000, context_tokens=10_000_000)
        model = ChaosChat(strict, chaos)
        tools = [
            chaotic(look(safe=True), tool_chaos),
            chaotic(look("write", block=True, aborts=True), tool_chaos),
            chaotic(look("slow", safe=True, timeout_s=30.0), tool_chaos),
        ]
        async with Stage(home, model, tools, agent={"max_steps": 6}) as stage:
            session: SessionId | None = None
            for number in range(TURNS):
                await disturbed(stage, session, chance)
                session = stage.session
                assert paired(stage.rows()), f"turn {number}"
                ends = [row for row in stage.rows() if row["type"] == "turn_finished"]
                assert len(ends) == number + 1
            stage.model = calm = ScriptedChat([[Say("All is well.")]], context_tokens=10_000_000)
            events = await stage.ask("And now?", session)
            assert said(events) == "All is well."
            assert len(calm.asked) == 1

    run_virtually(main())


async def disturbed(stage: Stage, session: SessionId | None, chance: random.Random) -> None:
    """Run a turn that may be stopped, steered, or cancelled outright after a random time."""
    stop = asyncio.Event()
    mood = chance.choice(["leave", "leave", "stop", "steer", "cancel"])

    async def turn() -> None:
        async with aclosing(stage.runtime.run_turn("Go on.", session=session, stop=stop)) as events:
            async for _ in events:
                pass

    task = asyncio.create_task(turn())
    await asyncio.sleep(chance.random() * 200)
    match mood:
        case "stop":
            stop.set()
        case "steer" if session:
            await stage.runtime.steer(session, "Rather look at that.")
        case "cancel":
            task.cancel()
    async with asyncio.timeout(100_000):
        await asyncio.wait([task])
    if not task.cancelled():
        assert task.exception() is None


def said(events: Sequence[Event]) -> str:
    """Return the last words of the model in a turn that was done."""
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].reason == "done"
    assert not any(isinstance(event, AnswerReady) for event in events)
    return [event.text for event in events if isinstance(event, Message)][-1]
