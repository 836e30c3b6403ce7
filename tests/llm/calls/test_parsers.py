from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.llm.assemble import Finished, StreamAssembler
from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatMessage, ThinkingChunk, ToolSpec
from app.llm.local.calls.families.table import BY_NAME
from app.llm.local.calls.parser import StringReader
from app.llm.local.calls.plan import CallPlan, EndReason, plan
from tests.harness.chat_templates import BY_FAMILY, OPENS_THINKING, PLAIN, QWEN3

SEARCH = ToolSpec(
    "search_papers",
    "Search for papers.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "where": {"type": "object", "properties": {"page": {"type": "integer"}}},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["query"],
    },
)
DATE = ToolSpec("current_date", "Tell the date.", {"type": "object", "properties": {}})
TOOLS = (SEARCH, DATE)
FAMILIES = sorted({*BY_FAMILY, "forced"})
ONE_CALL = {"generic", "gemma", "forced"}


def plan_for(family: str) -> CallPlan:
    return plan(BY_FAMILY.get(family, PLAIN), TOOLS, family=family)


class Heard:
    """What a parser made of a reply."""

    def __init__(self, of: CallPlan, pieces: list[str], reason: EndReason = "stop") -> None:
        parser, assembler = of.parser(), StreamAssembler()
        self.items = [item for piece in pieces for item in parser.feed(piece)]
        last, self.reason = parser.finish(reason)
        self.items += last
        self.early: list[CallPart] = []
        for item in self.items:
            if isinstance(item, CallDelta):
                self.early += assembler.feed(item)
        self.finished: Finished = assembler.finish(self.reason)

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, ChatDelta))

    @property
    def thinking(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, ThinkingChunk))

    @property
    def calls(self) -> list[tuple[str, str]]:
        return [(call.name, call.arguments) for call in self.finished.calls]

    @property
    def meaning(self) -> list[tuple[str, object]]:
        return [(name, json.loads(arguments)) for name, arguments in self.calls]

    @property
    def summary(self) -> tuple[object, ...]:
        cut = [(each.name, each.arguments, each.reason) for each in self.finished.cut]
        return self.text, self.thinking, self.calls, cut, self.reason


def reply_of(family: str, *calls: tuple[str, dict[str, object]], text: str = "") -> str:
    parts = tuple(
        CallPart(f"call_{place}", name, json.dumps(arguments, ensure_ascii=False))
        for place, (name, arguments) in enumerate(calls)
    )
    return BY_NAME[family].written(ChatMessage("assistant", text, calls=parts))


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


CUTS = st.lists(st.integers(0, 2000), max_size=30)
ARGUMENTS = st.fixed_dictionaries(
    {"query": st.text(st.sampled_from('ab "\\{}[]é星😀\u2028:,'), min_size=1, max_size=12)},
    optional={
        "limit": st.integers(-3, 10**6),
        "where": st.fixed_dictionaries({"page": st.integers(0, 9)}),
        "tags": st.lists(st.sampled_from(["x", 'y"', "—"]), max_size=3),
    },
)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=25)
@given(arguments=ARGUMENTS, cuts=CUTS, many=st.booleans())
def test_that_calls_are_read_however_they_are_cut(
    family: str, arguments: dict[str, object], cuts: list[int], many: bool
) -> None:
    """Bug 7: any number of calls, in pieces of any size."""
    calls: list[tuple[str, dict[str, object]]] = [("search_papers", arguments)]
    if many and family not in ONE_CALL:
        calls.append(("current_date", {}))
    heard = Heard(plan_for(family), pieces_of(reply_of(family, *calls), cuts))
    assert heard.meaning == calls
    assert (heard.text.strip(), heard.reason, heard.finished.cut) == ("", "tool_calls", ())
    assert len(heard.early) == len(calls)


REPLIES = [
    "",
    "A plain answer, with {braces} and [lists].",
    '{"query": "JSON in an answer"}',
    'Like this: {"name": "search_papers", "arguments": {"query": "x"}} – that is how.',
    '```json\n{"tool": "search_papers", "arguments": {}}\n```',
    '<tool_call>\n{"name": "search_papers", "arguments": {"query": "x"}}\n</tool_call> and then text',
    "<tool_call>nothing</tool_call>",
    '<tool_call>{"arguments": {"query": "a </tool_call> b"}, "name": "search_papers"}</tool_call>.',
    '<tool_call>{"name": "search_papers", "arguments": {q}</tool_call><tool_call>{"name": "x"}</tool_call>',
    '<tool_call>{"arguments": {"query": "x"}, "name": "search_papers"}</tool_call>',
    '<tool_call>{"name": "search_papers", "arguments": {"query": "x"}}',
    "<tool_call><function=search_papers>\n<parameter=query>\nx\n</parameter>\n</function></tool_call>",
    '[TOOL_CALLS]search_papers[ARGS]{"query": "x"}[TOOL_CALLS]current_date[ARGS]{}',
    '[TOOL_CALLS] [{"name": "search_papers", "arguments": {"query": "x"}, "id": "123456789"}]',
    '<|tool_call>call:search_papers{query:<|"|>a "b" {c}<|"|>,limit:3,tags:[<|"|>x<|"|>]}<tool_call|>',
    '{"name": "search_papers", "parameters": {"query": "x"}}; {"name": "current_date", "parameters": {}}',
    '<|python_tag|>{"name": "search_papers", "parameters": {"query": "x"}}',
    'search_papers\n{"query": "x"}',
    "answer\nText of\nseveral lines.",
    '<think>\n<tool_call>{"name": "current_date", "arguments": {}}</tool_call>\n</think>\n\nDone.',
    "a < b, a <tool and </tool_call> alone, [TOOL, <|tool",
    '{"answer": "with <think>, \\u661f and \\ud83d\\ude00"}',
]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("reply", REPLIES)
@settings(max_examples=6)
@given(cuts=CUTS)
def test_that_cutting_changes_nothing(family: str, reply: str, cuts: list[int]) -> None:
    of = plan(QWEN3, TOOLS, family=family)
    whole = Heard(of, [reply]).summary
    assert Heard(of, pieces_of(reply, cuts)).summary == whole
    assert Heard(of, list(reply)).summary == whole


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"llama3"}))
@pytest.mark.parametrize("reply", REPLIES[1:5])
def test_that_json_in_prose_is_no_call(family: str, reply: str) -> None:
    """Bug 11: JSON inside prose is not a call."""
    heard = Heard(plan_for(family), list(reply))
    assert (heard.calls, heard.finished.cut, heard.text) == ([], (), reply)


@pytest.mark.parametrize("family", sorted(set(FAMILIES)))
def test_that_a_call_within_thinking_is_none(family: str) -> None:
    """Bug 11: JSON inside thinking is not a call."""
    inside = reply_of(family, ("current_date", {}))
    heard = Heard(
        plan(QWEN3, TOOLS, family=family), list(f"<think>\nI could say {inside}\n</think>\n\nNo need.")
    )
    assert (heard.calls, heard.finished.cut, heard.reason) == ([], (), "stop")
    assert heard.thinking == f"\nI could say {inside}\n"
    assert heard.text == "No need."


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("reason", ["length", "stop"])
def test_that_a_call_cut_anywhere_never_runs(family: str, reason: EndReason) -> None:
    """Bug 11: cut at every character; what is left of a call is no JSON object, or set aside."""
    whole = reply_of(family, ("search_papers", {"query": "a {b}", "where": {"page": 1}, "tags": ["x", "y"]}))
    wanted = Heard(plan_for(family), [whole]).calls
    assert len(wanted) == 1
    for end in range(len(whole)):
        heard = Heard(plan_for(family), [whole[:end]], reason)
        for call in heard.calls:
            assert call == wanted[0] or not _is_object(call[1]), whole[:end]


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except ValueError:
        return False


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - ONE_CALL - {"llama3"}))
def test_that_text_before_a_call_is_told_apart(family: str) -> None:
    heard = Heard(plan_for(family), list(reply_of(family, ("current_date", {}), text="I will look.")))
    assert (heard.text, heard.meaning) == ("I will look.", [("current_date", {})])


def test_that_arguments_grow_while_they_are_written() -> None:
    reply = reply_of("hermes", ("search_papers", {"query": "a long question about galaxies"}))
    heard = Heard(plan_for("hermes"), list(reply))
    pieces = [item for item in heard.items if isinstance(item, CallDelta)]
    assert pieces[0].name == "search_papers"
    assert len(pieces) > 20


def test_that_an_answer_of_the_generic_protocol_is_shown_as_it_grows() -> None:
    reply = json.dumps({"answer": 'It is "M 87"\n\\o/ \u2028 星系 😀'})
    heard = Heard(plan_for("generic"), list(reply))
    assert heard.text == 'It is "M 87"\n\\o/ \u2028 星系 😀'
    assert sum(isinstance(item, ChatDelta) for item in heard.items) > 10


def test_that_words_in_another_order_are_understood() -> None:
    reply = '<tool_call>{"arguments": {"query": "x"}, "name": "search_papers"}</tool_call>'
    assert Heard(plan_for("hermes"), list(reply)).calls == [("search_papers", '{"query": "x"}')]


def test_that_arguments_as_a_string_are_their_text() -> None:
    reply = '<tool_call>{"name": "search_papers", "arguments": "{\\"query\\": \\"x\\"}"}</tool_call>'
    assert Heard(plan_for("hermes"), list(reply)).meaning == [("search_papers", {"query": "x"})]


def test_that_a_call_that_is_no_json_is_kept_to_be_answered() -> None:
    """Bug 11: it is told what is wrong; it does not run with no arguments."""
    reply = '<tool_call>{"name": "search_papers", "arguments": {query: x}</tool_call>'
    ((name, arguments),) = Heard(plan_for("hermes"), list(reply)).calls
    assert name == "search_papers"
    assert not _is_object(arguments)


def test_that_a_tag_that_was_forgotten_ends_no_other_call() -> None:
    call = '<tool_call>{"name": "current_date", "arguments": {}}'
    assert Heard(plan_for("hermes"), list(f"{call}\n{call}")).calls == [("current_date", "{}")] * 2


def test_that_a_tag_of_thinking_within_arguments_is_text() -> None:
    reply = reply_of("hermes", ("search_papers", {"query": "<think> and </think>"}))
    heard = Heard(plan(QWEN3, TOOLS), list(reply))
    assert heard.meaning == [("search_papers", {"query": "<think> and </think>"})]
    assert heard.thinking == ""


def test_that_thinking_that_the_prompt_opened_is_thinking() -> None:
    of = plan(OPENS_THINKING, TOOLS)
    assert of.starts_thinking
    heard = Heard(of, list('Hm, {"tool"?\n</think>\n\n{"answer": "Yes."}'))
    assert (heard.thinking, heard.text) == ('Hm, {"tool"?\n', "Yes.")


def test_that_thinking_that_never_ends_is_no_answer() -> None:
    heard = Heard(plan(QWEN3, TOOLS), list("<think>\nround and round"), "length")
    assert (heard.thinking, heard.text, heard.reason) == ("\nround and round", "", "length")


@given(st.text(max_size=30), CUTS)
def test_that_a_string_of_json_is_read_in_pieces(text: str, cuts: list[int]) -> None:
    clean = text.encode("utf-8", "replace").decode()
    for ascii_only in (True, False):
        reader = StringReader()
        quoted = json.dumps(clean, ensure_ascii=ascii_only)[1:] + " behind"
        read = [reader.feed(piece) for piece in pieces_of(quoted, cuts)]
        assert "".join(piece for piece, _ in read) == clean
        assert "".join(behind for _, behind in read) == " behind"
