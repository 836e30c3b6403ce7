"""`tool run` and `ask --events`: the shapes of the contract, whatever is asked and however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.scripted_chat import Call, Say, Wait

Run = Callable[..., Any]


def test_that_tools_are_listed_in_the_shape_of_the_contract(run: Run) -> None:
    listed = run("tool", "list", "--json").document
    assert list(listed) == ["tools"]
    names = [tool["name"] for tool in listed["tools"]]
    assert names == sorted(names)
    assert len(names) == 26
    assert {tuple(tool) for tool in listed["tools"]} == {("name", "description", "parameters")}


@pytest.mark.parametrize(
    ("tool", "arguments", "outcome", "code"),
    [
        ("glob_files", '{"pattern": "*"}', "succeeded", 0),
        ("glob_files", '{"pattern": ', "rejected", 1),
        ("glob_files", "[]", "rejected", 1),
        ("glob_files", '{"pattern": 1}', "rejected", 1),
        ("no_such_tool", "{}", "rejected", 1),
        ("ask_user", '{"question": "Really?"}', "rejected", 1),
        ("read_file", '{"path": "../settings.toml"}', "failed", 1),
        ("read_file", '{"path": "a\\u0000b"}', "failed", 1),
        ("file_write", '{"path": "a.txt", "content": "a"}', "denied", 1),
    ],
)
def test_that_each_call_gives_one_document_in_the_shape_of_the_contract(
    run: Run, tool: str, arguments: str, outcome: str, code: int
) -> None:
    done = run("tool", "run", tool, arguments, "--json")
    assert list(done.document) == ["content", "is_error", "outcome", "metadata"]
    assert (done.document["outcome"], done.code) == (outcome, code)
    assert done.document["is_error"] is (code != 0)
    assert done.document["content"]


def test_that_yes_allows_and_a_name_that_is_missing_is_wrong_usage(run: Run, home: Path) -> None:
    done = run("tool", "run", "file_write", '{"path": "a.txt", "content": "a"}', "--yes", "--json")
    assert (done.code, done.document["outcome"]) == (0, "succeeded")
    assert (home / "files" / "a.txt").read_text() == "a"
    assert run("tool", "run", "--json").code == 2
    assert run("tool", "run", "glob_files", "{}", "--project", "/", "--json").code == 2


def test_that_what_a_call_leaves_to_the_background_is_not_cut_off(run: Run) -> None:
    task = {"tool": "parse_paper", "arguments": {"paper": "nothing"}}
    done = run("tool", "run", "bg_task_run", json.dumps(task), "--json")
    assert done.document["outcome"] == "succeeded"
    assert "is failed" in done.err
    assert "no paper" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.slow
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_that_a_signal_ends_the_turn_and_its_last_events_are_told(home: Path, number: str) -> None:
    never, waits = threading.Event(), threading.Event()
    script: list[list[Any]] = [
        [Say("I look."), Call("glob_files", {"pattern": "*"})],
        [Say("So"), Wait(never, waits)],
    ]
    with FakeOpenAI(script) as server:
        llm = {"PROVIDER": "openai", "BASE_URL": server.url, "MODEL": "fake", "CONTEXT_TOKENS": "60000"}
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "--home", str(home), "ask", "What is there?", "--events"],
            env={**os.environ, **{f"ASTRORESEARCH_LLM__{key}": value for key, value in llm.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert waits.wait(60)
            process.send_signal(signal.Signals[number])
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
            never.set()
    events = [json.loads(line) for line in out.splitlines()]
    assert process.returncode == 130, err
    assert (events[0]["type"], events[-1]["type"]) == ("turn_started", "turn_finished")
    assert events[-1]["reason"] == "stopped"
    calls = [event["id"] for event in events if event["type"] == "tool_call"]
    assert calls == [event["tool_call_id"] for event in events if event["type"] == "tool_result"]
    assert "Traceback" not in err
