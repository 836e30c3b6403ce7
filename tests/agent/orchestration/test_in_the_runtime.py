"""Sub-agents, background tasks and teammates within real turns: runtime, executor and journal as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.agent.asking import PermissionReply, QuestionReply
from app.agent.tools import AgentTool, ToolContext, ToolKind, ToolOutput
from app.agent.tools.background import BgTaskCheck, BgTaskRun
from app.agent.tools.subagent import NOT_INSIDE, SubAgent
from app.agent.tools.team import CheckTeamInbox, SendTeammateMessage, SpawnTeammate, TeamBroadcast
from app.events import Event, Nested, PermissionRequest, Question, ToolResult, TurnFinished
from app.llm.chat import ChatMessage
from tests.agent.loop.stage import Stage, paired, reason_of
from tests.fakes.calls import TestTool
from tests.fakes.orchestra import until
from tests.fakes.scripted_chat import Call, Pause, Reply, Say, ScriptedChat, Wait


class Cast(ScriptedChat):
    """Plays a part by who is asked: its line is chosen by a word of the first message it is given."""

    def __init__(self, **parts: Sequence[Reply]) -> None:
        self.parts = {name: list(lines) for name, lines in parts.items()}
        super().__init__([self._line] * 500)

    def _line(self, messages: Sequence[ChatMessage]) -> Reply:
        first = next(m.content for m in messages if m.role == "user")
        for name, lines in self.parts.items():
            if name in first:
                return lines.pop(0) if lines else [Say(f"{name} is done.")]
        return [Say("done.")]


class Person:
    """Answers every permission request with `answer`, and keeps what was asked."""

    present = True

    def __init__(self, answer: str = "once") -> None:
        self.answer = answer
        self.asked: list[PermissionRequest] = []

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        self.asked.append(request)
        return PermissionReply(self.answer)  # type: ignore[arg-type]

    async def question(self, question: Question, timeout_s: float | None) -> QuestionReply:
        return QuestionReply("no_answer")


def team_tools() -> list[AgentTool]:
    return [SpawnTeammate(), SendTeammateMessage(), TeamBroadcast(), CheckTeamInbox()]


def results(events: Sequence[Event], name: str) -> list[ToolResult]:
    return [event for event in events if isinstance(event, ToolResult) and event.name == name]


async def test_that_only_the_summary_of_a_sub_agent_comes_back(home: Path) -> None:
    model = Cast(
        Lead=[
            [Call("subagent", {"task": "Count: how many Cepheids?", "max_steps": 3})],
            [Say("There are 669.")],
        ],
        Count=[[Say("I look."), Call("look", {"text": "cepheids"})], [Say("669 of them.")]],
    )
    look = TestTool("look")
    async with Stage(home, model, [SubAgent(), look]) as stage:
        events = await stage.ask("Lead: how many?")
        assert reason_of(events) == "done"
        (result,) = results(events, "subagent")
        assert (result.output, result.outcome) == ("669 of them.", "succeeded")
        assert result.metadata["untrusted"] is True
        asked = "\n".join(message.content for message in model.asked[-1])
        assert "669 of them." in asked
        assert "I look." not in asked  # what it did stays with it
        nested = [event.event["type"] for event in events if isinstance(event, Nested)]
        assert {"turn_started", "message", "tool_call", "tool_result", "turn_finished"} <= set(nested)
        (child,) = stage.library.journal.children(stage.session)
        assert child.kind == "subagent"
        assert paired(stage.rows(child.session_id))
        assert [len(look.ran), stage.library.journal.sessions()[0].session_id] == [1, stage.session]


async def test_that_a_sub_agent_ends_after_its_steps_with_a_summary(home: Path) -> None:
    endless: list[Reply] = [[Call("look", {"text": str(i)})] for i in range(4)]
    model = Cast(
        Lead=[[Call("subagent", {"task": "Task: go on", "max_steps": 4})]], Task=[*endless, [Say("so far.")]]
    )
    look = TestTool("look")
    async with Stage(home, model, [SubAgent(), look]) as stage:
        (result,) = results(await stage.ask("Lead: begin"), "subagent")
        assert result.output == "so far."
        assert len(look.ran) == 4


@pytest.mark.parametrize("steps", [0, 11, -1])
async def test_that_more_steps_than_ten_are_refused_with_the_limit(home: Path, steps: int) -> None:
    model = Cast(Lead=[[Call("subagent", {"task": "x", "max_steps": steps})]])
    async with Stage(home, model, [SubAgent()]) as stage:
        (result,) = results(await stage.ask("Lead: begin"), "subagent")
        assert result.outcome == "rejected"
        assert "max_steps" in result.output


async def test_that_a_sub_agent_may_not_what_its_parent_may_not(home: Path) -> None:
    """Bug 29: a Deny of the settings holds for whom the agent sends."""
    model = Cast(
        Lead=[[Call("subagent", {"task": "Task: delete it"})]], Task=[[Call("shell", {"text": "rm"})]]
    )
    shell = TestTool("shell", kind=ToolKind.SHELL)
    rules = [{"action": "deny", "tool": "shell"}, {"action": "allow", "tool": "*"}]
    person = Person()
    async with Stage(home, model, [SubAgent(), shell], {"permissions": rules}, person) as stage:
        events = await stage.ask("Lead: begin")
        denied = [e.event for e in events if isinstance(e, Nested) and e.event["type"] == "tool_result"]
        assert [event["outcome"] for event in denied] == ["denied"]
        assert shell.ran == []
        assert person.asked == []


@pytest.mark.parametrize(("answer", "ran"), [("deny", 0), ("once", 1)])
async def test_that_a_sub_agent_asks_the_same_person_under_its_name(
    home: Path, answer: str, ran: int
) -> None:
    """Bug 29: nothing is approved for a sub-agent because nobody looks at it."""
    model = Cast(
        Lead=[[Call("subagent", {"task": "Task: run it"})]], Task=[[Call("shell", {"text": "make"})]]
    )
    shell = TestTool("shell", kind=ToolKind.SHELL)
    person = Person(answer)
    async with Stage(home, model, [SubAgent(), shell], {"permissions": []}, person) as stage:
        await stage.ask("Lead: begin")
        assert [(request.tool, request.agent) for request in person.asked] == [("shell", "subagent")]
        assert len(shell.ran) == ran


async def test_that_a_sub_agent_without_a_person_is_refused_what_would_ask(home: Path) -> None:
    """Bug 29: headless is no consent."""
    model = Cast(
        Lead=[[Call("subagent", {"task": "Task: run it"})]], Task=[[Call("shell", {"text": "make"})]]
    )
    shell = TestTool("shell", kind=ToolKind.SHELL)
    async with Stage(home, model, [SubAgent(), shell], {"permissions": []}) as stage:
        await stage.ask("Lead: begin")
        assert shell.ran == []


async def test_that_a_sub_agent_has_no_agents_and_no_affairs_of_the_conversation(home: Path) -> None:
    """Bug 29: its tools are those of its parent, less what is not for it."""
    model = Cast(Lead=[[Call("subagent", {"task": "Task: look"})]])
    inner = [TestTool(name) for name in sorted(NOT_INSIDE - {"subagent"})]
    async with Stage(home, model, [SubAgent(), TestTool("look"), *inner]) as stage:
        await stage.ask("Lead: begin")
        assert [spec.name for spec in model.tools_seen[1]] == ["look"]


async def test_that_a_sub_agent_that_fails_is_an_error_with_a_way_out(home: Path) -> None:
    model = Cast(Lead=[[Call("subagent", {"task": "Task: x"})]], Task=[[Say("")], [Say("")]])
    async with Stage(home, model, [SubAgent()]) as stage:
        (result,) = results(await stage.ask("Lead: begin"), "subagent")
        assert result.is_error
        assert "smaller parts" in result.output


async def test_that_stopping_a_turn_ends_its_sub_agent_with_every_call_accounted_for(home: Path) -> None:
    """Bug 1: the cancel reaches the journal of the sub-agent as well."""
    reached = asyncio.Event()

    async def hang(args: Any, ctx: ToolContext) -> ToolOutput:
        reached.set()
        await asyncio.Event().wait()
        return ToolOutput("never")

    model = Cast(Lead=[[Call("subagent", {"task": "Task: x"})]], Task=[[Call("hang", {})]])
    async with Stage(home, model, [SubAgent(), TestTool("hang", hang)]) as stage:
        stop = asyncio.Event()

        async def stop_then() -> None:
            await reached.wait()
            stop.set()

        _, events = await asyncio.gather(stop_then(), stage.ask("Lead: begin", stop=stop))
        assert reason_of(events) == "stopped"
        (child,) = stage.library.journal.children(stage.session)
        assert paired(stage.rows())
        assert paired(stage.rows(child.session_id))
        assert stage.rows(child.session_id)[-1]["type"] == "turn_finished"


async def test_that_a_result_that_comes_during_the_last_answer_is_read_in_the_same_turn(home: Path) -> None:
    """Bug 32: finished while the model writes its last words, the task is still told of."""
    go, writing, over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def download(args: Any, ctx: ToolContext) -> ToolOutput:
        await go.wait()
        return ToolOutput("page one")

    model = Cast(
        Lead=[
            [Call("bg_task_run", {"tool": "download_paper", "arguments": {"text": "x"}})],
            [Say("It is under way."), Wait(over, writing)],
            [Say("It has come: page one.")],
        ]
    )
    tools = [BgTaskRun(), BgTaskCheck(), TestTool("download_paper", download)]
    async with Stage(home, model, tools) as stage:

        async def finish_meanwhile() -> None:
            await writing.wait()
            go.set()
            await until(lambda: bool(stage.library.tasks.undelivered(stage.session)))
            over.set()

        _, events = await asyncio.gather(finish_meanwhile(), stage.ask("Lead: get it"))
        assert reason_of(events) == "done"
        assert "page one" in "".join(message.content for message in model.asked[2])
        assert stage.library.tasks.undelivered(stage.session) == []
        assert stage.types().count("context") == 1
        assert paired(stage.rows())


async def test_that_a_result_that_comes_after_the_turn_wakes_the_conversation(home: Path) -> None:
    """Bug 32: after its last answer the agent is woken, and told exactly once."""
    go = asyncio.Event()

    async def download(args: Any, ctx: ToolContext) -> ToolOutput:
        await go.wait()
        return ToolOutput("page one")

    model = Cast(
        Lead=[
            [Call("bg_task_run", {"tool": "download_paper", "arguments": {"text": "x"}})],
            [Say("It is under way.")],
            [Say("It has come.")],
        ]
    )
    tools = [BgTaskRun(), BgTaskCheck(), TestTool("download_paper", download)]
    async with Stage(home, model, tools) as stage:
        assert reason_of(await stage.ask("Lead: get it")) == "done"
        session = stage.session
        go.set()
        await until(lambda: stage.woken == [session])
        woken = [event async for event in stage.runtime.continue_turn(session)]
        assert isinstance(woken[-1], TurnFinished)
        assert "page one" in "".join(message.content for message in model.asked[2])
        assert [event async for event in stage.runtime.continue_turn(session)] == []
        audited = {row.tool: row.outcome for row in stage.library.audit.of_session(session)}
        assert audited == {"bg_task_run": "succeeded", "download_paper": "succeeded"}
        assert paired([row for row in stage.rows() if row["type"] != "nested"])


@pytest.mark.parametrize("steps", range(0, 120, 8))
async def test_that_a_result_at_any_phase_of_the_turn_is_told_once(home: Path, steps: int) -> None:
    """Bug 32: in a round, between rounds, while the context is compacted, in the last words, after them."""

    async def download(args: Any, ctx: ToolContext) -> ToolOutput:
        for _ in range(steps):
            await asyncio.sleep(0.001)
        return ToolOutput("page one")

    async def compact(args: Any, ctx: ToolContext) -> ToolOutput:
        ctx.services.request_compaction(ctx.conversation.session_id)
        return ToolOutput("x" * 2000)

    model = Cast(
        Lead=[
            [Call("bg_task_run", {"tool": "download_paper", "arguments": {"text": "x"}})],
            [Call("look", {"text": "a"}), Call("compact", {})],
            [Call("look", {"text": "b"})],
            [Say("That is all."), Pause(0.02)],
        ]
    )
    tools = [
        BgTaskRun(), TestTool("download_paper", download), TestTool("compact", compact), TestTool("look"),
    ]  # fmt: skip
    async with Stage(home, model, tools) as stage:
        assert reason_of(await stage.ask("Lead: get it")) == "done"
        session = stage.session
        await stage.background.settled(session)
        if stage.library.tasks.undelivered(session):
            await until(lambda: stage.woken == [session])
            assert [event async for event in stage.runtime.continue_turn(session)]
        told = [row for row in stage.rows() if row.get("source") == "background"]
        assert len(told) == 1
        assert "page one" in told[0]["text"]
        assert "compaction" in stage.types()
        assert stage.library.tasks.undelivered(session) == []
        assert paired(stage.rows())


async def test_that_a_background_call_is_checked_like_any_other(home: Path) -> None:
    """Bug 29: the background is no way around the rules."""
    model = Cast(Lead=[[Call("bg_task_run", {"tool": "parse_paper", "arguments": {"text": "x"}})]])
    parse = TestTool("parse_paper")
    rules = [{"action": "deny", "tool": "parse_paper"}, {"action": "allow", "tool": "*"}]
    async with Stage(home, model, [BgTaskRun(), parse], {"permissions": rules}) as stage:
        await stage.ask("Lead: begin")
        await until(lambda: bool(stage.library.tasks.of_session(stage.session)[0].state != "running"))
        (task,) = await stage.background.tasks(stage.session)
        assert task.state == "failed"
        assert parse.ran == []


async def test_that_a_teammate_reports_to_a_lead_whose_turn_is_over(home: Path) -> None:
    """Bug 33: its last text reaches the lead by itself, and wakes it."""
    go = asyncio.Event()
    model = Cast(
        Lead=[
            [Call("spawn_teammate", {"name": "ann", "role": "reader", "task": "Ann: read all"})],
            [Say("Ann is reading.")],
            [Say("Ann says 331.4 days.")],
        ],
        Ann=[[Wait(go), Call("look", {"text": "lantern"})], [Say("The period is 331.4 days.")]],
    )
    look = TestTool("look")
    async with Stage(home, model, [*team_tools(), look]) as stage:
        assert reason_of(await stage.ask("Lead: begin")) == "done"
        session = stage.session
        go.set()
        await until(lambda: stage.woken == [session])
        events = [event async for event in stage.runtime.continue_turn(session)]
        assert isinstance(events[-1], TurnFinished)
        assert "331.4" in "".join(message.content for message in model.asked[-1])
        assert len(look.ran) == 1
        (child,) = stage.library.journal.children(session)
        assert child.kind == "teammate"
        assert [mate.state for mate in await stage.team.status(session)] == ["idle"]


async def test_that_mail_reaches_a_teammate_between_two_of_its_calls(home: Path) -> None:
    """Bug 33: mid-turn, in the turn of a real teammate."""
    go, looking = asyncio.Event(), asyncio.Event()

    async def look(args: Any, ctx: ToolContext) -> ToolOutput:
        looking.set()
        await go.wait()
        return ToolOutput("seen")

    model = Cast(
        Lead=[
            [Call("spawn_teammate", {"name": "ann", "role": "reader", "task": "Ann: read all"})],
            [Call("wait_for_ann", {})],
            [Call("send_teammate_message", {"to": "ann", "message": "only the abstract, please"})],
        ],
        Ann=[[Call("look", {})]],
    )

    async def wait_for_ann(args: Any, ctx: ToolContext) -> ToolOutput:
        await looking.wait()
        return ToolOutput("she reads")

    tools = [*team_tools(), TestTool("look", look), TestTool("wait_for_ann", wait_for_ann)]
    async with Stage(home, model, tools) as stage:
        await stage.ask("Lead: begin")
        go.set()
        await until(lambda: stage.library.mail.unread(stage.session, "lead") != [])
        last = [asked for asked in model.asked if "Ann: read all" in asked[1].content][-1]
        assert "only the abstract, please" in "".join(message.content for message in last)
        assert len(stage.library.journal.children(stage.session)) == 1
