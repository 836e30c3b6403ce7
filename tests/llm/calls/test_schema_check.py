from __future__ import annotations

from typing import Any

import pytest

from app.llm.local.calls.schema_check import problems, problems_of_call
from tests.fakes.schema_zoo import SCHEMA_ZOO

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[^!]*$"},
        "limit": {"type": "integer", "minimum": 1, "exclusiveMaximum": 6},
        "sort": {"enum": ["date", 1, None]},
        "tags": {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 1, "maxItems": 2},
        "where": {"$ref": "#/$defs/Where"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["x"]}]},
    },
    "required": ["query"],
    "additionalProperties": False,
    "$defs": {"Where": {"type": "object", "properties": {"page": {"type": "number"}}, "required": ["page"]}},
}


@pytest.mark.parametrize(
    "value",
    [
        {"query": "a"},
        {"query": "a", "limit": 5, "sort": None, "tags": ["x", None], "where": {"page": 1.5, "else": 1}},
        {"query": "a", "limit": 2.0, "either": {"x": 1}},
    ],
)
def test_that_valid_arguments_have_no_problems(value: object) -> None:
    assert problems(SCHEMA, value) == []


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"query": ""}, "query: characters"),
        ({"query": "0123456789"}, "more than 9"),
        ({"query": "a!"}, "does not fit"),
        ({"query": 3}, "not of type string"),
        ({"limit": 0}, "less than 1"),
        ({"limit": 6}, "less than 6"),
        ({"limit": True}, "not of type integer"),
        ({"limit": 1.5}, "not of type integer"),
        ({"sort": True}, "none of"),
        ({"tags": []}, "tags: items"),
        ({"tags": ["x", 3]}, "tags[1]"),
        ({"where": {}}, "page is missing"),
        ({"where": {"page": "x"}}, "where.page"),
        ({"either": "x"}, "either"),
        ({"unknown": 1}, "not known"),
    ],
)
def test_that_each_problem_is_named_with_its_place(more: dict[str, object], word: str) -> None:
    found = problems(SCHEMA, {"query": "a", **more})
    assert len(found) == 1
    assert word in found[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [("{", "no JSON"), ("[]", "no object"), ("", "no JSON"), ("[" * 99_999, "nested too deeply")],
)
def test_that_arguments_that_are_no_object_are_a_problem(text: str, word: str) -> None:
    assert word in problems_of_call(SCHEMA, text)[0]


def test_that_a_raw_line_break_in_a_string_is_none() -> None:
    assert problems_of_call(SCHEMA, '{"query": "a\nb"}') == []


@pytest.mark.parametrize("name", SCHEMA_ZOO)
def test_that_any_schema_can_be_checked(name: str) -> None:
    assert isinstance(problems(SCHEMA_ZOO[name], {"a": [{"b": None}], "in": {"left": {}}}), list)
