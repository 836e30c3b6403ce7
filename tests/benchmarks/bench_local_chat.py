"""What our engine costs beside the bare library, what it reads again, and how soon it stops."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from typing import Any

from app.llm import weights
from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatEnd, ChatMessage, ChatOptions, ToolSpec
from app.llm.cores import physical_cores
from app.llm.local.client import LocalChatModel
from app.workers.host import Worker
from tests.benchmarks.result import Bench, Result

ROUNDS = 5
TOKENS = 48
CONTEXT = 4096
STEPS = 10
CANCELS = 7

TEXT = (
    "The distance to the host galaxy was measured from the light curves of its Cepheids and checked against"
    " the tip of the red giant branch; the scatter about it is a few hundredths of a magnitude. "
)
TOOLS = [
    ToolSpec(
        "search_papers",
        "Search the library for papers.",
        {
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
        },
    ),
    ToolSpec(
        "query_target",
        "Look up an astronomical object.",
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ),
]


def local_tokens_per_second() -> Result:
    """Tokens of whole answers (prompt read and answer written) per second, ours and the bare library's.

    The same prompts, threads and sampling, taken in turn; prompts differ in their first word, so that
    neither has read any of the next one.
    """
    return asyncio.run(_in_turn(_bare()))


def prefix_reuse() -> Result:
    """Tokens read again beyond the new ones in the worst of ten steps with tools; 64 are allowed."""
    return asyncio.run(_ten_steps())


def cancel_latency() -> Result:
    """Seconds from the cancel of a request whose prompt is being read until the worker is free again."""
    return asyncio.run(_cancelled())


async def _in_turn(bare: Callable[[str], int]) -> Result:
    model = LocalChatModel(Worker("llm"), None, CONTEXT)
    await _answered(model, "Zero")
    bare("Zero")
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(ROUNDS):
        start = time.perf_counter()
        written = await _answered(model, str(number))
        middle = time.perf_counter()
        plain = bare(str(number))
        ours.append(written / (middle - start))
        theirs.append(plain / (time.perf_counter() - middle))
    await model.close()
    return Result(
        value=statistics.median(ours), unit="tokens/s", baseline=statistics.median(theirs), n=ROUNDS
    )


async def _answered(model: LocalChatModel, word: str) -> int:
    stream = model.stream(_question(word), max_tokens=TOKENS, temperature=0.0)
    end = [item async for item in stream][-1]
    return end.completion_tokens if isinstance(end, ChatEnd) else 0


def _question(word: str) -> list[ChatMessage]:
    return [ChatMessage("user", f"{word}: {TEXT * 4} Write a long text about that.")]


def _bare() -> Callable[[str], int]:
    """The shortest program that does it with the library."""
    import llama_cpp

    threads = physical_cores()
    llama = llama_cpp.Llama(
        str(weights.checked_gguf(weights.chat_gguf())),
        n_ctx=CONTEXT,
        n_threads=threads,
        n_threads_batch=threads,
        verbose=False,
    )

    def answer(word: str) -> int:
        messages: Any = [{"role": m.role, "content": m.content} for m in _question(word)]
        parts = llama.create_chat_completion(
            messages, max_tokens=TOKENS, temperature=0.0, repeat_penalty=1.1, stream=True
        )
        return sum(bool(part["choices"][0]["delta"].get("content")) for part in parts)  # type: ignore[index, union-attr]

    return answer


async def _ten_steps() -> Result:
    model = LocalChatModel(Worker("llm"), None, CONTEXT, tools="always")
    history = [ChatMessage("system", "You help astronomers."), ChatMessage("user", "Search for dust.")]
    again: list[int] = []
    before: ChatEnd | None = None
    for step in range(STEPS):
        reply, end = await _step(model, history, step)
        if before is not None:
            new = end.prompt_tokens - before.prompt_tokens - before.completion_tokens
            again.append(end.prompt_tokens - end.cached_tokens - new)
        before = end
        history.append(reply)
        if reply.calls:
            history.append(ChatMessage("tool", f"{step} papers: {TEXT}", call_id=reply.calls[0].id))
        else:
            history.append(ChatMessage("user", f"Search for M{31 + step}."))
    await model.close()
    return Result(value=max(again), unit="tokens", baseline=64, n=STEPS)


async def _step(model: LocalChatModel, history: list[ChatMessage], step: int) -> tuple[ChatMessage, ChatEnd]:
    text, calls, end = "", [["", ""]], ChatEnd("stop", 0, 0)
    options = ChatOptions(session="bench")
    async for item in model.stream(history, max_tokens=60, temperature=0.0, tools=TOOLS, options=options):
        match item:
            case ChatDelta():
                text += item.text
            case CallDelta():
                calls[0][0] += item.name
                calls[0][1] += item.arguments
            case ChatEnd():
                end = item
    parts = tuple(CallPart(f"c{step}", name, arguments) for name, arguments in calls if name)
    return ChatMessage("assistant", text, calls=parts), end


async def _cancelled() -> Result:
    worker = Worker("llm")
    model = LocalChatModel(worker, None, CONTEXT)
    await _answered(model, "Zero")
    times = []
    for number in range(CANCELS):
        stream = model.stream([ChatMessage("user", f"{number} {TEXT * 50}")], max_tokens=5)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.15)
        start = time.perf_counter()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        while worker.busy:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        times.append(time.perf_counter() - start)
    assert worker.restarts == 0
    await model.close()
    return Result(value=statistics.median(times), unit="s", baseline=0.1, n=CANCELS)


BENCHES: dict[str, Bench] = {
    "local_tokens_per_second": local_tokens_per_second,
    "prefix_reuse": prefix_reuse,
    "cancel_latency": cancel_latency,
}
