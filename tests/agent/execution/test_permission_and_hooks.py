"""The checks between understood arguments and the run."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.agent.asking import NobodyAsker, PermissionReply
from app.agent.desk import Desk
from app.agent.policy.hooks import HookCall, PostOutcome, PreOutcome
from app.agent.policy.rules import Allow, Ask, Deny
from app.agent.tools import ToolContext, ToolKind, ToolOutput
from app.agent.tools.tool import ToolArgs
from app.events import (
    ContextAdded,
    Event,
    Notice,
    Outcome,
    PermissionAnswer,
    PermissionRequest,
    ToolCall,
    ToolResult,
)
from tests.fakes.calls import Bench, PersonAsker, TestHooks, TestTool

NO_RULES: dict[str, Any] = {"permissions": []}


class PathArgs(ToolArgs):
    path: str


def person(*answers: str) -> PersonAsker:
    return PersonAsker([PermissionReply(answer) for answer in answers])  # type: ignore[arg-type]


async def test_that_a_call_that_asks_runs_after_the_answer_and_both_are_in_the_journal(home: Path) -> None:
    asker = person("once")
    tool = TestTool("write", kind=ToolKind.WRITE)
    bench = Bench(home, tool, settings=NO_RULES, asker=asker)
    (result,) = await bench.reply(("write", {"text": "a.txt"}))
    assert result.outcome is Outcome.SUCCEEDED
    assert [type(event) for event in bench.rows.events] == [
        ToolCall, PermissionRequest, PermissionAnswer, ToolResult,
    ]  # fmt: skip
    (request,), (answer,) = bench.rows.of(PermissionRequest), bench.rows.of(PermissionAnswer)
    assert (request.tool, request.tool_call_id, request.preview) == ("write", result.tool_call_id, "a.txt")
    assert (answer.id, answer.answer, answer.by) == (request.id, "once", "person")


@pytest.mark.parametrize(
    ("asker", "words"),
    [
        (person("deny"), "The person refused"),
        (NobodyAsker(), "nobody who can answer"),
    ],
)
async def test_that_without_consent_nothing_runs(home: Path, asker: Any, words: str) -> None:
    tool = TestTool("write", kind=ToolKind.WRITE)
    (result,) = await Bench(home, tool, settings=NO_RULES, asker=asker).reply(("write", {}))
    assert (result.outcome, tool.ran) == (Outcome.DENIED, [])
    assert words in result.output
    assert "another way" in result.output


async def test_that_an_option_may_answer_for_a_person(home: Path) -> None:
    bench = Bench(
        home, TestTool("write", kind=ToolKind.WRITE), settings=NO_RULES, asker=NobodyAsker(yes=True)
    )
    (result,) = await bench.reply(("write", {}))
    assert result.outcome is Outcome.SUCCEEDED
    assert bench.rows.of(PermissionAnswer)[0].by == "option"


async def test_that_an_answer_for_the_conversation_counts_for_the_call_that_waits_behind(home: Path) -> None:
    asker = person("session")
    tool = TestTool("write", kind=ToolKind.WRITE, safe=True)
    bench = Bench(home, tool, settings=NO_RULES, asker=asker)
    results = await bench.reply(("write", {"text": "a"}), ("write", {"text": "a", "number": 2}))
    assert [result.outcome for result in results] == [Outcome.SUCCEEDED] * 2
    assert len(asker.asked) == 1


async def test_that_an_answer_in_the_moment_of_seeing_the_request_is_not_too_early(home: Path) -> None:
    desk = Desk()
    taken: list[bool] = []
    bench = Bench(home, TestTool("write", kind=ToolKind.WRITE), settings=NO_RULES, asker=desk)

    def see(event: Event) -> None:
        if isinstance(event, PermissionRequest):
            taken.append(desk.answer_permission(event.id, "once"))

    bench.rows.fails = see
    (result,) = await bench.reply(("write", {}))
    assert taken == [True]
    assert result.outcome is Outcome.SUCCEEDED
    assert desk.pending() == []


async def test_that_the_tools_own_rules_speak_with_those_of_the_settings(home: Path) -> None:
    deny = TestTool("a", rules=[Deny(reason="Not on Sundays.")])
    ask = TestTool("b", rules=[Ask(message="Really?")])
    allow = TestTool("c", rules=[Allow()], kind=ToolKind.WRITE)
    bench = Bench(home, deny, ask, allow, settings=NO_RULES)
    results = await bench.reply(("a", {}), ("b", {}), ("c", {}))
    assert [result.outcome for result in results] == [Outcome.DENIED, Outcome.DENIED, Outcome.SUCCEEDED]
    assert "Not on Sundays." in results[0].output
    assert bench.rows.of(PermissionRequest)[0].message == "Really?"


async def test_that_calls_after_untrusted_text_ask(home: Path) -> None:
    """Bug 31: what a paper says does not run programs by itself."""
    tool = TestTool("bash", kind=ToolKind.SHELL)
    bench = Bench(home, tool)
    assert (await bench.reply(("bash", {"text": "ls"})))[0].outcome is Outcome.SUCCEEDED
    bench.tainted = True
    assert (await bench.reply(("bash", {"text": "rm x"})))[0].outcome is Outcome.DENIED
    assert len(tool.ran) == 1


async def test_that_a_preview_is_shown_as_far_as_a_screen_can_hold_it(home: Path) -> None:
    asker = person("once")
    bench = Bench(home, TestTool("write", kind=ToolKind.WRITE), settings=NO_RULES, asker=asker)
    await bench.reply(("write", {"text": "é" * 300_000}))
    assert asker.asked[0].preview.endswith("[… 100,000 more characters are not shown here …]")


async def test_that_nothing_is_run_whose_preview_cannot_be_made(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = TestTool("write", kind=ToolKind.WRITE)

    async def preview(args: Any, ctx: ToolContext) -> tuple[str, str]:
        raise ZeroDivisionError

    monkeypatch.setattr(tool, "preview", preview)
    (result,) = await Bench(home, tool, settings=NO_RULES, asker=person("once")).reply(("write", {}))
    assert (result.outcome, tool.ran) == (Outcome.FAILED, [])


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need rights there")
async def test_that_the_rules_are_asked_again_when_the_call_is_let_in(home: Path) -> None:
    """Bug 27: a link that a call before it made does not lead around a rule."""
    files = home / "files"
    (files / "secret").mkdir(parents=True)

    async def link(args: Any, ctx: ToolContext) -> ToolOutput:
        os.symlink(files / "secret", files / "plain")  # noqa: PTH211
        return ToolOutput("linked")

    write = TestTool("file_write", kind=ToolKind.WRITE, args=PathArgs)
    bench = Bench(
        files,
        TestTool("bash", link),
        write,
        settings={
            "permissions": [
                {"action": "allow", "tool": "*"},
                {"action": "deny", "tool": "file_write", "match": "secret/**"},
            ]
        },
    )
    results = await bench.reply(("bash", {}), ("file_write", {"path": "plain/x.txt"}))
    assert [result.outcome for result in results] == [Outcome.SUCCEEDED, Outcome.DENIED]
    assert write.ran == []


# -- hooks ----------------------------------------------------------------------------------------


async def test_that_a_guard_may_block_change_and_add_words(home: Path) -> None:
    def pre(call: HookCall) -> PreOutcome:
        if call.arguments["text"] == "bad":
            return PreOutcome(block="Bad words.")
        return PreOutcome(arguments={"text": "changed"}, contexts=("Mind the gap.",))

    tool = TestTool("write")
    bench = Bench(home, tool, hooks=TestHooks(pre))
    blocked, changed = await bench.reply(("write", {"text": "bad"}), ("write", {"text": "good"}))
    assert blocked.outcome is Outcome.DENIED
    assert "Bad words." in blocked.output
    assert changed.output == "write: changed"
    assert changed.metadata["arguments"] == {"text": "changed"}
    assert bench.audit.arguments[-1] == '{"text": "changed"}'
    assert bench.rows.of(ToolCall)[1].arguments == {"text": "good"}, "the model's own words stay"
    assert bench.rows.events[-1] == ContextAdded("hook", "Mind the gap.")


async def test_that_arguments_a_guard_made_are_validated(home: Path) -> None:
    """Trap 0.4: a hook cannot bring in what the schema refuses."""
    tool = TestTool("write")
    hooks = TestHooks(lambda call: PreOutcome(arguments={"txet": "x"}))
    (result,) = await Bench(home, tool, hooks=hooks).reply(("write", {"text": "a"}))
    assert (result.outcome, tool.ran) == (Outcome.DENIED, [])
    assert "A hook changed the arguments" in result.output


@pytest.mark.parametrize(("asked", "made"), [("rm x", "true"), ("true", "rm x")])
async def test_that_the_stricter_of_both_decisions_counts(home: Path, asked: str, made: str) -> None:
    """Trap 0.4: rewriting `rm` to `true` allows nothing, nor does rewriting the other way round."""
    tool = TestTool("bash", kind=ToolKind.SHELL)
    bench = Bench(
        home,
        tool,
        settings={
            "permissions": [
                {"action": "deny", "tool": "bash", "match": "rm *"},
                {"action": "allow", "tool": "bash", "match": "true"},
            ]
        },
        hooks=TestHooks(lambda call: PreOutcome(arguments={"text": made})),
    )
    (result,) = await bench.reply(("bash", {"text": asked}))
    assert (result.outcome, tool.ran) == (Outcome.DENIED, [])


async def test_that_a_guard_may_have_the_person_asked_whatever_the_rules_say(home: Path) -> None:
    asker = person("session", "deny")
    tool = TestTool("read")
    bench = Bench(home, tool, asker=asker, hooks=TestHooks(lambda call: PreOutcome(ask="Big file.")))
    first, second = (await bench.reply(("read", {})))[0], (await bench.reply(("read", {})))[0]
    assert [first.outcome, second.outcome] == [Outcome.SUCCEEDED, Outcome.DENIED]
    assert [request.message for request in asker.asked] == ["Big file."] * 2
    assert asker.asked[0].rule == {}


async def test_that_a_denied_call_is_not_shown_to_hooks(home: Path) -> None:
    hooks = TestHooks(lambda call: PreOutcome())
    bench = Bench(home, TestTool("a", rules=[Deny()]), hooks=hooks)
    await bench.reply(("a", {}))
    assert hooks.seen == []


async def test_that_safety_is_judged_by_the_arguments_that_run(home: Path) -> None:
    """Trap 0.7: arguments that a hook made unsafe do not run beside others."""
    running, together = set[str](), set[frozenset[str]]()

    async def look(args: Any, ctx: ToolContext) -> ToolOutput:
        running.add(args.text)
        together.add(frozenset(running))
        await asyncio.sleep(0.01)
        running.discard(args.text)
        return ToolOutput("")

    def pre(call: HookCall) -> PreOutcome:
        return PreOutcome(arguments={"text": "fork"}) if call.arguments["text"] == "b" else PreOutcome()

    tool = TestTool("load", look, safe=lambda args: args.text != "fork")
    await Bench(home, tool, hooks=TestHooks(pre)).reply(
        ("load", {"text": "a"}), ("load", {"text": "b"}), ("load", {"text": "c"})
    )
    assert together == {frozenset({"a"}), frozenset({"fork"}), frozenset({"c"})}


async def test_that_hooks_after_the_call_may_change_measure_and_note(home: Path) -> None:
    def post(call: HookCall, output: ToolOutput) -> PostOutcome:
        return PostOutcome(
            replace(output, content=output.content.upper()), {"size": 3}, ("seen",), ("A hook was slow.",)
        )

    bench = Bench(home, TestTool("read"), hooks=TestHooks(post=post))
    (result,) = await bench.reply(("read", {"text": "a"}))
    assert (result.output, result.metadata["metrics"]) == ("READ: A", {"size": 3})
    assert bench.rows.of(Notice) == [Notice("warning", "A hook was slow.")]
    assert bench.audit.rows[-1][3] == "seen"


async def test_that_a_hook_cannot_make_an_output_larger_than_the_history_takes(home: Path) -> None:
    """Bug 6: the limit is measured where results enter the history."""

    def post(call: HookCall, output: ToolOutput) -> PostOutcome:
        return PostOutcome(replace(output, content="x" * 2_000_000))

    (result,) = await Bench(home, TestTool("read"), hooks=TestHooks(post=post)).reply(("read", {}))
    assert len(result.output) < 130_000


async def test_that_what_hooks_add_stands_behind_all_results_of_the_reply(home: Path) -> None:
    """Bug 3: nothing comes between calls and their results."""
    hooks = TestHooks(lambda call: PreOutcome(contexts=(str(call.arguments["text"]),)))
    bench = Bench(home, TestTool("read", safe=True), TestTool("write"), hooks=hooks)
    await bench.reply(("read", {"text": "1"}), ("write", {"text": "2"}), ("read", {"text": "3"}))
    assert [type(event) for event in bench.rows.events[-4:]] == [ToolResult, *[ContextAdded] * 3]
    assert [event.text for event in bench.rows.of(ContextAdded)] == ["1", "2", "3"]
