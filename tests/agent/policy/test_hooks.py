"""Hooks: what they may say, in which order, and that a guard that fails refuses."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import psutil
import pytest

from app.agent.policy.hooks import HookCall, HookRunner, PreOutcome
from app.agent.tools.tool import ToolOutput
from app.records.ids import SessionId
from app.settings import Hook

Event = Literal["PreToolUse", "PostToolUse"]
Program = Callable[[str], tuple[str, ...]]

CALL = HookCall(
    session_id=SessionId("s1"), call_id="c1", tool="run_bash", kind="shell", arguments={"command": "rm x"}
)
OUTPUT = ToolOutput("text 半人马座", metadata={"n": 1}, untrusted=True)

HERE = "hook_functions_of_this_test"


@pytest.fixture(autouse=True)
def _functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, HERE, sys.modules[__name__])


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes a hook program of Python code in which `call` is what it was asked and `say` answers."""

    def make(body: str) -> tuple[str, ...]:
        path = tmp_path / f"hook{len(list(tmp_path.iterdir()))}.py"
        path.write_text(
            "import json, os, sys, time\n"
            "call = json.loads(sys.stdin.buffer.read())\n"
            "def say(x): sys.stdout.write(json.dumps(x))\n"
            f"{body}\n"
        )
        return (sys.executable, "-S", str(path))

    return make


def function(name: str, event: Event = "PreToolUse", *, tool: str = "*", timeout_s: float = 30) -> Hook:
    return Hook(event=event, tool=tool, entry=f"{HERE}:{name}", timeout_s=timeout_s)


# -- the functions that play hooks ----------------------------------------------------------------


def nothing(_call: dict[str, Any]) -> dict[str, Any]:
    return {}


def block(_call: dict[str, Any]) -> dict[str, Any]:
    return {"block": "Not on a Friday."}


def soften(call: dict[str, Any]) -> dict[str, Any]:
    return {"mutate_input": {"command": call["arguments"]["command"].replace("rm", "ls")}}


def add_flag(call: dict[str, Any]) -> dict[str, Any]:
    return {"mutate_input": {"command": call["arguments"]["command"] + " -l"}}


async def context(_call: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {"append_context": "Mind the gap."}


def ask(_call: dict[str, Any]) -> dict[str, Any]:
    return {"permission_required": "A colleague wants to know."}


def meddle(call: dict[str, Any]) -> dict[str, Any]:
    call["arguments"]["command"] = "true"
    return {}


def raises(_call: dict[str, Any]) -> dict[str, Any]:
    raise RuntimeError("no database")


def leaves(_call: dict[str, Any]) -> dict[str, Any]:
    raise SystemExit(0)


async def raises_later(_call: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    raise KeyError("x")


async def cancels_itself(_call: dict[str, Any]) -> dict[str, Any]:
    raise asyncio.CancelledError


async def never(_call: dict[str, Any]) -> dict[str, Any]:
    await asyncio.Event().wait()
    return {}


def blocks_its_thread(_call: dict[str, Any]) -> dict[str, Any]:
    import threading

    threading.Event().wait()
    return {}


def says_none(_call: dict[str, Any]) -> None:
    return None


def says_list(_call: dict[str, Any]) -> list[int]:
    return [1]


def says_true(_call: dict[str, Any]) -> bool:
    return True


def says_a_set(_call: dict[str, Any]) -> dict[str, Any]:
    return {"mutate_input": {"command": {1, 2}}}


def misspells(_call: dict[str, Any]) -> dict[str, Any]:
    return {"blok": "no"}


def blocks_with_a_number(_call: dict[str, Any]) -> dict[str, Any]:
    return {"block": 1}


def mutates_to_text(_call: dict[str, Any]) -> dict[str, Any]:
    return {"mutate_input": "rm -rf"}


def measure(call: dict[str, Any]) -> dict[str, Any]:
    return {"metrics": {"characters": len(call["output"]["content"])}, "audit": f"saw {call['tool']}"}


def shorten(call: dict[str, Any]) -> dict[str, Any]:
    return {"mutate_output": call["output"]["content"][:4]}


def measures_words(_call: dict[str, Any]) -> dict[str, Any]:
    return {"metrics": {"n": "many"}}


def measures_nan(_call: dict[str, Any]) -> dict[str, Any]:
    return {"metrics": {"n": float("nan")}}


NOT_A_FUNCTION = 1


# -- before the call ------------------------------------------------------------------------------


async def test_that_without_hooks_nothing_is_said() -> None:
    runner = HookRunner([])
    assert await runner.pre(CALL) == PreOutcome()
    assert (await runner.post(CALL, OUTPUT)).output is OUTPUT
    assert not runner.any_for("run_bash")


async def test_that_a_guard_blocks_and_those_after_it_are_not_asked() -> None:
    said = await HookRunner([function("context"), function("block"), function("raises")]).pre(CALL)
    assert said.block == "Not on a Friday."
    assert said.contexts == ("Mind the gap.",)


async def test_that_each_guard_sees_what_those_before_it_made_of_the_arguments() -> None:
    said = await HookRunner([function("soften"), function("add_flag")]).pre(CALL)
    assert said.arguments == {"command": "ls x -l"}
    assert CALL.arguments == {"command": "rm x"}


async def test_that_a_later_guard_takes_nothing_back() -> None:
    said = await HookRunner([function("ask"), function("context"), function("nothing")]).pre(CALL)
    assert said == PreOutcome(contexts=("Mind the gap.",), ask="A colleague wants to know.")


async def test_that_a_guard_cannot_reach_into_the_call() -> None:
    """Trap 0.4: arguments change by MutateInput alone, which is checked again."""
    said = await HookRunner([function("meddle")]).pre(CALL)
    assert said == PreOutcome()
    assert CALL.arguments == {"command": "rm x"}


async def test_that_hooks_are_chosen_by_wildcards_on_the_tool() -> None:
    runner = HookRunner([function("block", tool="file_*"), function("context", tool="run_*")])
    assert (await runner.pre(CALL)).block is None
    assert (await runner.pre(CALL)).contexts
    assert runner.any_for("file_write")
    assert not runner.any_for("read_file")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", "RuntimeError: no database"),
        ("raises_later", "KeyError"),
        ("leaves", "SystemExit"),
        ("cancels_itself", "cancelled"),
        ("says_none", "NoneType"),
        ("says_list", "list"),
        ("says_true", "bool"),
        ("says_a_set", "no JSON"),
        ("misspells", "blok"),
        ("blocks_with_a_number", "block"),
        ("mutates_to_text", "mutate_input"),
        ("NOT_A_FUNCTION", "not a function"),
        ("not_there", "AttributeError"),
    ],
)
async def test_that_a_guard_that_fails_refuses(name: str, words: str) -> None:
    """Bug 30: a crash, a non-object or a misspelt answer of a guard denies (trap 0.4)."""
    said = await HookRunner([function(name), function("nothing")]).pre(CALL)
    assert said.block is not None
    assert words in said.block
    assert name in said.block


@pytest.mark.parametrize("entry", ["no_such_module_anywhere:f", "no_function", ":f", ""])
async def test_that_a_guard_that_is_not_there_refuses(entry: str) -> None:
    """Bug 30: so does one that cannot be loaded."""
    said = await HookRunner([Hook(event="PreToolUse", entry=entry)]).pre(CALL)
    assert said.block is not None


@pytest.mark.parametrize("name", ["never", "blocks_its_thread"])
async def test_that_a_slow_guard_refuses(name: str) -> None:
    """Bug 30: a timeout of a guard denies."""
    said = await asyncio.wait_for(HookRunner([function(name, timeout_s=0.05)]).pre(CALL), 60)
    assert said.block is not None
    assert "within 0.05 s" in said.block


async def test_that_a_cancel_is_passed_on_to_a_waiting_guard() -> None:
    task = asyncio.ensure_future(HookRunner([function("never")]).pre(CALL))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# -- programs -------------------------------------------------------------------------------------


async def test_that_a_program_reads_the_call_and_answers(program: Program, tmp_path: Path) -> None:
    seen = tmp_path / "seen.json"
    body = f"open({str(seen)!r}, 'w').write(json.dumps(call)); say({{'block': call['arguments']['command']}})"
    said = await HookRunner([Hook(event="PreToolUse", command=program(body))]).pre(CALL)
    assert said.block == "rm x"
    assert json.loads(seen.read_text()) == {
        "event": "PreToolUse",
        "session_id": "s1",
        "call_id": "c1",
        "tool": "run_bash",
        "kind": "shell",
        "agent": "",
        "arguments": {"command": "rm x"},
    }


async def test_that_a_program_may_change_the_arguments(program: Program) -> None:
    """Bug 30: a hook that rewrites `rm` to `true`: both are given back, for both to be checked."""
    hook = Hook(event="PreToolUse", command=program("say({'mutate_input': {'command': 'true'}})"))
    said = await HookRunner([hook]).pre(CALL)
    assert said == PreOutcome(arguments={"command": "true"})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit('disk on fire')", "disk on fire"),
        ("say([])", "list"),
        ("say('block')", "str"),
        ("print('all is well')", "all is well"),
        ("", "nothing"),
        ("print('{}'); print('{}')", "no JSON"),
        ("sys.stdout.write('[' * 100_000)", "no JSON"),
        ("sys.stdout.write('{\"append_context\": \"' + 'x' * 2_000_000 + '\"}')", "more than"),
        ("os.kill(os.getpid(), 9)", "exit code"),
    ],
    ids=["fails", "list", "text", "prose", "silent", "twice", "deep", "endless", "killed"],
)
async def test_that_a_program_that_fails_refuses(program: Program, body: str, words: str) -> None:
    """Bug 30: non-JSON, non-object, no answer, too much of it, or a bad end deny."""
    said = await HookRunner([Hook(event="PreToolUse", command=program(body))]).pre(CALL)
    assert said.block is not None
    assert words in said.block


async def test_that_a_program_that_is_not_there_refuses() -> None:
    said = await HookRunner([Hook(event="PreToolUse", command=("/no/such/hook",))]).pre(CALL)
    assert said.block is not None
    assert "cannot be run" in said.block


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
async def test_that_a_hanging_program_refuses_and_leaves_no_process(program: Program, tmp_path: Path) -> None:
    """Bug 30: a hook that hangs denies; bug 14: and is ended with what it started."""
    pids = tmp_path / "pids"
    body = f"""
if os.fork() == 0:
    time.sleep(600)
open({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')
time.sleep(600)
"""
    said = await HookRunner([Hook(event="PreToolUse", command=program(body), timeout_s=2)]).pre(CALL)
    assert said.block is not None
    assert "within 2 s" in said.block
    written = pids.read_text().split() if pids.exists() else []  # a very busy machine: ended before it began
    assert not any(psutil.pid_exists(int(pid)) for pid in written)


async def test_that_programs_do_not_get_our_secrets(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASTRORESEARCH_LLM__API_KEY", "hush")
    monkeypatch.setenv("THEIR_OWN", "fine")
    body = "say({'append_context': str(sorted(k for k in os.environ if 'ASTRO' in k or 'THEIR' in k))})"
    said = await HookRunner([Hook(event="PreToolUse", command=program(body))]).pre(CALL)
    assert said.contexts == ("['THEIR_OWN', '_ASTRORESEARCH_RUN']",)


# -- after the call -------------------------------------------------------------------------------


async def test_that_hooks_measure_and_write_into_the_audit_log() -> None:
    after = await HookRunner([function("measure", "PostToolUse")]).post(CALL, OUTPUT)
    assert after.metrics == {"characters": len(OUTPUT.content)}
    assert after.audit == ("saw run_bash",)
    assert after.output == OUTPUT


async def test_that_a_changed_output_stays_untrusted_and_is_shown_to_the_next() -> None:
    """Bug 31: what was data stays data, whatever a hook makes of it."""
    hooks = [function("shorten", "PostToolUse"), function("measure", "PostToolUse")]
    after = await HookRunner(hooks).post(CALL, OUTPUT)
    assert after.output.content == "text"
    assert after.output.untrusted
    assert after.metrics == {"characters": 4}


@pytest.mark.parametrize("name", ["raises", "says_none", "misspells", "measures_words", "measures_nan"])
async def test_that_a_hook_that_fails_afterwards_is_a_notice(name: str) -> None:
    hooks = [function(name, "PostToolUse"), function("measure", "PostToolUse")]
    after = await HookRunner(hooks).post(CALL, OUTPUT)
    assert after.output == OUTPUT
    assert len(after.notices) == 1
    assert name in after.notices[0]
    assert after.metrics["characters"] == len(OUTPUT.content)


async def test_that_an_output_with_odd_values_reaches_a_program(program: Program) -> None:
    odd = ToolOutput("\ud800 半", metadata={"path": Path("x"), "nan": float("nan")})
    hook = Hook(event="PostToolUse", command=program("say({'audit': call['output']['metadata']['path']})"))
    after = await HookRunner([hook]).post(CALL, odd)
    assert (after.audit, after.notices) == (("x",), ())
