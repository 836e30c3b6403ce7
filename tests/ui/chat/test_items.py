"""From events to what the timeline shows."""

from __future__ import annotations

from app.events import (
    AnswerReady,
    Event,
    Notice,
    Outcome,
    TextDelta,
    ThinkingDelta,
    Todo,
    ToolCall,
    ToolProgress,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.ui.chat.items import Answered, Asked, Ended, Noticed, Thought, ToolState, ToolUse
from app.ui.chat.replay import event_of, replay
from app.ui.chat.timeline import Timeline

ANSWER = {
    "question": "How far?",
    "kind": "answer",
    "model": "m",
    "message": "",
    "text": "Far.",
    "sentences": [
        {"text": "Far.", "supported": True, "citations": [{"label": "Riess+ 2016", "page_label": "4"}]},
        {"text": "Very far.", "supported": False, "citations": []},
    ],
    "citations": [],
}


def played(*events: Event) -> Timeline:
    timeline = Timeline()
    timeline.ask("How far?")
    for now, event in enumerate(events):
        timeline.apply(event, float(now + 1))
    return timeline


def test_that_streamed_text_gathers_in_one_answer() -> None:
    timeline = played(TurnStarted("t"), TextDelta("It is "), TextDelta("far."))
    assert timeline.items == [Asked("How far?"), Answered("It is far.")]
    assert timeline.running


def test_that_the_checked_answer_replaces_what_was_streamed() -> None:
    timeline = played(TurnStarted("t"), TextDelta("unchecked"), AnswerReady(ANSWER), TurnFinished("done"))
    (answer,) = [item for item in timeline.items if isinstance(item, Answered)]
    assert answer.checked == ANSWER
    assert not answer.streaming
    assert not timeline.running


def test_that_a_tool_call_is_one_item_from_start_to_end() -> None:
    call = ToolCall("1", "rag_search", {"question": "H0?"}, 1)
    timeline = played(call, ToolProgress("1", 0.5, "18 / 31"))
    use = timeline.items[-1]
    assert isinstance(use, ToolUse)
    assert (use.argument, use.progress, use.message, use.state) == (
        "“H0?”",
        0.5,
        "18 / 31",
        ToolState.RUNNING,
    )
    timeline.apply(ToolResult("1", "rag_search", "found", False, Outcome.SUCCEEDED, 1), 3.5)
    use = timeline.items[-1]
    assert isinstance(use, ToolUse)
    assert (use.state, use.seconds, use.output) == (ToolState.DONE, 2.5, "found")


def test_that_a_failed_call_is_shown_as_failed_and_an_interrupted_one_as_stopped() -> None:
    call = ToolCall("1", "x", {}, 1)
    failed = played(call, ToolResult("1", "x", "", True, Outcome.FAILED, 1)).items[-1]
    stopped = played(call, ToolResult("1", "x", "", True, Outcome.INTERRUPTED, 1)).items[-1]
    assert isinstance(failed, ToolUse)
    assert isinstance(stopped, ToolUse)
    assert (failed.state, stopped.state) == (ToolState.FAILED, ToolState.STOPPED)


def test_that_stopping_ends_everything_that_runs() -> None:
    timeline = played(TurnStarted("t"), ToolCall("1", "x", {}, 1), TextDelta("half"))
    assert timeline.stop() == [1, 2]
    use, answer = timeline.items[1:]
    assert isinstance(use, ToolUse)
    assert isinstance(answer, Answered)
    assert use.state is ToolState.STOPPED
    assert not answer.streaming
    assert not timeline.running


def test_that_text_after_a_tool_call_is_another_answer() -> None:
    timeline = played(TextDelta("First."), ToolCall("1", "x", {}, 1), TextDelta("Second."))
    assert [type(item) for item in timeline.items] == [Asked, Answered, ToolUse, Answered]


def test_that_the_plan_counts_what_is_done_and_names_what_is_next() -> None:
    items = (
        {"content": "Read Riess", "status": "completed"},
        {"content": "Read Wong", "status": "in_progress"},
        {"content": "Write", "status": "pending"},
    )
    plan = played(Todo(items)).plan
    assert plan is not None
    assert (plan.done, len(plan.tasks), plan.current) == (1, 3, "Read Wong")
    assert played(Todo(())).plan is None


def test_that_a_notice_is_shown_and_thinking_is_a_line_of_its_own() -> None:
    timeline = played(Notice("warning", "No model."), ThinkingDelta("h"), ThinkingDelta("m"))
    notice, thought = timeline.items[1:]
    assert notice == Noticed("warning", "No model.")
    assert isinstance(thought, Thought)
    assert (thought.text, thought.streaming) == ("hm", True)


def test_that_an_answer_is_copied_with_its_pages() -> None:
    assert Answered("Far.", ANSWER).as_markdown() == "Far. (Riess+ 2016, p. 4) Very far."
    quotes = {**ANSWER, "kind": "quotes", "message": "No model."}
    assert Answered("", quotes).as_markdown() == (
        "> Far.\n>\n> (Riess+ 2016, p. 4)\n\n> Very far.\n\n*No model.*"
    )


def test_that_a_conversation_is_read_back_from_its_journal() -> None:
    events: list[Event] = [
        TurnStarted("a", "How far?"),
        ToolCall("1", "rag_search", {"question": "q"}, 1),
        ToolResult("1", "rag_search", "out", False, Outcome.SUCCEEDED, 1),
        TextDelta("Far."),
        AnswerReady(ANSWER),
        TurnFinished("done"),
        TurnStarted("b", "How near?"),
        TextDelta("half an ans"),
        TurnFinished("stopped"),
    ]
    timeline = replay([event.as_json() for event in events])
    assert [type(i) for i in timeline.items] == [Asked, ToolUse, Answered, Asked, Answered, Ended]
    assert timeline.items[0] == Asked("How far?")
    assert not timeline.running


def test_that_rows_of_a_newer_version_are_passed_over() -> None:
    assert event_of({"type": "hologram", "x": 1}) is None
    assert event_of({"type": "text_delta"}) is None
    assert event_of({"type": "text_delta", "text": "a", "extra": 1}) == TextDelta("a")
