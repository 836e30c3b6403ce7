"""What ends in the background reaches the agent, whatever it does at that moment."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.agent.tools import ToolContext, ToolOutput
from app.events import ContextAdded
from tests.agent.loop.stage import Stage, StrictChat, look, reason_of, until
from tests.fakes.scripted_chat import Call, Say, Wait


class Download:
    """A background tool that ends when it is told; `start` is a tool that begins it."""

    def __init__(self) -> None:
        self.end = asyncio.Event()

    def tools(self) -> list[Any]:
        async def download(_args: Any, _ctx: ToolContext) -> ToolOutput:
            await self.end.wait()
            return ToolOutput("the paper is here", untrusted=True)

        async def start(_args: Any, ctx: ToolContext) -> ToolOutput:
            background = ctx.services.background
            return ToolOutput(await background.start(ctx.conversation, "download_paper", {}, call_id="x"))

        return [look("download_paper", does=download), look("start", does=start)]


def told(messages: Any) -> bool:
    return any("the paper is here" in message.content for message in messages)


async def test_that_a_result_that_comes_while_the_model_writes_is_told_in_the_same_turn(home: Path) -> None:
    """Bug 32: also while it writes its last answer. Trap 0.11."""
    work = Download()
    here, go = asyncio.Event(), asyncio.Event()
    model = StrictChat(
        [[Call("start", {})], [Say("It is"), Wait(go, here), Say(" on its way.")], [Say("Got it.")]]
    )
    async with Stage(home, model, work.tools()) as stage:
        turn = asyncio.create_task(stage.ask())
        await here.wait()
        work.end.set()
        await until(lambda: bool(stage.library.tasks.undelivered(stage.session)))
        go.set()
        events = await turn
        assert reason_of(events) == "done"
        assert not told(model.asked[1])
        assert told(model.asked[2])
        assert [m.role for m in model.asked[2]][-2:] == ["assistant", "user"]
        assert not stage.woken
        (context,) = [e for e in events if isinstance(e, ContextAdded) and e.source == "background"]
        assert not context.trusted


async def test_that_a_result_that_comes_during_a_call_is_told_after_the_round(home: Path) -> None:
    """Bug 32: between complete rounds only: never between a call and its result."""
    work, going, go = Download(), asyncio.Event(), asyncio.Event()

    async def run(_args: Any, _ctx: ToolContext) -> ToolOutput:
        going.set()
        await go.wait()
        return ToolOutput("looked")

    model = StrictChat([[Call("start", {})], [Call("look", {})], [Say("Got it.")]])
    async with Stage(home, model, [*work.tools(), look(does=run)]) as stage:
        turn = asyncio.create_task(stage.ask())
        await going.wait()
        work.end.set()
        await until(lambda: bool(stage.library.tasks.undelivered(stage.session)))
        go.set()
        await turn
        assert [m.role for m in model.asked[2]][-2:] == ["tool", "user"]
        assert told(model.asked[2])


async def test_that_an_idle_conversation_is_woken_and_told(home: Path) -> None:
    """Bug 32: after the last answer. Bug 33: the wake is not lost."""
    work = Download()
    model = StrictChat([[Call("start", {})], [Say("It is on its way.")], [Say("Here it is.")]])
    async with Stage(home, model, work.tools()) as stage:
        await stage.ask()
        session = stage.session
        assert [e async for e in stage.runtime.continue_turn(session)] == []
        work.end.set()
        await until(lambda: stage.woken == [session])
        events = [event async for event in stage.runtime.continue_turn(session)]
        assert reason_of(events) == "done"
        assert told(model.asked[2])
        assert [e async for e in stage.runtime.continue_turn(session)] == []


async def test_that_a_result_nobody_took_is_told_after_a_restart(home: Path) -> None:
    """Bug 32: the row is kept until it is delivered."""
    work = Download()
    model = StrictChat([[Call("start", {})], [Say("It is on its way.")]])
    async with Stage(home, model, work.tools()) as stage:
        await stage.ask()
        session = stage.session
        work.end.set()
        await until(lambda: bool(stage.library.tasks.undelivered(session)))
    later = StrictChat([[Say("Here it is.")]])
    async with Stage(home, later, work.tools()) as stage:
        assert await stage.background.recover() == [session]
        await stage.ask("What became of it?", session)
        assert told(later.asked[0])
        rows = [row for row in stage.rows(session) if row.get("source") == "background"]
        assert len(rows) == 1


@pytest.mark.parametrize("place", ["steer", "end"])
async def test_that_what_comes_at_the_very_end_begins_another_turn_or_is_read(home: Path, place: str) -> None:
    """Bug 33: nothing falls between "still running" and "idle"."""
    model = StrictChat([[Say("Done.")]] * 9)
    async with Stage(home, model) as stage:
        taken: list[bool] = []

        async def steer_soon() -> None:
            taken.append(await stage.runtime.steer(stage.session, f"late {place}"))

        tasks: list[asyncio.Task[None]] = []

        def on(event: Any) -> None:
            if event.type == ("message" if place == "steer" else "turn_finished") and len(tasks) < 1:
                tasks.append(asyncio.create_task(steer_soon()))

        await stage.ask(on=on)
        await asyncio.gather(*tasks)
        read = any("late" in m.content for asked in model.asked for m in asked)
        assert read == taken[0]
        kept = any(row["type"] == "steering" for row in stage.rows())
        assert kept == taken[0]


async def test_that_a_turn_ends_with_its_last_row_whatever_goes_on_in_the_background(home: Path) -> None:
    """What happens afterwards is for who watches the conversation, not for who ran the turn."""
    from app.events import Notice

    async with Stage(home, StrictChat([[Say("Done.")]])) as stage:
        seen: list[str] = []
        noise: list[asyncio.Task[int]] = []

        def on(event: Any) -> None:
            if event.type == "turn_started":
                stage.runtime.watch(stage.session, lambda shown: seen.append(shown.type))
            if event.type in ("message", "turn_finished"):
                agent = stage.runtime._sessions.live(stage.session)
                assert agent
                noise.extend(asyncio.create_task(agent.log.emit(Notice("info", "x"))) for _ in range(5))

        events = await stage.ask(on=on)
        assert reason_of(events) == "done"
        await asyncio.gather(*noise)
        assert seen.count("notice") == 10
