"""The questions of the conformance set, put to the default model by `ask --events` as a person would.

The set itself has tools of its own (tests/llm/test_local_conformance.py); here they are those of the agent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.llm.local.calls.schema_check import problems_of_call
from app.llm.local.conformance_cases import CASES, Case

ALWAYS_CALLED = {"one call", "a choice"}
"""Where even this model has never done anything but call a tool."""

# One step, and a context in which it does not chatter for long: the tool calls are what is looked at.
SETTINGS = {"LLM__TOOLS": "always", "LLM__CONTEXT_TOKENS": "2560", "AGENT__MAX_STEPS": "1"}


def run(home: Path, *arguments: str, within_s: int) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "app", "--home", str(home), *arguments],
        env={**os.environ, **{f"ASTRORESEARCH_{key}": value for key, value in SETTINGS.items()}},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=within_s,
        check=False,
    )


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    listed = run(tmp_path_factory.mktemp("tools") / "home", "--json", "tool", "list", within_s=120)
    return {tool["name"]: tool["parameters"] for tool in json.loads(listed.stdout)["tools"]}


def question_of(case: Case) -> str:
    return next(message.content for message in case.messages if message.role == "user")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case.name, marks=pytest.mark.slow if case.name in ALWAYS_CALLED else pytest.mark.long
        )
        for case in CASES
    ],
)
def test_that_every_call_by_ask_events_is_valid(case: Case, home: Path, schemas: dict[str, object]) -> None:
    done = run(home, "ask", question_of(case), "--events", within_s=280)
    assert done.returncode in (0, 1), done.stderr
    events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert (events[0]["type"], events[-1]["type"]) == ("turn_started", "turn_finished"), done.stderr
    assert events[-1]["reason"] in ("done", "max_steps"), done.stderr
    assert not [event for event in events if event["type"] == "notice" and event["level"] == "error"]
    calls = [event for event in events if event["type"] == "tool_call"]
    results = [event for event in events if event["type"] == "tool_result"]
    for call in calls:
        assert call["name"] in schemas
        assert problems_of_call(schemas[call["name"]], json.dumps(call["arguments"])) == []
    assert Counter(call["id"] for call in calls) == Counter(result["tool_call_id"] for result in results)
    assert "rejected" not in {result["outcome"] for result in results}, results
    if case.name in ALWAYS_CALLED:
        assert calls
