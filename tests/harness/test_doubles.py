"""The doubles of models behave like one another and like the real thing."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, NoArgs, Report, ToolOutput
from app.errors import AppError, ModelError
from app.llm.assemble import StreamAssembler
from app.llm.call_ids import new_call_id
from app.llm.chat import (
    CallDelta,
    CallPart,
    ChatDelta,
    ChatEnd,
    ChatItem,
    ChatMessage,
    ChatModel,
    ThinkingChunk,
)
from app.llm.remote.openai_chat import OpenAIChatModel
from tests.fakes.chaos import Chaos, ChaosChat, chaotic
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.pairing import problem
from tests.fakes.scripted_chat import Call, Cut, End, Fail, Pause, Reply, Say, ScriptedChat, Think, Wait
from tests.harness.clock import run_virtually
from tests.harness.strategies import histories

ASK = [ChatMessage("user", "Go on.")]
REPLY: Reply = [
    Think("Let me see", 3),
    Say("I look it up. 查一下。", 4),
    Call("read_file", {"path": "星系/a.txt"}, pieces=5),
    Call("grep_files", '{"pattern": "a}\\""}', id="call_0"),
]


async def heard(model: ChatModel, messages: Sequence[ChatMessage] = ASK) -> list[ChatItem]:
    return [item async for item in model.stream(messages, max_tokens=99)]


def gist(items: Sequence[ChatItem]) -> tuple[str, str, list[tuple[str, str]], str]:
    assembler = StreamAssembler()
    text = thinking = reason = ""
    for item in items:
        match item:
            case ChatDelta(piece):
                text += piece
            case ThinkingChunk(piece):
                thinking += piece
            case CallDelta():
                assembler.feed(item)
            case ChatEnd():
                reason = item.reason
    calls = assembler.finish("stop").calls
    return text, thinking, [(call.name, call.arguments) for call in calls], reason


async def test_that_a_script_says_the_same_by_itself_and_over_http() -> None:
    by_itself = gist(await heard(ScriptedChat([REPLY])))
    with FakeOpenAI([REPLY]) as server:
        model = OpenAIChatModel("fake", base_url=server.url, api_key=str, context_tokens=999)
        over_http = gist(await heard(model))
        await model.close()
    assert by_itself == over_http
    text, _, calls, reason = by_itself
    assert (text, reason) == ("I look it up. 查一下。", "tool_calls")
    assert [name for name, _ in calls] == ["read_file", "grep_files"]


@given(st.integers(0, 10**9))
def test_that_chaos_changes_the_pieces_and_never_what_they_say(seed: int) -> None:
    """Bug 7: random re-chunking; Bug 9: nothing depends on where a piece ends."""
    calm = gist(asyncio.run(heard(ScriptedChat([REPLY]))))
    assert gist(asyncio.run(heard(ChaosChat(ScriptedChat([REPLY]), Chaos(seed))))) == calm


def test_that_chaos_is_the_same_for_the_same_seed() -> None:
    def once() -> list[ChatItem]:
        chat = ChaosChat(ScriptedChat([[Say("x" * 200)]]), Chaos(7, delay_s=60))
        return run_virtually(heard(chat))

    assert once() == once()


async def test_that_chaos_fails_and_cuts_when_told_to() -> None:
    failing = ChaosChat(ScriptedChat([REPLY]), Chaos(1, failures=1.0))
    with pytest.raises(ModelError):
        await heard(failing)
    cutting = ChaosChat(ScriptedChat([REPLY]), Chaos(1, cuts=1.0))
    assert await heard(cutting) == []
    assert failing.broken == cutting.broken == 1


class Ping(AgentTool):
    name = "ping"
    description = "Answers."

    async def execute(self, args: NoArgs, ctx: ToolContext) -> ToolOutput:
        return ToolOutput("pong")


def quiet(share: float | None, words: str) -> None:
    return None


async def run(tool: AgentTool, report: Report = quiet) -> ToolOutput:
    return await tool.execute_with_progress(NoArgs(), None, report)  # type: ignore[arg-type]


async def test_that_a_chaotic_tool_is_the_tool_but_for_its_failures() -> None:
    tool = chaotic(Ping(), Chaos(1))
    assert (tool.name, tool.description, isinstance(tool, Ping)) == ("ping", "Answers.", True)
    assert (await run(tool)).content == "pong"
    with pytest.raises(AppError):
        await run(chaotic(Ping(), Chaos(1, failures=1.0)))
    with pytest.raises(ZeroDivisionError):
        await run(chaotic(Ping(), Chaos(1, faults=1.0)))


async def test_that_the_scripted_model_plays_in_order_then_says_done() -> None:
    model = ScriptedChat(
        [[Say("one")], lambda asked: [Say(asked[-1].content)], [Say("x"), End("length", 7, 3)]]
    )
    assert [gist(await heard(model))[0] for _ in range(4)] == ["one", "Go on.", "x", "done."]
    assert len(model.asked) == 4
    assert model.limits == [99] * 4
    assert model.open == model.closed_early == 0


async def test_that_the_scripted_model_cuts_fails_and_waits_when_told_to() -> None:
    go, reached = asyncio.Event(), asyncio.Event()
    model = ScriptedChat(
        [[Say("a"), Cut()], [Say("b"), Fail(ModelError("no"))], [Wait(go, reached), Say("c")]]
    )
    assert await heard(model) == [ChatDelta("a")]
    with pytest.raises(ModelError):
        await heard(model)
    task = asyncio.create_task(heard(model))
    await reached.wait()
    assert model.open == 1
    go.set()
    assert gist(await task)[0] == "c"


async def test_that_the_scripted_model_waits_for_another_thread_and_notes_who_leaves_early() -> None:
    event = threading.Event()
    model = ScriptedChat([[Wait(event)], [Pause(600)]])
    event.set()
    assert isinstance((await heard(model))[-1], ChatEnd)
    task = asyncio.create_task(heard(model))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.closed_early == 1


@given(histories())
def test_that_whole_conversations_are_accepted(history: list[ChatMessage]) -> None:
    assert problem(history) == ""


@pytest.mark.parametrize("damage", ["unanswered", "orphan", "doubled", "interrupted", "nameless", "long id"])
async def test_that_the_scripted_model_refuses_what_a_service_refuses(damage: str) -> None:
    """Bug 1: the 400 that follows a call without its result."""
    part = CallPart(new_call_id(), "read_file", "{}")
    called, answered = ChatMessage("assistant", "", calls=(part,)), ChatMessage("tool", "x", call_id=part.id)
    nameless = ChatMessage("assistant", "", calls=(dataclasses.replace(part, name=""),))
    long_id = ChatMessage("assistant", "", calls=(dataclasses.replace(part, id="x" * 65),))
    history = {
        "unanswered": [*ASK, called],
        "orphan": [*ASK, answered],
        "doubled": [*ASK, called, answered, answered],
        "interrupted": [*ASK, called, *ASK, answered],
        "nameless": [*ASK, nameless, answered],
        "long id": [*ASK, long_id, ChatMessage("tool", "x", call_id="x" * 65)],
    }[damage]
    with pytest.raises(ModelError) as caught:
        await heard(ScriptedChat(), history)
    assert caught.value.code == "model_request"
    assert gist(await heard(ScriptedChat(), [*ASK, called, answered]))[0] == "done."
