from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.assemble import CutCall, EndReason, StreamAssembler
from app.llm.call_ids import new_call_id, ulid, wire_id
from app.llm.chat import CallDelta, CallPart
from app.llm.json_end import ObjectEnd
from tests.harness.streams import STYLES, DeltaStream, Wanted, cut, delta_streams, wanted_calls


def said(calls: list[CallPart] | tuple[CallPart, ...]) -> list[Wanted]:
    return [Wanted(call.name, call.arguments) for call in calls]


def fed(deltas: list[CallDelta]) -> tuple[StreamAssembler, list[CallPart]]:
    assembler = StreamAssembler()
    given_: list[CallPart] = []
    for delta in deltas:
        given_ += assembler.feed(delta)
    return assembler, given_


READ, EDIT = Wanted("read_file", '{"path": "星系.md"}'), Wanted("file_edit", '{"path": "b", "new": "a}\\"{"}')


@pytest.mark.parametrize("style", sorted(STYLES))
def test_that_two_calls_are_told_apart_in_the_style(style: str) -> None:
    """Bug 7: the pieces of every provider's style."""
    deltas = [
        delta
        for place, call in enumerate((READ, EDIT))
        for delta in STYLES[style](place, call, cut(call.arguments, [4, 9]))
    ]
    assembler, early = fed(deltas)
    finished = assembler.finish("tool_calls")
    assert said(finished.calls) == [READ, EDIT]
    assert said(early) == [READ, EDIT]
    assert finished.new == ()
    assert finished.cut == ()


@given(delta_streams())
def test_that_calls_survive_any_style_and_any_cut(stream: DeltaStream) -> None:
    """Bug 7: nothing is merged, lost or doubled, wherever the pieces are cut."""
    assembler, early = fed(stream.deltas)
    finished = assembler.finish("tool_calls")
    assert said(finished.calls) == stream.calls
    assert said(early) == stream.calls
    assert [call.id for call in early] == [call.id for call in finished.calls]
    assert len({call.id for call in finished.calls}) == len(stream.calls)
    assert finished.cut == ()


@given(delta_streams(), st.sampled_from(["length", None]), st.data())
def test_that_a_truncated_stream_gives_whole_calls_alone(
    stream: DeltaStream, reason: EndReason | None, data: st.DataObject
) -> None:
    """Bug 9: what is incomplete at a cut is set aside, what had been given stays as it was given."""
    kept = stream.deltas[: data.draw(st.integers(0, len(stream.deltas)))]
    assembler, early = fed(kept)
    finished = assembler.finish(reason)
    assert said(finished.calls) == stream.calls[: len(finished.calls)]
    assert list(finished.calls) == [*early, *finished.new]


@pytest.mark.parametrize("reason", ["length", None, "tool_calls", "stop"])
def test_that_arguments_cut_at_any_byte_never_run_as_something_else(reason: EndReason | None) -> None:
    """Bug 11: truncation at every byte; what is given is either the whole or no valid object."""
    text = EDIT.arguments
    for at in range(len(text)):
        assembler, early = fed([CallDelta(0, "a", "file_edit", text[:at])])
        finished = assembler.finish(reason)
        assert early == []
        if reason in ("length", None):
            assert finished.calls == ()
            assert finished.cut == (CutCall("file_edit", text[:at], "unclosed"),)
        else:
            assert said(finished.new) == [Wanted("file_edit", text[:at])]
            with pytest.raises(ValueError):
                json.loads(finished.new[0].arguments)


def test_that_a_call_is_given_the_moment_its_object_closes() -> None:
    """Bug 7: also when its text holds brackets, quotes and escapes cut in their middle."""
    assembler = StreamAssembler()
    pieces = ['{"a": "}', "\\", '"', '{"', ', "b": [{', "}]"]
    assert [assembler.feed(CallDelta(0, "x", "f" if n == 0 else "", p)) for n, p in enumerate(pieces)] == [
        []
    ] * 6
    assert said(assembler.feed(CallDelta(0, "", "", "}"))) == [Wanted("f", "".join(pieces) + "}")]


def test_that_ids_are_ours_whatever_the_provider_sends() -> None:
    """Bug 4: every provider id is `call_0`, in every reply."""
    ids = set()
    for _ in range(3):
        _, early = fed([CallDelta(0, "call_0", "f", "{}"), CallDelta(1, "call_0", "g", "{}")])
        ids |= {call.id for call in early}
    assert len(ids) == 6
    assert all(call_id.startswith("call_") and len(call_id) == 31 for call_id in ids)


def test_that_interleaved_calls_are_put_together_and_given_in_order() -> None:
    """Bug 7: parallel calls whose pieces alternate."""
    deltas = [
        CallDelta(0, "a", "f"),
        CallDelta(1, "b", "g"),
        CallDelta(1, arguments='{"y": '),
        CallDelta(0, arguments='{"x": '),
        CallDelta(1, arguments="2}"),
    ]
    assembler, early = fed(deltas)
    assert early == []
    assert said(assembler.feed(CallDelta(0, arguments="1}"))) == [
        Wanted("f", '{"x": 1}'),
        Wanted("g", '{"y": 2}'),
    ]


def test_that_a_call_without_arguments_is_one_at_a_proper_end_only() -> None:
    """Bug 11: empty arguments are passed on as they are, and never taken for a whole call after a cut."""
    cases: list[tuple[EndReason | None, int]] = [("tool_calls", 1), ("length", 0), (None, 0)]
    for reason, calls in cases:
        assembler, early = fed([CallDelta(0, "a", "check_team_inbox")])
        assert early == []
        assert len(assembler.finish(reason).calls) == calls


def test_that_the_next_call_completes_one_that_nothing_can_continue() -> None:
    assembler, early = fed([CallDelta(None, name="todo"), CallDelta(None, name="grep", arguments="{}")])
    assert said(early) == [Wanted("todo", ""), Wanted("grep", "{}")]
    assert assembler.finish(None).cut == ()


def test_that_a_call_without_a_name_is_never_given() -> None:
    """Bug 7: an empty name is not dispatched."""
    assembler, early = fed([CallDelta(0, "a", "", '{"x": 1}'), CallDelta(1, "b", "g", "{}")])
    finished = assembler.finish("tool_calls")
    assert early == []
    assert said(finished.new) == [Wanted("g", "{}")]
    assert finished.cut == (CutCall("", '{"x": 1}', "nameless"),)


def test_that_a_name_after_the_arguments_is_taken() -> None:
    _, early = fed([CallDelta(0, "a", "", '{"x": 1}'), CallDelta(0, "a", "f")])
    assert said(early) == [Wanted("f", '{"x": 1}')]


def test_that_text_after_the_arguments_is_set_aside() -> None:
    """Bug 7: a second object glued to the first is not merged into it and does not run."""
    assembler, early = fed([CallDelta(0, "a", "f", '{"x": 1}{"x": 2}'), CallDelta(0, "", "", '{"x": 3}')])
    finished = assembler.finish("stop")
    assert said(early) == said(finished.calls) == [Wanted("f", '{"x": 1}')]
    assert finished.cut == (CutCall("f", '{"x": 2}{"x": 3}', "stray"),)


def test_that_a_name_in_the_same_place_with_other_arguments_is_another_call() -> None:
    """Bug 7: index 0 and one id for all."""
    _, early = fed([CallDelta(0, "call_0", "f", '{"x": 1}'), CallDelta(0, "call_0", "f", '{"x": 2}')])
    assert said(early) == [Wanted("f", '{"x": 1}'), Wanted("f", '{"x": 2}')]


@pytest.mark.parametrize("text", ["null", '"{}"', "[{}]", "{]}", "oops {}"])
def test_that_what_is_no_object_waits_for_the_end_and_stays_as_it_is(text: str) -> None:
    assembler, early = fed([CallDelta(0, "a", "f", text)])
    assert early == []
    assert said(assembler.finish("stop").new) == [Wanted("f", text)]


@given(wanted_calls(1, 1), st.lists(st.integers(0, 10_000), max_size=12), st.text(max_size=5))
def test_that_the_end_of_an_object_is_found_exactly(calls: list[Wanted], cuts: list[int], after: str) -> None:
    end = ObjectEnd()
    inside = [end.feed(piece) for piece in cut(calls[0].arguments + after, cuts)]
    assert end.closed
    assert sum(inside) == len(calls[0].arguments)


def test_that_ids_sort_by_time_and_shorten_without_meeting() -> None:
    """Bug 4: a provider that takes nine characters gets a hash, the same for call and result."""
    ids = [new_call_id() for _ in range(2000)]
    assert len({wire_id(call_id, 9) for call_id in ids}) == len(set(ids)) == 2000
    assert wire_id(ids[0], 9) == wire_id(ids[0], 9) != wire_id(ids[1], 9)
    assert wire_id(ids[0]) == ids[0]
    assert all(wire_id(call_id, 9).isalnum() and len(wire_id(call_id, 9)) == 9 for call_id in ids[:50])
    assert ulid()[:6] <= ulid()[:6]
