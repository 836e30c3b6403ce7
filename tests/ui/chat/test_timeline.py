"""What each event of the agent does to the timeline, live and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import events
from app.events import (
    AnswerReady,
    Compaction,
    ContextAdded,
    Event,
    Message,
    Nested,
    Notice,
    Outcome,
    PermissionAnswer,
    PermissionRequest,
    Question,
    QuestionAnswer,
    Steering,
    TextDelta,
    ThinkingDelta,
    Todo,
    ToolCall,
    ToolProgress,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.ui.chat.fold import HANDLERS
from app.ui.chat.items import (
    STATES,
    Added,
    Answered,
    Asked,
    Asking,
    Compacted,
    Ended,
    Item,
    Permission,
    Thought,
    ToolState,
    ToolUse,
)
from app.ui.chat.replay import event_of, ordinal, replay, rows_of
from app.ui.chat.timeline import Timeline

CALL = ToolCall("c", "run_bash", {"command": "ls"}, 1)
REQUEST = PermissionRequest("r", "c", "run_bash", "Run it?", "ls", "command")


def played(*happened: Event) -> Timeline:
    timeline = Timeline()
    timeline.ask("How far?")
    for event in happened:
        timeline.apply(event)
    return timeline


def use(timeline: Timeline) -> ToolUse:
    (found,) = [item for item in timeline.items if isinstance(item, ToolUse)]
    return found


def said(text: str, *ids: str, step: int = 1, thinking: str = "") -> Message:
    calls = tuple({"id": id, "name": "x", "arguments": "{}"} for id in ids)
    return Message(text, step, thinking, calls)


# -- the reply ----------------------------------------------------------------------------------


def test_that_every_event_has_a_place_in_the_timeline() -> None:
    made = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event)]
    assert set(made) - set(HANDLERS) == {Event}


def test_that_the_whole_reply_takes_the_place_of_its_pieces() -> None:
    timeline = played(ThinkingDelta("hm"), TextDelta("It is f"), TextDelta("ar"), said("It is far."))
    thought, answer = timeline.items[1:]
    assert isinstance(thought, Thought)
    assert not thought.streaming
    assert answer == Answered("It is far.", streaming=False)


def test_that_pieces_and_whole_replies_give_the_same_timeline() -> None:
    live = played(ThinkingDelta("hm"), TextDelta("It is far."), said("It is far.", thinking="hm"))
    kept = played(said("It is far.", thinking="hm"))
    assert [type(item) for item in live.items] == [type(item) for item in kept.items]
    assert live.items[-1] == kept.items[-1]


def test_that_the_checked_answer_replaces_the_last_reply_and_not_what_was_said_beside_calls() -> None:
    answer = {"kind": "answer", "text": "Far.", "sentences": [], "message": ""}
    first, result = said("I look.", "c"), ToolResult("c", "x", "", False, Outcome.SUCCEEDED, 1)
    timeline = played(first, CALL, result, said("Far.", step=2), AnswerReady(answer))
    looked, done = [item for item in timeline.items if isinstance(item, Answered)]
    assert looked.text == "I look."
    assert looked.interim
    assert done.checked == answer


def test_that_a_reply_that_was_cut_says_so() -> None:
    timeline = played(Message("It is", 1, partial=True))
    answer = timeline.items[-1]
    assert isinstance(answer, Answered)
    assert answer.partial


def test_that_neighbouring_contexts_are_one_line() -> None:
    timeline = played(ContextAdded("date", "today"), ContextAdded("hook", "x", trusted=False))
    assert timeline.items[1:] == [Added((("date", "today", True), ("hook", "x", False)))]


def test_that_a_compaction_says_what_it_freed() -> None:
    timeline = played(Compaction("micro", 100, 40, cleared=("a", "b")))
    assert timeline.items[-1] == Compacted("micro", 100, 40, "", 2)


@pytest.mark.parametrize("reason", ["stopped", "max_steps", "loop", "context_full", "failed"])
def test_that_a_turn_that_is_not_simply_done_says_why(reason: str) -> None:
    assert played(TurnFinished(reason)).items[-1] == Ended(reason)
    assert not played(TurnFinished("done")).items[1:]


def test_that_a_failure_that_was_told_is_not_told_again() -> None:
    timeline = played(Notice("error", "No model."), TurnFinished("failed"))
    assert Ended("failed") not in timeline.items


def test_that_steps_count_rounds_and_not_calls() -> None:
    calls = [ToolCall(str(n), "x", {}, step) for n, step in enumerate((1, 1, 2))]
    timeline = played(*calls)
    assert timeline.steps == 2
    timeline.apply(TurnStarted("t"))
    timeline.apply(ToolCall("9", "x", {}, 1))
    assert timeline.steps == 3


# -- calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", list(Outcome))
def test_that_every_outcome_has_a_state(outcome: Outcome) -> None:
    """Bug 2: each way a call can end is kept apart, so that the screen never says "did not run" of all."""
    ended = use(played(CALL, ToolResult("c", "run_bash", "", outcome != "succeeded", outcome, 1)))
    assert (ended.state, ended.outcome) == (STATES[outcome], outcome)
    assert ended.state is not ToolState.RUNNING


def test_that_late_progress_does_not_wake_a_call_that_ended() -> None:
    done = ToolResult("c", "run_bash", "", False, Outcome.SUCCEEDED, 1)
    ended = use(played(CALL, done, ToolProgress("c", 0.5, "half")))
    assert ended.progress is None


def test_that_what_a_sub_agent_does_is_inside_its_call() -> None:
    inner = ToolCall("i", "grep_files", {"pattern": "H0"}, 1)
    timeline = played(CALL, Nested("c", inner.as_json()), Nested("c", said("Done.").as_json()))
    assert len(timeline.items) == 2
    nested = use(timeline).inner
    assert nested is not None
    assert [type(item) for item in nested.items] == [ToolUse, Answered]
    assert use(timeline).inner_changes == 2


def test_that_a_sub_agent_asks_where_it_can_be_seen() -> None:
    """Bug 29: a child's request reaches the person beside all others, under the child's name."""
    request = PermissionRequest("r", "i", "run_bash", "Run it?", "ls", agent="reader")
    timeline = played(CALL, Nested("c", request.as_json()))
    asked = timeline.items[-1]
    assert isinstance(asked, Permission)
    assert asked.agent == "reader"
    timeline.apply(Nested("c", PermissionAnswer("r", "i", "deny").as_json()))
    assert timeline.waiting() == ()


# -- requests -----------------------------------------------------------------------------------


def test_that_a_call_waits_while_it_asks_and_runs_when_it_may() -> None:
    timeline = played(CALL, REQUEST)
    assert use(timeline).state is ToolState.ASKING
    assert timeline.waiting() == (2,)
    timeline.apply(PermissionAnswer("r", "c", "once"))
    assert use(timeline).state is ToolState.RUNNING
    assert timeline.waiting() == ()


def test_that_stopping_withdraws_requests_and_leaves_questions_to_be_answered_late() -> None:
    """Bug 34: what was asked when a turn ended is neither consent nor lost."""
    timeline = played(CALL, REQUEST, Question("q", "Which?", ("a", "b")))
    timeline.stop()
    request, question = timeline.items[2:]
    assert isinstance(request, Permission)
    assert request.answer == "cancelled"
    assert isinstance(question, Asking)
    assert (question.waits, question.open) == (False, True)


def test_that_time_running_out_is_no_answer() -> None:
    """Trap 0.13: a question whose time ran out has no answer, and still takes one."""
    timeline = played(Question("q", "Which?", ("a",)), QuestionAnswer("q", "no_answer"))
    question = timeline.items[-1]
    assert isinstance(question, Asking)
    assert (question.answer, question.open) == ("", True)
    timeline.answer_question("q", "late", "a")
    timeline.apply(QuestionAnswer("q", "no_answer"))
    late = timeline.items[-1]
    assert isinstance(late, Asking)
    assert (late.status, late.answer) == ("late", "a")


# -- steering -----------------------------------------------------------------------------------


def test_that_steering_waits_until_the_agent_has_read_it() -> None:
    timeline = played(TurnStarted("t"))
    place = timeline.steer("Only since 2016")
    assert timeline.items[place] == Asked("Only since 2016", steering="waits")
    timeline.sent(place, taken=True)
    assert timeline.apply(Steering("Only since 2016")) == [place]
    assert timeline.items[place] == Asked("Only since 2016", steering="read")


def test_that_steering_that_nobody_read_is_given_back() -> None:
    timeline = played(TurnStarted("t"))
    place = timeline.steer("Only since 2016")
    timeline.sent(place, taken=True)
    timeline.apply(TurnFinished("stopped"))
    assert timeline.items[place] == Asked("Only since 2016", steering="unread")
    assert timeline.take_unread() == ["Only since 2016"]
    assert timeline.take_unread() == []


def test_that_steering_that_came_too_late_is_a_question() -> None:
    timeline = played(TurnStarted("t"))
    place = timeline.steer("And M31?")
    timeline.apply(TurnFinished("done"))
    assert timeline.sent(place, taken=False) == [place]
    assert timeline.items[place] == Asked("And M31?")
    assert timeline.take_unread() == []


# -- read back ----------------------------------------------------------------------------------


def test_that_a_reply_stands_before_the_calls_that_ran_while_it_streamed() -> None:
    """A call is journaled before it runs, its reply when it is whole; they are shown as they were said."""
    rows = [
        TurnStarted("t", "How far?"),
        CALL,
        ToolResult("c", "run_bash", "", False, Outcome.SUCCEEDED, 1),
        said("I look.", "c"),
        said("Far.", step=2),
        TurnFinished("done"),
    ]
    kept = replay(event.as_json() for event in rows)
    assert [type(item) for item in kept.items] == [Asked, Answered, ToolUse, Answered]


def test_that_every_event_comes_back_from_its_row() -> None:
    rows: list[Event] = [
        Steering("x"),
        said("x", "c"),
        ContextAdded("date", "x"),
        CALL,
        REQUEST,
        PermissionAnswer("r", "c", "deny"),
        Question("q", "Which?", ("a", "b")),
        QuestionAnswer("q", "answered", "a"),
        Nested("c", CALL.as_json()),
        Todo(({"id": "1", "content": "x", "status": "pending"},)),
        Compaction("micro", 2, 1, cleared=("a",)),
        ToolResult("c", "x", "", False, Outcome.LOST_IN_CRASH, 1),
    ]
    assert [event_of(event.as_json()) for event in rows] == rows


def test_that_the_row_of_a_message_is_found_for_a_fork() -> None:
    rows = [
        (3, TurnStarted("t", "One?").as_json()),
        (5, CALL.as_json()),
        (6, ToolResult("c", "x", "", False, Outcome.SUCCEEDED, 1).as_json()),
        (7, said("I look.", "c").as_json()),
        (8, said("First.", step=2).as_json()),
        (9, TurnFinished("done").as_json()),
        (12, TurnStarted("t", "Two?").as_json()),
        (13, Steering("Hurry").as_json()),
        (14, said("Second.").as_json()),
    ]
    assert rows_of(rows, Asked) == [3, 12, 13]
    assert rows_of(rows, Answered) == [7, 8, 14]
    items = replay(event for _row, event in rows).items
    assert ordinal(items, len(items) - 1) == 2


EVENTS = st.sampled_from(
    [
        TurnStarted("t"),
        TextDelta("a"),
        ThinkingDelta("b"),
        said("a", "c"),
        said("b"),
        Steering("s"),
        CALL,
        ToolProgress("c", 0.5, "half"),
        ToolResult("c", "x", "", True, Outcome.FAILED, 1),
        ToolResult("unknown", "x", "", True, Outcome.FAILED, 1),
        REQUEST,
        PermissionAnswer("r", "c", "once"),
        Question("q", "Which?"),
        QuestionAnswer("q", "no_answer"),
        Nested("c", CALL.as_json()),
        Nested("unknown", {"type": "text_delta"}),
        AnswerReady({"kind": "answer", "text": "", "sentences": [], "message": ""}),
        Todo(()),
        TurnFinished("stopped"),
        TurnFinished("done"),
    ]
)


@given(st.lists(EVENTS, max_size=30))
def test_that_items_are_only_added_or_replaced_and_every_change_is_told(happened: list[Event]) -> None:
    timeline = Timeline()
    shown: list[Item] = []
    for event in happened:
        places = timeline.apply(event, 1.0)
        assert len(timeline.items) >= len(shown)
        for place in range(len(timeline.items)):
            if place not in places:
                assert timeline.items[place] is shown[place]
        shown = list(timeline.items)
    timeline.stop()
    moving = [i for i in timeline.items if getattr(i, "streaming", False) or getattr(i, "waits", False)]
    assert moving == []
    assert not any(isinstance(i, ToolUse) and i.state is ToolState.RUNNING for i in timeline.items)
