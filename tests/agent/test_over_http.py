"""Whole turns through the real provider against a server that behaves as badly as real ones do."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.events import Event, Message, Outcome, ToolResult
from app.llm.chat import CallDelta
from app.llm.remote.openai_chat import OpenAIChatModel
from tests.agent.loop.stage import Stage, look, paired, reason_of
from tests.fakes.calls import TestTool
from tests.fakes.openai_server import FakeOpenAI, Http, Raw, Unfinished
from tests.fakes.scripted_chat import Call, Cut, Piece, Say, Think


@asynccontextmanager
async def stage_at(home: Path, server: FakeOpenAI, tools: Sequence[TestTool]) -> AsyncIterator[Stage]:
    model = OpenAIChatModel("fake", base_url=server.url, api_key=str, context_tokens=100_000)
    async with Stage(home, model, tools) as stage:
        yield stage
    await model.close()


def last_words(events: Sequence[Event]) -> str:
    return [event.text for event in events if isinstance(event, Message)][-1]


async def test_that_a_turn_over_http_ends_in_words(home: Path) -> None:
    answers: list[Any] = [
        Http(429, headers={"retry-after": "0"}),
        [Think("Hm."), Say("I look."), Call("look", {"text": "星"})],
        [Say("It is\u2028bright.")],
    ]
    tool = look(safe=True)
    with FakeOpenAI(answers, byte_by_byte=True) as server:
        async with stage_at(home, server, [tool]) as stage:
            events = await stage.ask()
            assert reason_of(events) == "done"
            assert last_words(events) == "It is\u2028bright."
            assert [args.text for args in tool.ran] == ["星"]
            assert paired(stage.rows())


async def test_that_a_two_turn_dialogue_of_tools_keeps_its_thinking(home: Path) -> None:
    """Bug 5: the service refuses a conversation in which the thinking of a call is missing."""
    answers: list[Any] = [
        [Think("First."), Call("look", {"text": "a"})], [Think("Then."), Say("One.")],
        [Think("Second."), Call("look", {"text": "b"})], [Say("Two.")],
    ]  # fmt: skip
    with FakeOpenAI(answers, needs_thinking=True) as server:
        async with stage_at(home, server, [look(safe=True)]) as stage:
            await stage.ask("One?")
            events = await stage.ask("Two?", stage.session)
    assert last_words(events) == "Two."
    assert len(server.requests) == 4  # none was refused
    thoughts = [
        m.get("reasoning_content") for m in server.requests[-1]["messages"] if m["role"] == "assistant"
    ]
    assert thoughts[0] == "First."
    assert thoughts[-1] == "Second."


async def test_that_every_request_begins_with_the_one_before(home: Path) -> None:
    """Bug 40: over the wire, tools and messages alike, so that the service's cache holds."""
    answers: list[Any] = [[Say("Step."), Call("look", {"number": n})] for n in range(6)] + [[Say("Done.")]]
    with FakeOpenAI(answers) as server:
        async with stage_at(home, server, [look(safe=True)]) as stage:
            await stage.ask()
    sent = [(request["tools"], request["messages"]) for request in server.requests]
    assert len(sent) == 7
    for (tools, earlier), (tools_later, later) in itertools.pairwise(sent):
        assert json.dumps(tools) == json.dumps(tools_later)
        assert json.dumps(later[: len(earlier)]) == json.dumps(earlier)


@pytest.mark.parametrize("break_", [Cut(), Unfinished(), Raw(b"data: {broken\n\n")])
async def test_that_a_stream_broken_after_a_call_does_not_run_the_call_again(home: Path, break_: Any) -> None:
    """Bug 9: the side effect happens once; the conversation goes on with its result."""
    tool = look("write")
    answers: list[Any] = [[Say("I write."), Call("write", {"text": "x"}), break_], [Say("Written.")]]
    with FakeOpenAI(answers) as server:
        async with stage_at(home, server, [tool]) as stage:
            events = await stage.ask()
            assert len(tool.ran) == 1
            assert last_words(events) == "Written."
            assert paired(stage.rows())
    assert sum(m["role"] == "tool" for m in server.requests[-1]["messages"]) == 1


@pytest.mark.parametrize("at", range(1, 17))
async def test_that_a_call_cut_inside_its_arguments_does_not_run(home: Path, at: int) -> None:
    """Bug 9, 11: half arguments never become a call, wherever the connection breaks."""
    tool = look("write")
    half = '{"text": "whole"}'[:at]
    answers: list[Any] = [[Piece(CallDelta(0, "call_0", "write", half)), Cut()], [Say("I could not.")]]
    with FakeOpenAI(answers) as server:
        async with stage_at(home, server, [tool]) as stage:
            events = await stage.ask()
            assert tool.ran == []
            assert last_words(events) == "I could not."
            assert paired(stage.rows())


async def test_that_bad_arguments_are_answered_and_the_turn_goes_on(home: Path) -> None:
    """Bug 11: a server that parses earlier arguments takes the conversation all the same."""
    tool = look("write")
    answers: list[Any] = [[Call("write", '{"text": "x')], [Call("write", {"text": "x"})], [Say("Done.")]]
    with FakeOpenAI(answers) as server:
        async with stage_at(home, server, [tool]) as stage:
            events = await stage.ask()
    outcomes = [event.outcome for event in events if isinstance(event, ToolResult)]
    assert outcomes == [Outcome.REJECTED, Outcome.SUCCEEDED]
    assert last_words(events) == "Done."
    assert len(tool.ran) == 1


async def test_that_ids_that_repeat_in_every_reply_never_meet(home: Path) -> None:
    """Bug 4: each reply calls its calls `call_0`; the conversation is accepted and nothing is mixed up."""
    answers: list[Any] = [
        *[[Call("look", {"number": 2 * n}, id="call_0"), Call("look", {"number": 2 * n + 1}, id="call_0")]
          for n in range(3)],
        [Say("Done.")],
    ]  # fmt: skip
    tool = look(safe=True)
    with FakeOpenAI(answers) as server:
        async with stage_at(home, server, [tool]) as stage:
            assert reason_of(await stage.ask()) == "done"
    ids = [m["tool_call_id"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
    assert len(ids) == len(set(ids)) == 6
    assert sorted(args.number for args in tool.ran) == list(range(6))
