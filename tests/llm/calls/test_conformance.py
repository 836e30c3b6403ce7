from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatEnd, ChatItem, ChatMessage, ToolSpec
from app.llm.local.calls.families.table import BY_NAME
from app.llm.local.calls.gbnf import parsed
from app.llm.local.calls.plan import EndReason, plan
from app.llm.local.conformance import QUICK, Heard, heard, judge
from app.llm.local.conformance_cases import CASES, Case
from tests.harness.chat_templates import BY_FAMILY, PLAIN
from tests.harness.sentences import SentenceWriter

RIGHT: dict[str, dict[str, object]] = {
    "one call": {"query": "Hubble tension"},
    "the right one of several": {"name": "M 87"},
    "no arguments": {},
    "a number": {"query": "white dwarfs", "limit": 3},
    "a choice": {"query": "quasars", "sort": "citations"},
    "a list": {"papers": ["2019A", "2021B"]},
    "an object within": {"paper": "2020X", "text": "check this", "anchor": {"page": 7}},
    "another script": {"query": "快速射电暴"},
    "characters to escape": {"query": 'dark \\ "energy"'},
    "after an error": {"name": "Messier 33"},
    "two objects": {"name": "M 51"},
}
FAMILIES = sorted({*BY_FAMILY, "forced"})


def reply_to(case: Case, family: str) -> str:
    """A right reply as a model of the family writes it."""
    calls: tuple[CallPart, ...] = ()
    if case.tool:
        calls = (CallPart("c", case.tool, json.dumps(RIGHT[case.name], ensure_ascii=False)),)
    return BY_NAME[family].written(ChatMessage("assistant", "" if calls else "Here you are.", calls=calls))


def read(case: Case, family: str, text: str, cuts: list[int], reason: EndReason = "stop") -> Heard:
    parser = plan(BY_FAMILY.get(family, PLAIN), case.tools, family=family).parser()
    items: list[ChatItem] = []
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        items += parser.feed(text[start:end])
    last, end_reason = parser.finish(reason)
    return heard([*items, *last, ChatEnd(end_reason, 10, 10)])


def test_that_the_set_covers_what_can_go_wrong() -> None:
    assert len(CASES) >= 12
    assert len({case.name for case in CASES}) == len(CASES)
    assert len(QUICK) == 4
    assert {case.name for case in CASES if case.tool} == set(RIGHT)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=5)
@given(cuts=st.lists(st.integers(0, 500), max_size=20))
def test_that_a_right_reply_is_right_in_every_family(case: Case, family: str, cuts: list[int]) -> None:
    verdict = judge(case, read(case, family, reply_to(case, family), cuts))
    assert (verdict.valid, verdict.right, verdict.problems) == (True, True, ())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("family", FAMILIES)
def test_that_whatever_a_held_model_writes_is_valid(case: Case, family: str) -> None:
    grammar = plan(BY_FAMILY.get(family, PLAIN), case.tools, family=family, tiny=True).grammar
    assert grammar is not None
    writer, chance = SentenceWriter(parsed(grammar.text)), random.Random(case.name + family)
    for _ in range(3):
        reply = read(case, family, writer.write(chance), [])
        assert judge(case, reply).valid or (not reply.calls and not reply.text.strip())


SEARCH_CASE = CASES[0]
END = ChatEnd("tool_calls", 1, 1)


@pytest.mark.parametrize(
    ("items", "word"),
    [
        ([], "stream ended"),
        ([ChatEnd("stop", 1, 1)], "empty"),
        ([CallDelta(0, name="search", arguments="{}"), END], "no tool 'search'"),
        ([CallDelta(0, name="search_papers", arguments="{}"), END], "query is missing"),
        ([CallDelta(0, name="search_papers", arguments='{"query": 3}'), END], "not of type"),
        ([CallDelta(0, name="search_papers", arguments='{"query": "x", "limit": 99}'), END], "more than 20"),
        ([CallDelta(0, name="search_papers", arguments='{"query'), END], "no JSON"),
        ([CallDelta(0, name="search_papers", arguments='{"query'), ChatEnd("length", 1, 1)], "was cut"),
        ([CallDelta(0, arguments='{"query": "x"}'), END], "was cut"),
    ],
)
def test_that_an_ill_formed_reply_is_not_valid(items: list[ChatItem], word: str) -> None:
    verdict = judge(SEARCH_CASE, heard(items))
    assert not verdict.valid
    assert not verdict.right
    assert word in verdict.problems[0]


def test_that_a_valid_reply_may_still_be_wrong() -> None:
    prose = judge(SEARCH_CASE, heard([ChatDelta("I would search."), ChatEnd("stop", 1, 1)]))
    other = CallDelta(0, name="search_papers", arguments='{"query": "stars"}')
    wrong = judge(SEARCH_CASE, heard([other, END]))
    talker = next(case for case in CASES if not case.tool)
    eager = judge(talker, heard([other, END]))
    assert [(verdict.valid, verdict.right) for verdict in (prose, wrong, eager)] == [(True, False)] * 3


def test_that_the_tools_are_simple_enough_for_any_service() -> None:
    tools: set[str] = set()
    for case in CASES:
        for tool in case.tools:
            assert isinstance(tool, ToolSpec)
            assert tool.parameters["type"] == "object"
            tools.add(tool.name)
    assert len(tools) >= 4
