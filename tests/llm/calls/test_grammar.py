from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.local.calls.gbnf import Matcher, parsed
from app.llm.local.calls.grammar import GrammarBuilder, spelled_value
from app.llm.local.calls.integers import integers
from app.llm.local.calls.schema_check import problems
from app.llm.local.calls.schema_simplify import arguments_shape
from tests.harness.sentences import SentenceWriter

NAMES = st.sampled_from(["query", "limit", "a b", "星系", 'q"u\\ote', "x" * 40, "-", "\n"])

LEAVES = st.one_of(
    st.builds(
        lambda least, more: {"type": "string", "minLength": least, "maxLength": least + more},
        st.integers(0, 3),
        st.integers(0, 9),
    ),
    st.just({"type": "string"}),
    st.just({"type": "integer"}),
    st.just({"type": "integer", "minimum": 0}),
    st.builds(
        lambda low, size: {"type": "integer", "minimum": low, "maximum": low + size},
        st.integers(-3000, 3000),
        st.integers(0, 5000),
    ),
    st.builds(lambda low: {"type": "integer", "exclusiveMinimum": low}, st.integers(-200, 200)),
    st.builds(lambda high: {"type": "integer", "maximum": high}, st.integers(-200, 200)),
    st.just({"type": "number"}),
    st.just({"type": "boolean"}),
    st.just({"type": ["string", "null"]}),
    st.just({"enum": ["relevance", 'da"te', "\\", 3, None, True, -1.5]}),
    st.just({"const": "only"}),
    st.just({}),
    st.just({"type": "object"}),
)


def objects(inner: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, object]:
        names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
        return {
            "type": "object",
            "properties": {name: draw(inner) for name in names},
            "required": draw(st.lists(st.sampled_from(names), unique=True)),
            "additionalProperties": False,
        }

    return drawn()


def arrays(inner: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    return st.builds(
        lambda items, least, more: {
            "type": "array",
            "items": items,
            "minItems": least,
            "maxItems": least + more,
        },
        inner,
        st.integers(0, 2),
        st.integers(0, 3),
    )


SCHEMAS = objects(
    st.recursive(
        LEAVES,
        lambda inner: (
            objects(inner)
            | arrays(inner)
            | st.builds(lambda *options: {"anyOf": list(options)}, inner, inner)
            | st.builds(lambda value: {"type": "object", "additionalProperties": value}, inner)
        ),
        max_leaves=6,
    )
)


def grammar_of(schema: object, longest: int | None = None) -> str:
    build = GrammarBuilder(longest=longest)
    return build.text(build.shape(arguments_shape(schema), "args"))


@given(SCHEMAS, st.randoms(use_true_random=False), st.sampled_from([None, 20]))
def test_that_all_a_grammar_lets_through_is_valid(
    schema: dict[str, object], chance: random.Random, longest: int | None
) -> None:
    grammar = parsed(grammar_of(schema, longest))
    text = SentenceWriter(grammar).write(chance)
    matcher = Matcher(grammar)
    assert matcher.feed(text)
    assert matcher.complete
    assert problems(schema, json.loads(text)) == []


WORDS = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        'q"\\星': {"type": "array", "items": {"enum": ['a"b', "\\", "\n\x01", "\x7f", 3, True, None]}},
        "in": {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}},
    },
}


@given(st.randoms(use_true_random=False))
def test_that_json_is_spelled_in_one_way(chance: random.Random) -> None:
    """Bug 40: a call that is written to the history again has the same characters."""
    text = SentenceWriter(parsed(grammar_of(WORDS))).write(chance)
    assert spelled_value(json.loads(text)) == text


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ({"query": "Hubble", "limit": 3}, True),
        ({"query": "Hubble"}, True),
        ({"query": "a\nb", "tags": ["x", "y"]}, True),
        ({"limit": 3}, False),
        ({"limit": 3, "query": "Hubble"}, False),
        ({"query": ""}, False),
        ({"query": " "}, False),
        ({"query": "Hubble", "limit": 6}, False),
        ({"query": "Hubble", "else": 1}, False),
        ({"query": "Hubble", "tags": []}, False),
    ],
)
def test_that_arguments_are_held_to_their_schema(value: dict[str, object], accepted: bool) -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 5},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        },
        "required": ["query"],
    }
    matcher = Matcher(parsed(grammar_of(schema)))
    assert (matcher.feed(spelled_value(value)) and matcher.complete) is accepted


def test_that_a_small_model_finds_the_end_of_its_strings_and_lists() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}
    assert not Matcher(parsed(grammar_of(schema, 20))).feed(spelled_value({"a": ["x" * 21]}))
    assert not Matcher(parsed(grammar_of(schema, 20))).feed(spelled_value({"a": ["x"] * 9}))
    assert Matcher(parsed(grammar_of(schema, 20))).feed(spelled_value({"a": ["x" * 20] * 8}))


@given(st.integers(-1200, 1200), st.integers(0, 1500), st.lists(st.integers(-3000, 3000), max_size=20))
def test_that_integers_are_held_to_their_limits(low: int, size: int, values: list[int]) -> None:
    grammar = parsed(f"root ::= {integers(low, low + size)}")
    for value in (low - 1, low, low + size, low + size + 1, *values):
        matcher = Matcher(grammar)
        assert (matcher.feed(str(value)) and matcher.complete) is (low <= value <= low + size), value


@pytest.mark.parametrize("text", ["01", "-0", "+1", "1.0", "", "-"])
def test_that_integers_have_one_spelling(text: str) -> None:
    matcher = Matcher(parsed(f"root ::= {integers(-500, 500)}"))
    assert not (matcher.feed(text) and matcher.complete)
