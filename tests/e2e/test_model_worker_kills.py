"""The model's worker dies again and again, is given schemas no grammar can say and files that are no models:
the application stays, and what it said is in the journal."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.agent.loop.pieces import is_piece
from app.application import Application
from app.errors import ModelError, WorkerError
from app.events import Event, TurnFinished
from app.llm import weights
from app.llm.chat import ChatEnd, ChatMessage, ToolSpec
from app.llm.local.client import LocalChatModel
from app.workers.host import Worker

QUESTION = "What is the period of Lantern 42?"
ROUND_S = 240

BAD_SCHEMAS: list[dict[str, Any]] = [
    {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string", "maxLength": 10000}}},
    },
    {"type": "object", "properties": {"a": {"type": "string", "pattern": "x(y|z"}}},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}},
    {"$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"},
    {"type": "object", "properties": {"a\u2028\ud800": {"enum": [[], {}, "\x00", None]}}},
    {"anyOf": [{"type": "array", "minItems": 10**9}, {"not": {}}]},
    {"type": ["object", 7], "properties": "none", "required": 3},
    {},
]


def _llm_workers() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.cmdline()[-2:] == ["--worker", "llm"]:
                found.append(process)
    return found


async def _kill(times: int, chance: random.Random) -> None:
    """Kill the worker that many times, at random moments of its life."""
    killed = 0
    while killed < times:
        await asyncio.sleep(chance.choice([0.02, 0.3, 1.0, 1.0, 6.0]) * chance.random())
        for process in await asyncio.to_thread(_llm_workers):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
                killed += 1


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix word")
@pytest.mark.parametrize(
    "kills",
    [pytest.param(5, id="5", marks=pytest.mark.slow), pytest.param(200, id="200", marks=pytest.mark.long)],
)
async def test_that_the_application_outlives_its_model_and_keeps_every_row(kills: int, home: Path) -> None:
    seen: list[Event] = []
    finished = 0
    async with Application.open(home, llm={"tools": "always", "context_tokens": 8192}) as application:
        killer = asyncio.create_task(_kill(kills, random.Random(kills)))
        session = None
        while not killer.done():
            async with asyncio.timeout(ROUND_S):
                events = [
                    e async for e in application.run_turn(QUESTION, session=session, stop=_stop(killer))
                ]
            assert isinstance(events[-1], TurnFinished)
            seen += events
            finished += 1
            session = application.library.journal.sessions()[0].session_id
        await killer
        assert session is not None
        rows = [row for _, row in application.library.journal.rows(session)]
    kept = [event.as_json() for event in seen if not is_piece(event)]
    missing = [event for event in kept if event not in rows and event["type"] != "notice"]
    assert not missing
    assert sum(row["type"] == "turn_finished" for row in rows) == finished
    async with Application.open(home, llm={"tools": "never", "context_tokens": 2048}) as application:
        async with asyncio.timeout(ROUND_S):
            events = [event async for event in application.run_turn(QUESTION, session=session)]
        assert isinstance(events[-1], TurnFinished)
        assert events[-1].reason == "done"
        assert [row for _, row in application.library.journal.rows(session)][: len(rows)] == rows
        assert application.library.verify() == []


@pytest.mark.slow
async def test_that_bad_schemas_and_bad_files_cost_no_worker(tmp_path: Path) -> None:
    """Bug 39: whatever a tool's schema is, the process that holds the model goes on."""
    worker = Worker("llm")
    model = LocalChatModel(worker, None, 1024, tools="always")
    for number, schema in enumerate(BAD_SCHEMAS):
        for forced in ("odd", ""):
            tool = ToolSpec("odd", f"Odd tool {number}.", schema)
            stream = model.stream(
                [ChatMessage("user", "Use it.")], max_tokens=12, temperature=0.0, tools=[tool], forced=forced
            )
            assert isinstance([item async for item in stream][-1], ChatEnd), schema
    good = weights.checked_gguf(weights.chat_gguf()).read_bytes()
    noise = random.Random(7)
    for name, content in {
        "empty": b"",
        "text": b"<html>404</html>",
        "head": b"GGUF" + bytes(100),
        "noise": b"GGUF" + noise.randbytes(10_000),
        "cut": good[: len(good) // 3],
        "cut-in-the-header": good[:5000],
    }.items():
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(content)
        with pytest.raises((ModelError, WorkerError)):
            [
                item
                async for item in LocalChatModel(worker, path, 1024).stream(
                    [ChatMessage("user", "Hello")], max_tokens=3
                )
            ]
    assert worker.restarts == 0
    await model.close()


def _stop(killer: asyncio.Task[None]) -> asyncio.Event:
    """Return what ends the turn when the killing is over: reading a long prompt to its end proves nothing."""
    stop = asyncio.Event()
    killer.add_done_callback(lambda _: stop.set())
    return stop
