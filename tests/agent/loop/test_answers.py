"""Answers: proven by the passages that were read; without a model that calls tools, the direct path."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from app.agent.tools import ToolContext, ToolOutput
from app.events import (
    AnswerReady,
    Event,
    Outcome,
    TextDelta,
    ToolCall,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Passage, PassageHit
from tests.agent.loop.stage import Stage, StrictChat, look, reason_of
from tests.fakes.scripted_chat import Call, Say

TEXT = "A Fourier fit to the light curve gives a pulsation period of 331.4 days for Lantern 42."


def hit(number: int = 1) -> PassageHit:
    passage = Passage(PageIndex(2), PageLabel("3"), start=0, end=len(TEXT), text=TEXT, section="Results")
    return PassageHit(PassageId(number), PaperId("abcd2345"), FileId(1), "Lantern 42", passage, 1.0)


async def search(_args: Any, ctx: ToolContext) -> ToolOutput:
    numbers = ctx.conversation.evidence.add([hit()], ["Doe+ 2024"])
    return ToolOutput(f"[1] {TEXT}", metadata=ctx.conversation.evidence.metadata(numbers), untrusted=True)


async def test_that_an_answer_is_checked_against_what_was_read(home: Path) -> None:
    text = "The pulsation period of Lantern 42 is 331.4 days [1].\n\nIts mass is 7.7 solar masses [1]."
    model = StrictChat([[Call("rag_search", {})], [Say(text)]])
    async with Stage(home, model, [look("rag_search", does=search)]) as stage:
        events = await stage.ask("What is the period?")
        (ready,) = [e for e in events if isinstance(e, AnswerReady)]
        answer = ready.answer
        assert (answer["kind"], answer["question"]) == ("answer", "What is the period?")
        assert answer["text"] == text
        proven = [sentence["supported"] for sentence in answer["sentences"]]
        assert proven == [True, False]
        assert answer["citations"][0]["page"] == 2
        types = [e.type for e in events]
        assert types.index("message") < types.index("answer") < types.index("turn_finished")
        # a second answer in the same conversation does not read twice for the model
        await stage.ask("And?", stage.session)
        assert [m.content for m in model.asked[2] if m.role == "assistant"] == ["", text]


async def test_that_an_answer_from_no_passages_is_not_checked(home: Path) -> None:
    async with Stage(home, StrictChat([[Say("Hello.")]])) as stage:
        assert not [e for e in await stage.ask("hello") if isinstance(e, AnswerReady)]


class Direct:
    """Stands in for the Answerer: one search, one answer."""

    def __init__(self) -> None:
        self.stop: asyncio.Event | None = None

    async def answer(
        self, question: str, *, papers: Sequence[PaperId] = (), stop: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        self.stop = stop
        yield TurnStarted("own", question)
        yield ToolCall("call_1", "rag_search", {"question": question}, 1)
        yield ToolResult("call_1", "rag_search", "[1] found", False, Outcome.SUCCEEDED, 1, {"hits": []})
        yield TextDelta("It is far.")
        yield AnswerReady({"kind": "answer", "text": "It is far."})
        yield TurnFinished("done", {"prompt_tokens": 7})


async def test_that_the_direct_path_is_taken_without_a_model_that_calls_tools(home: Path) -> None:
    for model in (None, StrictChat(tools=False)):
        async with Stage(home, model, [look()], answerer=Direct()) as stage:
            events = await stage.ask()
            assert [e.type for e in events] == [
                "turn_started", "tool_call", "tool_result", "text_delta", "answer", "turn_finished",
            ]  # fmt: skip
            assert stage.types() == ["turn_started", "tool_call", "tool_result", "answer", "turn_finished"]
            assert events[-1].as_json()["usage"]["prompt_tokens"] == 7
            assert len([row for row in stage.rows() if row["type"] == "turn_started"]) == 1


async def test_that_a_model_with_tools_can_go_on_with_what_the_direct_path_began(home: Path) -> None:
    """Bug 4: each search has an id of its own, though the direct path calls them all `call_1`."""
    async with Stage(home, None, answerer=Direct()) as stage:
        await stage.ask("first")
        session = stage.session
        await stage.ask("second", session)
    model = StrictChat([[Say("I see.")]])
    async with Stage(home, model, [look()]) as stage:
        await stage.ask("third", session)
        asked = model.asked[0]
        assert [m.role for m in asked[1:]] == ["user", "assistant", "tool", "assistant"] * 2 + ["user"]
        assert asked[3].content.startswith("<untrusted")
        assert asked[4].content == "It is far."


async def test_that_the_direct_path_is_told_to_stop_and_finishes_by_itself(home: Path) -> None:
    stop, answerer = asyncio.Event(), Direct()
    async with Stage(home, None, answerer=answerer) as stage:
        events = await stage.ask(stop=stop)
        assert answerer.stop is stop
        assert reason_of(events) == "done"
