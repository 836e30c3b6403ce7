from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest

from app.llm.chat import Use
from app.llm.local.making_way import MakeWayError, MakingWay


@dataclass
class Reply:
    given: bool = False


async def slowly(*items: str, gate: asyncio.Event) -> AsyncGenerator[str, None]:
    for item in items:
        yield item
    await gate.wait()
    yield "last"


async def collected(way: MakingWay, use: Use, reply: Reply, gate: asyncio.Event, *items: str) -> list[str]:
    with way.taken_by(use) as side:
        return [item async for item in side.items(slowly(*items, gate=gate), reply)]


async def test_that_a_title_makes_way_for_a_question() -> None:
    way, gate = MakingWay(), asyncio.Event()
    title = asyncio.create_task(collected(way, Use.TITLE, Reply(), gate, "progress"))
    await asyncio.sleep(0.01)
    with way.taken_by(Use.TURN), pytest.raises(MakeWayError):
        await title


async def test_that_a_title_that_has_begun_goes_on() -> None:
    way, gate = MakingWay(), asyncio.Event()
    title = asyncio.create_task(collected(way, Use.TITLE, Reply(given=True), gate, "Stars"))
    await asyncio.sleep(0.01)
    with way.taken_by(Use.TURN):
        gate.set()
        assert await title == ["Stars", "last"]


@pytest.mark.parametrize("use", [Use.TURN, Use.SUBAGENT])
async def test_that_turns_and_sub_agents_make_no_way(use: Use) -> None:
    way, gate = MakingWay(), asyncio.Event()
    running = asyncio.create_task(collected(way, use, Reply(), gate))
    await asyncio.sleep(0.01)
    with way.taken_by(Use.TURN):
        gate.set()
        assert await running == ["last"]


async def test_that_cancelling_a_title_ends_what_it_waited_for() -> None:
    way, gate = MakingWay(), asyncio.Event()
    before = asyncio.all_tasks()
    title = asyncio.create_task(collected(way, Use.TITLE, Reply(), gate))
    await asyncio.sleep(0.01)
    title.cancel()
    with pytest.raises(asyncio.CancelledError):
        await title
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
