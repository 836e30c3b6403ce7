"""What the application's side of the local model does with crashes, progress and requests that cross."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from app.errors import ModelError, WorkerCrashedError
from app.llm.chat import (
    CallDelta,
    ChatDelta,
    ChatEnd,
    ChatItem,
    ChatMessage,
    ChatOptions,
    ChatProgress,
    ThinkingChunk,
    ToolSpec,
    Use,
)
from app.llm.local.client import LocalChatModel
from app.workers.host import Worker
from tests.fakes.gguf_files import gguf_file

Part = Mapping[str, Any]
Script = Callable[[dict[str, Any]], list[Part | Exception]]

TOOL = ToolSpec("search", "Search.", {"type": "object", "properties": {"q": {"type": "string"}}})
QUESTION = [ChatMessage("user", "Why?")]
THINKS = "{{ messages }}<think></think>"


class FakeWorker:
    """Plays what a script answers to a request; keeps the requests."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.priorities: list[int] = []
        self.saved = 0
        self.pid = 1
        self.gate = asyncio.Event()
        self.gate.set()

    async def stream(
        self, method: str, params: Mapping[str, Any], *, timeout: float, priority: int
    ) -> AsyncGenerator[Part, None]:
        self.asked.append(dict(params))
        self.priorities.append(priority)
        for part in self.script(dict(params)):
            if isinstance(part, Exception):
                raise part
            yield part
            await self.gate.wait()

    async def call(self, method: str, params: Mapping[str, Any], *, timeout: float, priority: int) -> None:
        self.saved += method == "save"

    async def close(self) -> None:
        return


def begun(**more: Any) -> Part:
    what = {"head": "A:", "inside": False, "family": "generic", "template": "", **more}
    return {"begun": what, "threads": [2, 2], "context_tokens": 4096, "notes": []}


def ended(reason: str = "stop") -> Part:
    return {"reason": reason, "prompt_tokens": 9, "completion_tokens": 3, "cached_tokens": 4}


def crash(how: str = "killed by SIGSEGV") -> WorkerCrashedError:
    error = WorkerCrashedError(f"The llm worker ended ({how}).")
    error.how = how
    return error


def model_of(script: Script, **more: Any) -> tuple[LocalChatModel, FakeWorker]:
    worker = FakeWorker(script)
    return LocalChatModel(cast(Worker, worker), None, 8192, **more), worker


async def items_of(model: LocalChatModel, **more: Any) -> list[ChatItem]:
    return [item async for item in model.stream(QUESTION, max_tokens=9, **more)]


async def test_that_a_reply_is_told_as_it_comes() -> None:
    model, _ = model_of(
        lambda _: [
            {"loading": 0.5},
            begun(),
            {"read": 512, "of": 1024},
            {"text": "Because"},
            {"text": "."},
            ended("length"),
        ]
    )
    assert await items_of(model) == [
        ChatProgress(0.5, "The model is being loaded."),
        ChatProgress(0.5),
        ChatDelta("Because"),
        ChatDelta("."),
        ChatEnd("length", 9, 3, 4),
    ]


async def test_that_a_call_is_told_apart_from_text() -> None:
    raw = '{"tool": "search", "arguments": {"q": "dust"}}'
    model, _ = model_of(lambda _: [begun(), *({"text": letter} for letter in raw), ended()])
    *pieces, end = await items_of(model, tools=[TOOL])
    assert end == ChatEnd("tool_calls", 9, 3, 4)
    calls = [piece for piece in pieces if isinstance(piece, CallDelta)]
    assert "".join(call.name for call in calls) == "search"
    assert "".join(call.arguments for call in calls) == '{"q": "dust"}'


async def test_that_a_prompt_that_opens_the_thinking_is_read_as_thinking() -> None:
    parts: list[Part | Exception] = [begun(inside=True, template=THINKS), {"text": "Hm.</think>So."}, ended()]
    model, _ = model_of(lambda _: parts)
    assert (await items_of(model))[:2] == [ThinkingChunk("Hm."), ChatDelta("So.")]


async def test_that_a_crash_before_a_word_is_asked_again_and_one_after_it_is_told() -> None:
    """Bug 9: nothing that was said is said twice."""
    answers: list[list[Part | Exception]] = [[crash()], [begun(), {"text": "So."}, crash()]]
    model, worker = model_of(lambda _: answers.pop(0))
    stream = model.stream(QUESTION, max_tokens=9)
    assert await anext(stream) == ChatDelta("So.")
    with pytest.raises(WorkerCrashedError):
        await anext(stream)
    assert len(worker.asked) == 2


async def test_that_a_model_that_crashes_at_every_start_is_not_asked_for_ever() -> None:
    model, worker = model_of(lambda _: [crash()])
    with pytest.raises(WorkerCrashedError):
        await items_of(model)
    assert [asked["rung"] for asked in worker.asked] == [0, 1, 2]


async def test_that_tools_that_crashed_twice_are_set_aside(tmp_path: Path) -> None:
    """Bug 39: the third time they are not held to a grammar, also after a restart."""

    def script(params: dict[str, Any]) -> list[Part | Exception]:
        return [begun(), crash()] if params["constrained"] else [begun(), {"text": "So."}, ended()]

    model, worker = model_of(script, state_folder=tmp_path)
    assert ChatDelta("So.") in await items_of(model, tools=[TOOL])
    assert [asked["constrained"] for asked in worker.asked] == [True, True, False]
    again, worker = model_of(script, state_folder=tmp_path)
    await items_of(again, tools=[TOOL])
    assert [asked["constrained"] for asked in worker.asked] == [False]


async def test_that_killing_the_worker_blames_no_tool() -> None:
    answers: list[list[Part | Exception]] = [[begun(), crash("killed by SIGKILL")]] * 2
    answers.append([begun(), {"text": "So."}, ended()])
    model, worker = model_of(lambda _: answers.pop(0))
    await items_of(model, tools=[TOOL])
    assert [asked["constrained"] for asked in worker.asked] == [True, True, True]


async def test_that_replies_come_back_as_they_were_written() -> None:
    """Bug 40: the worker is told what the model wrote, not only what was made of it."""
    raw = '{"answer": "So."}'
    model, worker = model_of(lambda _: [begun(), {"text": raw}, ended()])
    options = ChatOptions(session="s")
    await items_of(model, tools=[TOOL], options=options)
    history = [*QUESTION, ChatMessage("assistant", "So."), ChatMessage("user", "And?")]
    async for _ in model.stream(history, max_tokens=9, tools=[TOOL], options=options):
        pass
    assert worker.asked[1]["written"] == {1: {"head": "A:", "text": raw, "family": "generic"}}


async def test_that_a_question_goes_before_sub_agents_titles_and_summaries() -> None:
    model, worker = model_of(lambda _: [begun(), ended()])
    for use in (Use.SUMMARY, Use.TITLE, Use.SUBAGENT, Use.TURN):
        await items_of(model, options=ChatOptions(use))
    assert worker.priorities == sorted(worker.priorities, reverse=True)
    assert len(set(worker.priorities)) == 4


async def test_that_a_title_makes_way_for_a_question_and_is_asked_for_again() -> None:
    model, worker = model_of(lambda _: [begun(), {"read": 1, "of": 2}, {"text": "Dust"}, ended()])
    worker.gate.clear()
    title = asyncio.create_task(items_of(model, options=ChatOptions(Use.TITLE)))
    while not worker.asked:  # noqa: ASYNC110
        await asyncio.sleep(0)
    turn = asyncio.create_task(items_of(model))
    await asyncio.sleep(0.01)
    worker.gate.set()
    assert ChatDelta("Dust") in await turn
    assert ChatDelta("Dust") in await title
    assert [asked["use"] for asked in worker.asked] == ["title", "turn", "title"]


async def test_that_what_was_given_up_to_fit_is_told_once_and_the_context_is_what_fits() -> None:
    part = {**begun(), "context_tokens": 2048, "notes": ["The context is 2048 tokens instead of 8192."]}
    model, _ = model_of(lambda _: [part, ended()])
    assert model.info.context_tokens == 8192
    first, second = await items_of(model), await items_of(model)
    assert first[0] == ChatProgress(None, "The context is 2048 tokens instead of 8192.")
    assert len(second) == 1
    assert model.info.context_tokens == 2048


async def test_that_states_are_saved_at_the_end_only_where_that_is_wanted(tmp_path: Path) -> None:
    for keep in (True, False):
        model, worker = model_of(lambda _: [begun(), ended()], state_folder=tmp_path, keep_state=keep)
        await items_of(model, options=ChatOptions(session="s"))
        await model.close()
        assert worker.saved == keep


@pytest.mark.parametrize(
    ("architecture", "extra"),
    [
        ("bert", {}),
        ("qwen3", {"qwen3.pooling_type": 3}),
        ("gemma-embedding", {"gemma-embedding.attention.causal": False}),
    ],
)
async def test_that_an_embedding_model_cannot_be_chatted_with(
    tmp_path: Path, architecture: str, extra: dict[str, int]
) -> None:
    path = tmp_path / "vectors.gguf"
    path.write_bytes(gguf_file(architecture=architecture, extra=extra))
    worker = FakeWorker(lambda _: [])
    with pytest.raises(ModelError, match="cannot chat") as caught:
        _ = LocalChatModel(cast(Worker, worker), path).info
    assert (caught.value.code, bool(caught.value.hint)) == ("model_kind", True)


async def test_that_models_that_are_not_tiny_call_tools_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf_file(size_label="1.5B"))
    worker = cast(Worker, FakeWorker(lambda _: []))
    assert LocalChatModel(worker, path).info.tools
    assert not LocalChatModel(worker, path, tools="never").info.tools
