"""From a tool's JSON schema to the shape its arguments are sampled in. Pure; takes any schema.

The schema for sampling is not the one for checking: what a grammar cannot say, or only in ways that
break llama.cpp (long repetitions, patterns, formats; bug 39), is left out here and checked afterwards.
A part that cannot be understood becomes `Anything`, so that one odd schema costs only its constraint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from typing import TypeGuard, overload

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
    Scalar,
    Shape,
    Text,
    Whole,
)

MAX_DEPTH = 8
MAX_NODES = 1000
MAX_CHARACTERS = 64
"""Longer limits on strings are not sampled: a grammar repeats a rule for each character."""
MAX_ITEMS = 16
MAX_RANGE = 100
"""Integers between two limits this close are spelled out."""
MAX_OPTIONS = 256
LARGEST = 10**15
"""Limits of integers beyond this are none."""

Schema = AnyMapping[str, object]


def arguments_shape(schema: object) -> Record | Anything:
    """Return the shape of a tool's arguments, which are always an object."""
    reader = _Reader(schema if _is_schema(schema) else {})
    shape = reader.shape(schema, 0)
    if isinstance(shape, Record):
        return shape
    return Anything(record=True) if _says_something(schema) else Record()


def _says_something(schema: object) -> bool:
    """Whether the schema says more than "an object"; one that does not is a tool without arguments."""
    return _is_schema(schema) and any(key not in {"type", "title", "description"} for key in schema)


@dataclass(slots=True)
class _Reader:
    root: Schema
    nodes: int = 0

    def shape(self, node: object, depth: int) -> Shape:
        self.nodes += 1
        if not _is_schema(node) or depth > MAX_DEPTH or self.nodes > MAX_NODES:
            return Anything(record=_is_schema(node) and node.get("type") == "object")
        node = self._resolved(node)
        if "const" in node:
            return _one_of([node["const"]])
        if _is_list(values := node.get("enum")):
            return _one_of(values)
        for word in ("anyOf", "oneOf"):
            if _is_list(options := node.get(word)) and options:
                return self._either([_merged(_without(node, word), option) for option in options], depth)
        kind = node.get("type")
        if _is_list(kind):
            return self._either([{**node, "type": one} for one in kind], depth)
        shape = self._plain(node, kind, depth)
        return Either((shape, NULL)) if node.get("nullable") is True and kind != "null" else shape

    def _plain(self, node: Schema, kind: object, depth: int) -> Shape:
        match kind if kind is not None else _guessed(node):
            case "object":
                return self._object(node, depth)
            case "array":
                return self._array(node, depth)
            case "string":
                return _text(node)
            case "integer":
                return _integer(node)
            case "number":
                return Number(signed=_lowest(node) < 0)
            case "boolean":
                return BOOLEAN
            case "null":
                return NULL
            case _:
                return Anything()

    def _object(self, node: Schema, depth: int) -> Shape:
        properties = node.get("properties")
        if not _is_schema(properties) or not properties:
            others = node.get("additionalProperties")
            if others is False or (others is None and _is_schema(properties)):
                return Record()
            return Dictionary(self.shape(others, depth + 1)) if _is_schema(others) else Anything(record=True)
        required = node.get("required")
        names = {name for name in required if isinstance(name, str)} if _is_list(required) else set()
        return Record(
            tuple(
                Field(name, self.shape(value, depth + 1), name in names) for name, value in properties.items()
            )
        )

    def _array(self, node: Schema, depth: int) -> Shape:
        items = node.get("items")
        if _is_list(several := node.get("prefixItems", items)):
            inner = self._either(list(several), depth) if several else Anything()
        else:
            inner = self.shape(items, depth + 1) if _is_schema(items) else Anything()
        least = min(_whole(node.get("minItems"), 0), MAX_ITEMS)
        most = _whole(node.get("maxItems"), None)
        if most is None or most > MAX_ITEMS:
            return Items(inner, least)
        return Items(inner, least, max(most, least))

    def _either(self, options: Sequence[object], depth: int) -> Shape:
        shapes: list[Shape] = []
        for option in options:
            shape = self.shape(option, depth + 1)
            for part in shape.options if isinstance(shape, Either) else (shape,):
                if part not in shapes:
                    shapes.append(part)
        if not shapes or Anything() in shapes:
            return Anything()
        return shapes[0] if len(shapes) == 1 else Either(tuple(shapes))

    def _resolved(self, node: Schema, steps: int = 0) -> Schema:
        """Return the node with references followed and `allOf` put together; a circle of them is empty."""
        self.nodes += 1
        if steps > MAX_DEPTH or self.nodes > MAX_NODES:
            return {}
        if isinstance(reference := node.get("$ref"), str):
            target = self._target(reference)
            found = self._resolved(target, steps + 1) if _is_schema(target) else {}
            return _merged(found, self._resolved(_without(node, "$ref"), steps + 1))
        if _is_list(parts := node.get("allOf")):
            node = _without(node, "allOf")
            for part in parts[:MAX_DEPTH]:
                node = _merged(node, self._resolved(part, steps + 1) if _is_schema(part) else {})
        return node

    def _target(self, reference: str) -> object:
        found: object = self.root
        for step in reference.removeprefix("#").strip("/").split("/") if reference.startswith("#") else [""]:
            if not step and reference == "#":
                return self.root
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if _is_schema(found) else None
        return found


def _merged(node: Schema, other: object) -> Schema:
    """Return both as one schema: properties and requirements of both, else what the second says."""
    if not _is_schema(other):
        return node
    merged = {**node, **other}
    for key in ("properties", "$defs"):
        if _is_schema(first := node.get(key)) and _is_schema(second := other.get(key)):
            merged[key] = {**first, **second}
    if _is_list(mine := node.get("required")) and _is_list(theirs := other.get("required")):
        merged["required"] = [*mine, *theirs]
    return merged


def _guessed(node: Schema) -> str | None:
    """Return the type that a schema without one means."""
    if "properties" in node or "additionalProperties" in node or "required" in node:
        return "object"
    if "items" in node or "prefixItems" in node:
        return "array"
    if "minLength" in node or "maxLength" in node or "pattern" in node or "format" in node:
        return "string"
    return None


def _one_of(values: Sequence[object]) -> Shape:
    scalars: list[Scalar] = []
    for value in values:
        if not _is_scalar(value) or len(scalars) >= MAX_OPTIONS:
            return Anything()
        # 1, 1.0 and True are equal to Python, not to JSON.
        if not any(type(value) is type(known) and value == known for known in scalars):
            scalars.append(value)
    return OneOf(tuple(scalars)) if scalars else Anything()


def _text(node: Schema) -> Text:
    least = min(_whole(node.get("minLength"), 0), MAX_CHARACTERS)
    most = _whole(node.get("maxLength"), None)
    return Text(least, max(most, least) if most is not None and most <= MAX_CHARACTERS else None)


def _integer(node: Schema) -> Shape:
    low, high = _bound(_lowest(node), math.ceil), _bound(_highest(node), math.floor)
    if low is not None and high is not None:
        if low > high:
            return Whole()
        step = _whole(node.get("multipleOf"), None) or 1
        values = tuple(value for value in range(low, min(high, low + MAX_RANGE) + 1) if value % step == 0)
        if high - low <= MAX_RANGE and values:
            return OneOf(values)
    return Whole(low, high)


def _bound(value: float, rounded: Callable[[float], int]) -> int | None:
    return rounded(value) if abs(value) < LARGEST else None


def _lowest(node: Schema) -> float:
    above = _number(node.get("exclusiveMinimum"))
    least = _number(node.get("minimum"))
    over = -math.inf if above is None else above + (1 if node.get("type") == "integer" else 0)
    return max(over, -math.inf if least is None else least)


def _highest(node: Schema) -> float:
    below = _number(node.get("exclusiveMaximum"))
    most = _number(node.get("maximum"))
    under = math.inf if below is None else below - (1 if node.get("type") == "integer" else 0)
    return min(under, math.inf if most is None else most)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


@overload
def _whole(value: object, default: int) -> int: ...
@overload
def _whole(value: object, default: None) -> int | None: ...
def _whole(value: object, default: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default


def _without(node: Schema, key: str) -> Schema:
    return {name: value for name, value in node.items() if name != key}


def _is_schema(value: object) -> TypeGuard[Schema]:
    return isinstance(value, AnyMapping)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _is_scalar(value: object) -> TypeGuard[Scalar]:
    return (
        value is None
        or isinstance(value, str | bool | int)
        or (isinstance(value, float) and math.isfinite(value))
    )
