"""Argument schemas that servers really send and that broke grammar engines, plus worse ones of our own."""

from __future__ import annotations

from typing import Any


def _with(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "maxLength": 10_000}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"in": schema}, "required": ["in"]}
    return schema


SCHEMA_ZOO: dict[str, Any] = {
    "nothing": {},
    "empty object": {"type": "object"},
    "empty properties": {"type": "object", "properties": {}, "required": []},
    "properties null": {"type": "object", "properties": None},
    "true": True,
    "a list": [],
    "long string": _with(a={"type": "string", "maxLength": 10_000}),
    "nested long string": _nested(3),
    "list of long strings": _with(a={"type": "array", "items": {"type": "string", "maxLength": 10_000}}),
    "long list": _with(a={"type": "array", "items": {"type": "integer"}, "minItems": 900, "maxItems": 5000}),
    "unanchored pattern": _with(a={"type": "string", "pattern": "[0-9]{4}"}),
    "anchored pattern": _with(a={"type": "string", "pattern": "^\\d{1,1000}(a|b)*$"}),
    "impossible pattern": _with(a={"type": "string", "pattern": "(?<=x)(["}),
    "formats": _with(
        a={"type": "string", "format": "date-time"}, b={"format": "uri"}, c={"format": "no such thing"}
    ),
    "reference": {**_with(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "integer"}}},
    "old reference": {**_with(a={"$ref": "#/definitions/A"}), "definitions": {"A": {"type": "string"}}},
    "reference to nowhere": _with(a={"$ref": "#/$defs/Missing"}),
    "reference elsewhere": _with(a={"$ref": "https://example.org/schema.json#/A"}),
    "tree": {
        **_with(a={"$ref": "#/$defs/T"}),
        "$defs": {"T": _with(left={"$ref": "#/$defs/T"}, right={"$ref": "#/$defs/T"})},
    },
    "reference to itself": {"$ref": "#"},
    "two that mean each other": {
        **_with(a={"$ref": "#/$defs/A"}),
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
    },
    "or null": _with(a={"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
    "one of objects": _with(
        a={"oneOf": [{**_with(kind={"const": "x"}), "required": ["kind"]}, _with(kind={"const": "y"})]}
    ),
    "all of": _with(a={"allOf": [_with(x={"type": "integer"}), _with(y={"type": "string"})]}),
    "not": _with(a={"not": {"type": "string"}}),
    "if then else": {**_with(a={"type": "string"}), "if": {}, "then": {"required": ["a"]}, "else": False},
    "several types": _with(a={"type": ["string", "integer", "null"]}),
    "no type": _with(a={"description": "Anything."}, b={}),
    "unknown type": _with(a={"type": "vector"}, b={"type": 3}, c={"type": []}),
    "nullable": _with(a={"type": "string", "nullable": True}),
    "enum of all kinds": _with(a={"enum": ["x", 'q"', "\\", "a\nb", "星系", 1, -0.5, 1e30, True, None, ""]}),
    "enum of objects": _with(a={"enum": [{"x": 1}, [2]]}),
    "empty enum": _with(a={"enum": []}),
    "long enum": _with(a={"enum": [f"value number {n}" for n in range(2_000)]}),
    "const": _with(a={"const": "only"}, b={"const": None}, c={"const": {"x": 1}}),
    "numbers": _with(
        a={"type": "integer", "minimum": -3, "maximum": 3},
        b={"type": "integer", "minimum": 0, "maximum": 10**18},
        c={"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        d={"type": "integer", "minimum": 10**400},
    ),
    "limits out of joint": _with(
        a={"type": "integer", "minimum": 5, "maximum": 1},
        b={"type": "string", "minLength": 9, "maxLength": 2},
        c={"type": "array", "minItems": 9, "maxItems": 2},
        d={"type": "string", "minLength": -1, "maxLength": "x"},
    ),
    "tuple": _with(
        a={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        b={"type": "array", "items": [{"type": "string"}]},
    ),
    "list of lists": _with(a={"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
    "names that cannot be rules": _with(
        **{
            "a b": {"type": "string"},
            "星系": {"type": "string"},
            'q"\\\n': {"type": "string"},
            "": {},
            "-": {},
        }
    ),
    "names that are the same as rules": _with(
        a={"type": "string"}, **{"A": {}, "a-": {"enum": [1]}, "-a": {}}
    ),
    "other names": {"type": "object", "additionalProperties": {"type": "integer"}},
    "other names of objects": {"type": "object", "additionalProperties": _with(x={"type": "boolean"})},
    "pattern properties": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
    "deep": _nested(60),
    "wide": _with(**{f"field_{n}": {"type": "string"} for n in range(300)}),
    "wide and required": {
        **_with(**{f"f{n}": {"type": "integer"} for n in range(200)}),
        "required": [f"f{n}" for n in range(0, 200, 2)],
    },
    "required without properties": {"type": "object", "required": ["a", "b"]},
    "half a character": _with(**{"\ud800": {"enum": ["\udfff"]}}),
    "zero byte": _with(**{"a\0b": {"const": "\0"}}),
}
