from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.local.calls.schema_simplify import MAX_CHARACTERS, MAX_ITEMS, arguments_shape
from app.llm.local.calls.shape import (
    BOOLEAN,
    NULL,
    Anything,
    Dictionary,
    Either,
    Field,
    Items,
    Number,
    OneOf,
    Record,
    Shape,
    Text,
    Whole,
)


def shape_of(value: object, **more: object) -> Shape:
    """The shape of the one argument `a` with this schema."""
    shape = arguments_shape({"type": "object", "properties": {"a": value}, **more})
    assert isinstance(shape, Record)
    return shape.fields[0].shape


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        ({"type": "string"}, Text()),
        ({"type": "string", "minLength": 1, "maxLength": 9}, Text(1, 9)),
        ({"type": "boolean"}, BOOLEAN),
        ({"type": "null"}, NULL),
        ({"type": "number", "minimum": 0}, Number(signed=False)),
        ({"type": "integer"}, Whole()),
        ({"type": "integer", "minimum": 2, "maximum": 4}, OneOf((2, 3, 4))),
        ({"type": "integer", "exclusiveMinimum": 2, "maximum": 9, "multipleOf": 3}, OneOf((3, 6, 9))),
        ({"enum": ["a", 1, True, None]}, OneOf(("a", 1, True, None))),
        ({"const": "x"}, OneOf(("x",))),
        ({"type": ["string", "null"]}, Either((Text(), NULL))),
        ({"type": "string", "nullable": True}, Either((Text(), NULL))),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, Either((Text(), Whole()))),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}, Items(Text(), 1, 3)),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, Dictionary(BOOLEAN)),
        ({"type": "object"}, Anything(record=True)),
        ({"properties": {"b": {"type": "null"}}}, Record((Field("b", NULL),))),
        ({}, Anything()),
        (True, Anything()),
    ],
)
def test_that_what_a_grammar_can_say_is_kept(schema: object, shape: Shape) -> None:
    assert shape_of(schema) == shape


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        ({"type": "string", "maxLength": 10_000}, Text()),
        ({"type": "string", "pattern": "^[0-9]{4}$", "format": "date"}, Text()),
        ({"type": "string", "minLength": 10_000}, Text(MAX_CHARACTERS)),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 10_000}, Items(Text())),
        ({"type": "array", "items": {"type": "string"}, "minItems": 10_000}, Items(Text(), MAX_ITEMS)),
        ({"type": "integer", "minimum": 0, "maximum": 10**9}, Whole(0, 10**9)),
        ({"enum": [{"an": "object"}]}, Anything()),
        ({"type": "vector"}, Anything()),
        ({"$ref": "#/nowhere"}, Anything()),
        ({"$ref": "https://elsewhere.example/schema"}, Anything()),
    ],
)
def test_that_what_breaks_the_grammar_engine_is_left_out(schema: object, shape: Shape) -> None:
    """Bug 39: long repetitions, patterns and formats."""
    assert shape_of(schema) == shape


def test_that_references_and_combinations_are_put_in_place() -> None:
    page = {"type": "object", "properties": {"page": {"type": "integer"}}, "required": ["page"]}
    both = {"allOf": [{"$ref": "#/$defs/Page"}, {"properties": {"quote": {"type": "string"}}}]}
    assert shape_of(both, **{"$defs": {"Page": page}}) == Record(
        (Field("page", Whole(), required=True), Field("quote", Text()))
    )


def test_that_a_schema_that_holds_itself_ends_in_any_value() -> None:
    node = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Node"}}}
    found, depth = shape_of({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": node}}), 0
    while isinstance(found, Record):
        found, depth = found.fields[0].shape, depth + 1
    assert isinstance(found, Anything)
    assert depth < 12


def test_that_circles_of_combinations_come_to_an_end() -> None:
    circle = {
        "allOf": [{"$ref": "#/$defs/C"}] * 8,
        "properties": {"b": {"anyOf": [{"$ref": "#/$defs/C"}] * 8}},
    }
    shape_of({"$ref": "#/$defs/C"}, **{"$defs": {"C": circle}})
    assert isinstance(arguments_shape(circle), Record | Anything)


def test_that_a_reference_to_itself_is_any_value() -> None:
    assert shape_of({"$ref": "#/properties/a"}) == Anything()


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, {"type": "object", "properties": {}}, None, [], "x"]
)
def test_that_a_tool_without_arguments_takes_the_empty_object(schema: object) -> None:
    assert arguments_shape(schema) == Record()


def test_that_a_wide_schema_is_bounded() -> None:
    wide = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(5_000)}}
    shape = arguments_shape(wide)
    assert isinstance(shape, Record | Anything)
    if isinstance(shape, Record):
        assert sum(isinstance(each.shape, Text) for each in shape.fields) <= 500


_WORDS = (
    "type enum const anyOf oneOf allOf properties required items additionalProperties $ref minLength"
    " maxLength minimum maximum minItems maxItems nullable prefixItems pattern multipleOf a"
).split()
_NUMBERS = st.integers(-5, 5) | st.sampled_from([math.inf, math.nan, 1e308])
JSON = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_WORDS),
            inner | st.sampled_from(["object", "array", "string", "integer", "#", "#/a", "#/properties"]),
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_that_no_schema_is_too_odd(schema: object) -> None:
    """Bug 39: whatever a server sends as a schema, its tool gets a shape."""
    assert isinstance(arguments_shape(schema), Record | Anything)
