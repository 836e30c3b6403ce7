"""A session of ten steps with every tool, as a person runs it: `ask --events`, and in the application.

The model is a real HTTP service on this machine that plays a script.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.application import Application
from app.events import (
    AnswerReady,
    Event,
    PermissionRequest,
    Question,
    ToolCall,
    ToolResult,
    TurnFinished,
)
from app.llm.chat import ChatMessage
from app.records.ids import PaperId
from tests.fakes.openai_server import Answer, FakeOpenAI
from tests.fakes.scripted_chat import Call, Say, Think

PAPER = """# The period of Lantern 42

## Results

A Fourier fit to the light curve gives a pulsation period of 331.4 days and an amplitude of 0.72 mag.
The distance of the star is 5.9 kpc.
"""
QUESTION = "Work through everything about Lantern 42."
ANSWER = "The pulsation period is 331.4 days [1]. The star is made of cheese [1]."


def _todo(first: str, second: str) -> Call:
    items = [
        {"id": "1", "content": "Read the paper", "status": first},
        {"id": "2", "content": "Report", "status": second, "blockedBy": ["1"]},
    ]
    return Call("todo_write", {"items": items})


def _steps(paper_id: str) -> list[list[Any]]:
    return [
        [
            Think("First a plan."),
            Say("I begin with a plan."),
            _todo("in_progress", "pending"),
            Call("load_skill", {"name": "compare-measurements"}),
            Call("search_papers", {"query": "Lantern"}),
        ],
        [
            Call("glob_files", {"pattern": "**/*.md"}),
            Call("grep_files", {"pattern": "331"}),
            Call("get_paper_metadata", {"paper": paper_id}),
            Call("get_paper_content", {"paper": paper_id}),
        ],
        [Call("file_write", {"path": "report.txt", "content": "period: unknown\r\n"})],
        [
            Call("read_file", {"path": "report.txt"}),
            Call("file_edit", {"path": "report.txt", "old_string": "unknown", "new_string": "331.4 d"}),
            Call("run_bash", {"command": "echo counted; exit 0"}),
        ],
        [
            Call("rag_search", {"question": "pulsation period of Lantern 42"}),
            Call("query_target", {"name": "Lantern 42"}),
        ],
        [
            Call("save_note", {"paper": paper_id, "quote": "pulsation period of 331.4 days", "text": "key"}),
            Call("download_paper", {"paper": paper_id}),
            Call("parse_paper", {"paper": paper_id}),
        ],
        [
            Call("bg_task_run", {"tool": "parse_paper", "arguments": {"paper": paper_id}}),
            Call("bg_task_check", {}),
        ],
        [Call("subagent", {"task": "Say what the amplitude is.", "max_steps": 2})],
        [
            Call("spawn_teammate", {"name": "ann", "role": "reader", "task": "Wait for mail."}),
            Call("send_teammate_message", {"to": "ann", "message": "Hello Ann."}),
            Call("team_broadcast", {"message": "Hello all."}),
            Call("check_team_inbox", {}),
        ],
        [
            Call("ask_user", {"question": "Is this enough?", "options": ["Yes", "No"]}),
            Call(
                "save_memory",
                {"content": "The person studies the pulsating star Lantern 42.", "kind": "project"},
            ),
            _todo("completed", "completed"),
            Call("compress_context", {}),
        ],
    ]


TOOLS = {call.name for step in _steps("x") for call in step if isinstance(call, Call)}


class _Script:
    """Plays the ten steps to the main agent, a line to everybody else."""

    def __init__(self, paper_id: str) -> None:
        self.paper_id = paper_id
        self.steps = _steps(paper_id)
        self.server = FakeOpenAI([self.answer] * 200)

    def answer(self, messages: list[ChatMessage]) -> Answer:
        request = self.server.requests[-1]
        if not request.get("tools"):
            return [Say("Summary: the period of Lantern 42 is 331.4 days; all steps are done.")]
        if not any(m.role == "user" and QUESTION in m.content for m in messages):
            return [Say("The amplitude is 0.72 mag.")]
        if self.steps:
            return self.steps.pop(0)
        return [Say(ANSWER, pieces=5)]


def _prepare(home: Path, tmp_path: Path) -> str:
    (tmp_path / "lantern.md").write_text(PAPER)

    async def add() -> str:
        async with Application.open(home) as application:
            results = [result async for result in application.importer.add([tmp_path / "lantern.md"])]
            return str(results[0].paper_id)

    return asyncio.run(add())


@pytest.fixture
def script(home: Path, tmp_path: Path) -> Iterator[_Script]:
    made = _Script(_prepare(home, tmp_path))
    with made.server:
        yield made


def _llm(script: _Script) -> dict[str, Any]:
    return {"provider": "openai", "base_url": script.server.url, "model": "fake", "context_tokens": 60_000}


def test_that_the_script_uses_all_twenty_six_tools() -> None:
    assert len(TOOLS) == 26


@pytest.mark.slow
def test_that_ten_steps_with_all_tools_run_by_ask_events(home: Path, script: _Script) -> None:
    environment = {f"ASTRORESEARCH_LLM__{key.upper()}": str(value) for key, value in _llm(script).items()}
    done = subprocess.run(
        [sys.executable, "-m", "app", "--home", str(home), "ask", QUESTION, "--events", "--yes"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["type"] for event in events]
    assert kinds[0] == "turn_started"
    assert kinds[-1] == "turn_finished"
    assert events[-1]["reason"] == "done"
    calls = {e["id"]: e["name"] for e in events if e["type"] == "tool_call"}
    results = [e for e in events if e["type"] == "tool_result"]
    assert set(calls.values()) == TOOLS
    assert sorted(calls) == sorted(e["tool_call_id"] for e in results), "one result for each call"
    outcomes = {calls[e["tool_call_id"]]: e["outcome"] for e in results}
    # nobody can answer here, and the services that resolve objects are not asked yet
    assert outcomes.pop("ask_user") == "rejected"
    assert outcomes.pop("query_target") == "failed"
    assert set(outcomes.values()) == {"succeeded"}, outcomes
    assert {e["answer"] for e in events if e["type"] == "permission_answer"} == {"once"}
    assert (home / "files" / "report.txt").read_bytes() == b"period: 331.4 d\r\n"
    answer = next(e["answer"] for e in events if e["type"] == "answer")
    proven, invented = answer["sentences"]
    assert proven["citations"][0]["quote"].startswith("A Fourier fit")
    assert not invented["citations"], "what no passage proves stays unproven"
    assert any(e["type"] == "compaction" and e["tier"] == "manual" for e in events)
    assert any(e["type"] == "nested" for e in events)
    told = [e for e in events if e["type"] == "context" and e["source"] in ("background", "mail")]
    assert {e["source"] for e in told} == {"background", "mail"}, "what was left to others came back"


@pytest.mark.slow
async def test_that_ten_steps_run_in_the_application_with_a_person_who_answers(
    home: Path, tmp_path: Path
) -> None:
    script = _Script(await asyncio.to_thread(_prepare, home, tmp_path))
    with script.server:
        async with Application.open(home, llm=_llm(script)) as application:
            events: list[Event] = []
            later = asyncio.get_running_loop().call_later
            async for event in application.run_turn(QUESTION, asker=application.desk):
                events.append(event)
                match event:
                    case PermissionRequest(id=request):
                        later(0.01, application.desk.answer_permission, request, "once")
                    case Question(id=question):
                        later(0.01, application.desk.answer_question, question, "Yes")
                    case _:
                        pass
            rows = await asyncio.to_thread(
                application.library.journal.events, application.library.journal.sessions()[0].session_id
            )
            (note,) = application.library.notes.of_paper(PaperId(script.paper_id))
            assert note.text == "key"
    results = {e.name: e for e in events if isinstance(e, ToolResult)}
    assert results["ask_user"].output.strip().endswith("Yes")
    assert {e.name for e in events if isinstance(e, ToolCall)} == TOOLS
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].reason == "done"
    assert [e for e in events if isinstance(e, AnswerReady)]
    kept = [row["type"] for row in rows]
    assert kept.count("message") == 11
    assert "text_delta" not in kept
