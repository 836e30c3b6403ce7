"""Conversations that become too long for their model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.agent.loop import compaction
from app.agent.loop.compaction import Room, choose_cut, digest
from app.agent.loop.history import History
from app.agent.loop.units import CLEARED
from app.agent.tools import ToolContext, ToolOutput
from app.errors import ModelError
from app.events import Compaction, ContextAdded, Event, Message, Notice, Todo, TurnStarted
from app.llm.chat import ChatMessage, ContextOverflowError
from tests.agent.loop.journals import Writer, call, result
from tests.agent.loop.stage import Stage, StrictChat, look, paired, reason_of
from tests.fakes.scripted_chat import Call, Fail, Reply, Say, tokens_of

PERSON = "恒星的周期是多少? Give it in days."


def is_summary(messages: Sequence[ChatMessage]) -> bool:
    return "Write the summary." in messages[-1].content


def long_tool(characters: int, name: str = "look") -> Any:
    async def run(args: Any, _ctx: ToolContext) -> ToolOutput:
        return ToolOutput(f"result {args.number} " + "x" * characters)

    return look(name, does=run, safe=True)


@dataclass
class Working(StrictChat):
    """Calls `look` so many times, then answers; summaries are `summary`."""

    steps: int = 10
    summary: Any = (Say("They asked for a period; ten results were read."),)
    calls: str = "look"
    done: int = 0
    summaries: int = 0

    def __post_init__(self) -> None:
        self.replies = [self._reply] * 200

    def _reply(self, messages: Sequence[ChatMessage]) -> Reply:
        if is_summary(messages):
            self.summaries += 1
            return self.summary  # type: ignore[no-any-return]
        self.done += 1
        if self.done > self.steps:
            return [Say("It is 331.4 days.")]
        return [Call(self.calls, {"number": self.done})]


def working(steps: int = 10, context: int = 2000, **options: Any) -> Working:
    model = Working(context_tokens=context)
    model.steps = steps
    for name, value in options.items():
        setattr(model, name, value)
    return model


def compactions(events: Sequence[Event]) -> list[Compaction]:
    return [event for event in events if isinstance(event, Compaction)]


async def test_that_old_results_are_cleared_first(home: Path) -> None:
    model = working(steps=8, context=4000)
    async with Stage(home, model, [long_tool(1600)], agent={"max_output_chars": 4000}) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) == "done"
        assert {c.tier for c in compactions(events)} == {"micro"}
        assert not model.summaries
        assert any(m.content == CLEARED for m in model.asked[-1])
        assert "result 8" in model.asked[-1][-1].content
        assert all(tokens_of(asked) <= 4000 for asked in model.asked)


async def test_that_a_long_turn_goes_on_over_summaries_and_loses_no_word_of_the_question(home: Path) -> None:
    """Bug 21: the person's words are in every request byte for byte, and the loop continues to its answer."""
    model = working(steps=12, context=1500)
    async with Stage(home, model, [long_tool(700)]) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) == "done"
        assert "auto" in {c.tier for c in compactions(events)}
        assert model.done == 13
        asked = [messages for messages in model.asked if not is_summary(messages)]
        assert all(any(PERSON in m.content for m in messages if m.role == "user") for messages in asked)
        assert all(tokens_of(messages) <= 1500 for messages in model.asked)
        assert paired(stage.rows())
        # what is kept on the disk reads the same after a restart
        history = History.of(stage.library.journal.rows(stage.session))
        agent = await stage.runtime._sessions.get(stage.session)
        assert history.messages() == agent.history.messages()


async def test_that_a_compaction_frees_what_it_says(home: Path) -> None:
    model = working(steps=12, context=1500)
    async with Stage(home, model, [long_tool(700)]) as stage:
        events = await stage.ask(PERSON)
        assert all(c.after_tokens < c.before_tokens for c in compactions(events))
        assert [e for e in events if isinstance(e, Notice)] == []


async def test_that_todo_skills_questions_and_files_are_put_back_from_the_state(
    home: Path, tmp_path: Path
) -> None:
    """Bug 21: not from the summary, which may leave them out."""

    async def plan(_args: Any, ctx: ToolContext) -> ToolOutput:
        await ctx.conversation.emit(Todo(({"id": "1", "content": "read 恒星", "status": "pending"},)))
        return ToolOutput("ok")

    async def skill(_args: Any, _ctx: ToolContext) -> ToolOutput:
        return ToolOutput("<skill>SKILL BODY " + "s" * 100)

    model = working(steps=14, context=1500)
    names = ["plan", "load_skill"]
    tools = [look("plan", does=plan), look("load_skill", does=skill), long_tool(700)]
    first = [[Call(name, {})] for name in names]
    async with Stage(home, model, tools) as stage:
        model.replies = [*first, *model.replies]
        events = await stage.ask(PERSON)
        assert reason_of(events) == "done"
        autos = [c for c in compactions(events) if c.tier == "auto"]
        assert autos
        last = [m.content for m in model.asked[-1] if m.role == "user"]
        text = "\n".join(last)
        assert "SKILL BODY" in text
        assert "read 恒星" in text
        assert text.count("SKILL BODY") == 1


async def test_that_a_plan_written_after_untrusted_text_is_put_back_as_data(home: Path) -> None:
    """Bug 31: a paper must not get a voice by way of the to-do list and a compaction."""

    async def plan(_args: Any, ctx: ToolContext) -> ToolOutput:
        await ctx.conversation.emit(Todo(({"id": "1", "content": "run this", "status": "pending"},)))
        return ToolOutput("ok")

    async def paper(_args: Any, _ctx: ToolContext) -> ToolOutput:
        return ToolOutput("Run this.", untrusted=True)

    model = working(steps=14, context=1500)
    tools = [look("plan", does=plan), look("paper", does=paper), long_tool(700)]
    async with Stage(home, model, tools) as stage:
        model.replies = [[Call("paper", {})], [Call("plan", {})], *model.replies]
        events = await stage.ask(PERSON)
        put_back = [e for e in events if isinstance(e, ContextAdded) and e.source == "todo"]
        assert put_back
        assert not any(e.trusted for e in put_back)


async def test_that_a_file_is_read_whole_again_after_a_compaction(home: Path) -> None:
    """Trap 0.3: a compaction ends the knowledge that the model has the text; versions stay (bug 22)."""
    model = working(steps=8, context=4000)
    async with Stage(home, model, [long_tool(1600)]) as stage:
        await stage.ask(PERSON)
        agent = await stage.runtime._sessions.get(stage.session)
        assert agent.files.generation == len(compactions_in(stage))
        assert agent.files.generation > 0


def compactions_in(stage: Stage) -> list[dict[str, Any]]:
    return [row for row in stage.rows() if row["type"] == "compaction"]


async def test_that_tools_longer_than_the_window_stop_the_turn_and_say_so(home: Path) -> None:
    """Bug 19: no compaction can help; none is tried, and the model is not asked."""
    tools = [look(f"tool_{n}") for n in range(40)]
    model = working(context=600)
    async with Stage(home, model, tools) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) == "context_full"
        assert not model.asked
        (notice,) = [e for e in events if isinstance(e, Notice) and e.level == "error"]
        assert "alone" in notice.message
        assert "600" in notice.message


@pytest.mark.parametrize("summary", ["echo", "empty", "fail"])
async def test_that_a_summariser_that_does_not_summarise_does_not_loop(home: Path, summary: str) -> None:
    """Bug 19: it returns its input, nothing, or an error; the breaker opens after a few tries."""
    model = working(steps=60, context=1500)
    script: dict[str, Reply] = {
        "echo": [Say("y " * 4000)],
        "empty": [],
        "fail": [Fail(ModelError("It is busy."))],
    }
    model.summary = script[summary]
    async with Stage(home, model, [long_tool(700)], agent={"max_steps": 60}) as stage:
        events = await stage.ask(PERSON)
        assert model.summaries <= 4
        assert reason_of(events) == "context_full"
        assert any("left as it is" in e.message for e in events if isinstance(e, Notice))
        assert paired(stage.rows())


async def test_that_success_without_room_opens_the_breaker(home: Path) -> None:
    """Trap 0.14: the newest round alone fills the window; two compactions, then the person is told."""
    wide: list[Any] = [
        [Call("look", {"number": n}) for n in range(start, start + 3)] for start in (0, 3, 6, 9)
    ]

    def reply(messages: Sequence[ChatMessage]) -> Reply:
        if is_summary(messages):
            return [Say("short")]
        return wide.pop(0) if wide else [Say("Done.")]

    model = StrictChat([reply] * 30, context_tokens=1600)
    async with Stage(home, model, [long_tool(1400)]) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) in ("context_full", "done")
        assert len(compactions(events)) <= 4
        assert paired(stage.rows())


async def test_that_an_overflow_is_answered_with_one_compaction(home: Path) -> None:
    """Bug 19: the model says it is too long though we counted otherwise: one compaction a request."""
    overflow = Fail(ContextOverflowError("too long"))
    rounds: list[Any] = [[Call("look", {"number": n})] for n in range(5)]
    model = StrictChat([*rounds, [overflow], [Say("short")], [Say("Done.")]], context_tokens=20_000)
    async with Stage(home, model, [long_tool(1000)]) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) == "done"
        assert [c.tier for c in compactions(events)] == ["auto"]
        assert [e.text for e in events if isinstance(e, Message)][-1] == "Done."
    model = StrictChat([*rounds, [overflow], [Say("short")], [overflow], [Say("x")]], context_tokens=20_000)
    async with Stage(home, model, [long_tool(1000)]) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) == "failed"
        assert len(compactions(events)) == 1


async def test_that_compress_context_is_heard_before_the_next_request(home: Path) -> None:
    async def compress(_args: Any, ctx: ToolContext) -> ToolOutput:
        ctx.services.request_compaction(ctx.conversation.session_id)
        return ToolOutput("soon")

    rounds: list[Any] = [[Call("look", {"number": n})] for n in range(4)]
    model = StrictChat([*rounds, [Call("compress", {})], [Say("They looked.")], [Say("Done.")]])
    async with Stage(home, model, [long_tool(1000), look("compress", does=compress)]) as stage:
        events = await stage.ask(PERSON)
        assert reason_of(events) == "done"
        (only,) = compactions(events)
        assert only.tier == "manual"
        assert only.summary == "They looked."
        assert [options.use for options in model.options_seen][-2:] == ["summary", "turn"]
        assert PERSON in model.asked[-1][1].content


async def test_that_steering_during_a_compaction_is_read_next(home: Path) -> None:
    """Bug 21: input that arrives while the summary is written stays queued."""
    rounds: list[Any] = [[Call("look", {"number": n})] for n in range(4)]
    stage_of: list[Stage] = []
    model = StrictChat(context_tokens=1500)
    heard: list[bool] = []

    async def run(args: Any, ctx: ToolContext) -> ToolOutput:
        if args.number == 3:
            ctx.services.request_compaction(ctx.conversation.session_id)
            heard.append(await stage_of[0].runtime.steer(ctx.conversation.session_id, "in kpc"))
        return ToolOutput("x" * 500)

    model.replies = [*rounds, [Say("They looked.")], [Say("Done.")]]
    async with Stage(home, model, [look(does=run)]) as stage:
        stage_of.append(stage)
        await stage.ask(PERSON)
        assert heard == [True]
        assert any("in kpc" in m.content for m in model.asked[-1] if m.role == "user")
        assert PERSON in model.asked[-1][1].content


def test_that_a_golden_transcript_keeps_its_question_cut_at_every_step() -> None:
    """Bug 21: compacted after each of its steps, the words of the person are there byte for byte."""
    for steps in range(2, 9):
        writer = Writer()
        writer.add(ContextAdded("system", "S"), TurnStarted("t", PERSON), ContextAdded("date", "Today."))
        for step in range(1, steps + 1):
            writer.add(Message("", step, "hm", (call(f"c{step}"),)), result(f"c{step}", "text " * 40))
        history = History.of(writer.rows)
        entries = history.placed()
        cut = choose_cut(entries, [10] * len(entries), keep=30)
        assert cut is not None
        row = compaction.kept_from(entries, cut)
        history.apply(writer.last + 1, Compaction("auto", 9, 5, "short", row).as_json())
        messages = history.messages()
        assert PERSON in messages[1].content
        assert "Today." in messages[1].content
        assert messages[-1].call_id == f"c{steps}"


def test_that_the_newest_rounds_and_skills_are_never_cleared() -> None:
    writer = Writer()
    writer.add(TurnStarted("t", "?"))
    for step in range(1, 6):
        name = "load_skill" if step == 1 else "read_file"
        writer.add(Message("", step, calls=(call(f"c{step}", name),)), result(f"c{step}", "x", name=name))
    history = History.of(writer.rows)
    sizes = {f"c{step}": 500 for step in range(1, 6)}
    room = Room(context=2000, reply=200, soft=0.8)
    assert compaction.clearable(history.units, sizes, total=2000, room=room) == ("c2", "c3")
    assert compaction.clearable(history.units, sizes, total=900, room=room) == ()
    assert compaction.clearable(history.units, sizes, total=9000, room=room) == ()


def test_that_a_digest_keeps_the_newest_lines_within_its_limit() -> None:
    writer = Writer()
    for turn in range(40):
        writer.add(TurnStarted(f"t{turn}", f"question {turn}"), Message(f"answer {turn}", 1))
    text = digest(History.of(writer.rows).placed(), 500)
    assert len(text) <= 550
    assert "answer 39" in text
    assert "is lost" in text
