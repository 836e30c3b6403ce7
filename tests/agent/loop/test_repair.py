"""Every list of messages is made one that a provider accepts."""

from __future__ import annotations

import pytest
from hypothesis import given

from app.agent.loop.invariants import allowed_cuts
from app.agent.loop.repair import repair
from app.llm.chat import CallPart, ChatMessage
from tests.agent.loop.test_history import assert_paired
from tests.harness.strategies import damaged, histories


@pytest.mark.slow
@given(histories())
def test_that_a_sound_conversation_is_left_as_it_is(messages: list[ChatMessage]) -> None:
    sound = [m for m in repair(messages) if m.content.strip() or m.calls]
    assert repair(sound) == sound


@pytest.mark.slow
@given(damaged(histories()))
def test_that_repairing_pairs_calls_and_is_done_once(messages: list[ChatMessage]) -> None:
    """Bug 1: deterministic, and a second pass changes nothing, so that the prompt cache holds."""
    repaired = repair(messages)
    assert_paired(repaired)
    assert repair(repaired) == repaired
    assert repair(messages) == repaired
    assert all(m.content.strip() or m.calls for m in repaired)


@pytest.mark.slow
@given(damaged(histories()))
def test_that_every_allowed_cut_of_a_repaired_list_leaves_both_parts_paired(
    messages: list[ChatMessage],
) -> None:
    """Bug 3: every cut of every history."""
    repaired = repair(messages)
    for cut in allowed_cuts(repaired):
        assert_paired(repaired[:cut])
        assert_paired(repaired[cut:])


def test_that_a_cut_between_parallel_results_is_forbidden() -> None:
    """Bug 3: a batch of parallel calls is one thing."""
    messages = [
        ChatMessage("user", "?"),
        ChatMessage("assistant", "", calls=(CallPart("a", "x", "{}"), CallPart("b", "x", "{}"))),
        ChatMessage("tool", "1", call_id="a"),
        ChatMessage("tool", "2", call_id="b"),
        ChatMessage("assistant", "done"),
    ]
    assert allowed_cuts(messages) == [0, 1, 4, 5]


def test_that_a_tail_does_not_begin_without_the_thinking_its_loop_began_with() -> None:
    """Bug 5: a loop of calls is led by thinking; the tail begins with thinking or with the person."""
    messages = [
        ChatMessage("user", "?"),
        ChatMessage("assistant", "", "hm", (CallPart("a", "x", "{}"),)),
        ChatMessage("tool", "1", call_id="a"),
        ChatMessage("assistant", "", "", (CallPart("b", "x", "{}"),)),
        ChatMessage("tool", "2", call_id="b"),
        ChatMessage("assistant", "", "so", (CallPart("c", "x", "{}"),)),
        ChatMessage("tool", "3", call_id="c"),
        ChatMessage("user", "and?"),
        ChatMessage("assistant", "that"),
    ]
    assert allowed_cuts(messages) == [0, 1, 5, 7, 8, 9]


def test_that_a_transcript_with_one_id_for_all_calls_is_told_apart() -> None:
    """Bug 4: `call_0` in every reply; each result stays with the call before it."""
    messages = [ChatMessage("user", "?")]
    for text in "abc":
        messages.append(
            ChatMessage("assistant", "", calls=(CallPart("call_0", "x", "{}"), CallPart("", "y", "{}")))
        )
        messages.append(ChatMessage("tool", text, call_id="call_0"))
        messages.append(ChatMessage("tool", text.upper(), call_id=""))
    repaired = repair(messages)
    ids = [part.id for m in repaired for part in m.calls]
    assert len(set(ids)) == 6
    assert all(ids)
    assert [m.content for m in repaired if m.role == "tool"] == ["a", "A", "b", "B", "c", "C"]
    assert_paired(repaired)


def test_that_arguments_that_are_no_object_are_wrapped_and_names_are_needed() -> None:
    """Bug 11: broken arguments were answered with an error; sent again raw, servers refuse the request."""
    calls = (CallPart("a", "x", '{"path": "cut'), CallPart("b", "", "{}"), CallPart("c", "x", ""))
    repaired = repair([ChatMessage("user", "?"), ChatMessage("assistant", "", calls=calls)])
    assert [part.arguments for part in repaired[1].calls] == ['{"unreadable": "{\\"path\\": \\"cut"}', "{}"]


def test_that_a_conversation_begins_with_the_person() -> None:
    repaired = repair([ChatMessage("system", "s"), ChatMessage("assistant", "hello")])
    assert [m.role for m in repaired] == ["system", "user", "assistant"]
