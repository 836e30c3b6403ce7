"""Calls that cannot be understood: nothing runs, and the model is told how to do better."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from app.agent.execution.prepare import BadCallError, as_shown, find_tool, parse, validate
from app.agent.tools import ToolRegistry
from app.agent.tools.tool import NoArgs, ToolArgs
from app.events import Outcome, ToolCall
from tests.fakes.calls import Bench, TestTool


class WriteArgs(ToolArgs):
    path: str
    content: str
    mode: int = Field(0, ge=0)


WRITE = TestTool("file_write", args=WriteArgs)
WHOLE = json.dumps({"path": "a.txt", "content": 'line\n“星系” \\ " }'}, ensure_ascii=False)


def problem(text: str) -> str:
    with pytest.raises(BadCallError) as error:
        validate(WRITE, parse(WRITE, text))
    return error.value.message


def test_that_an_unknown_tool_is_answered_with_the_nearest_names() -> None:
    registry = ToolRegistry([TestTool("read_file"), TestTool("grep_files"), TestTool("rag_search")])
    with pytest.raises(BadCallError, match="Did you mean read_file"):
        find_tool(registry, "readfile")
    with pytest.raises(BadCallError, match=r"The tools are: grep_files, rag_search, read_file\."):
        find_tool(registry, "zzz")


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_that_arguments_cut_anywhere_are_never_run(end: int) -> None:
    """Bug 11: half of an object is no object, wherever it was cut."""
    assert "Nothing was done" in problem(WHOLE[:end])


def test_that_the_place_of_a_fault_is_named_and_the_schema_given() -> None:
    """Bug 11: a model can only correct what it is shown."""
    said = problem('{"path": "a.txt",\n "content": oops}')
    assert "line 2, column 13" in said
    assert "oops" in said
    assert '"required": ["path", "content"]' in said
    assert "too early" in problem('{"path": "a')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('["a"]', "not a list"),
        ("null", "not null"),
        ('"{}"', "not a string"),
        ('{"path": "a", "path": "b", "content": ""}', "given twice"),
        ('{"path": "a", "content": "b", "mode": NaN}', "NaN"),
        ('{"path": "a", "content": "b", "mode": -1e999}', "-1e999 is larger than any number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"path": ' + "[" * 60 + "]" * 60 + "}", "nested too deeply"),
        ('{"path": "a", "content": "\\ud83d"}', "half a character"),
        ('{"path": "a"}', "“content” is missing"),
        ('{"path": "a", "content": "b", "contnt": 1}', "“contnt” is unknown (did you mean “content”?)"),
        ('{"path": "a", "content": "b", "mode": -1}', "“mode”: Input should be greater than or equal to 0"),
        ('{"path": ["a"], "content": "b"}', '(given: ["a"])'),
        ('{"path": "a", "content": "b", "mode": ' + "9" * 5000 + "}", "cannot be used"),
    ],
)
def test_that_every_fault_is_said_in_words(text: str, reason: str) -> None:
    assert reason in problem(text)


def test_that_line_breaks_inside_strings_are_taken_as_they_are() -> None:
    """Bug 11: many models do not escape control characters; that is no reason to refuse."""
    args = validate(WRITE, parse(WRITE, '{"path": "a", "content": "one\ntwo\tthree"}'))
    assert args.model_dump()["content"] == "one\ntwo\tthree"


def test_that_no_text_at_all_means_no_arguments() -> None:
    assert parse(TestTool("compress", args=NoArgs), " ") == {}
    assert "“path” is missing" in problem("")


@given(st.text(alphabet='{}[]":,\\ab1\ud83d\n nulltrue', max_size=60))
def test_that_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    result: object
    try:
        result = parse(WRITE, text)
    except BadCallError as error:
        result = error.message
    assert isinstance(result, dict) or "Nothing was done" in str(result)
    json.dumps(as_shown(text), ensure_ascii=False).encode("utf-8")


async def test_that_a_bad_call_is_rejected_and_stays_paired(home: Path) -> None:
    tool = TestTool("file_write", args=WriteArgs)
    bench = Bench(home, tool)
    results = await bench.reply(
        ("file_write", '{"path": "a'),
        ("flie_write", WHOLE),
        ("file_write", '{"path": "\\ud800", "content": ""}'),
        ("\ud800", "{}"),
    )
    assert [result.outcome for result in results] == [Outcome.REJECTED] * 4
    assert all(result.is_error for result in results)
    assert tool.ran == []
    assert bench.paired()
    for event in bench.rows.events:
        json.dumps(event.as_json(), ensure_ascii=False).encode("utf-8")
    assert [call.arguments for call in bench.rows.of(ToolCall)][:2] == [{}, json.loads(WHOLE)]
    assert [outcome for _id, _tool, outcome, _detail in bench.audit.rows] == ["rejected"] * 4


async def test_that_a_tool_that_needs_a_person_is_refused_where_nobody_can_answer(home: Path) -> None:
    tool = TestTool("ask_user", needs_person=True)
    (result,) = await Bench(home, tool).reply(("ask_user", {}))
    assert result.outcome is Outcome.REJECTED
    assert "Nobody can answer" in result.output
    assert tool.ran == []


def test_that_a_hundred_thousand_names_with_a_twin_are_refused_at_once() -> None:
    names = [f"n{number}" for number in range(100_000)]
    text = json.dumps(dict.fromkeys(names, 1))[:-1] + ', "n7": 2}'
    assert "“n7” is given twice" in problem(text)


def test_that_the_words_of_a_refusal_stay_short_whatever_was_called() -> None:
    long = "x" * 1_000_000
    assert len(problem(json.dumps({"path": "a", "content": "b", long: 1}))) < 3000
    assert len(problem(f'{{"{long}": 1, "{long}": 2}}')) < 3000
    with pytest.raises(BadCallError) as error:
        find_tool(ToolRegistry([WRITE]), long)
    assert len(error.value.message) < 300
