"""Checks arguments against the tool's whole JSON schema, with what sampling leaves out. Pure.

Knows what tools use: types, enum, const, limits, lengths, patterns, items, properties, combinations and
references within the schema. What it does not know (formats, `if`, `not`) it takes as kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeGuard

MAX_DEPTH = 32

_TYPES: dict[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int | float) and _is_whole(value),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def problems(schema: object, value: object) -> list[str]:
    """Return what is wrong with the value, each with its place; nothing when it is valid."""
    root = schema if isinstance(schema, Mapping) else {}
    return list(_Check(root).at(schema, value, "", 0))


def problems_of_call(schema: object, arguments: str) -> list[str]:
    """Return what is wrong with the arguments of a call as a model wrote them."""
    try:
        value = json.loads(arguments, strict=False)
    except ValueError as error:
        return [f"The arguments are no JSON: {error}"]
    except RecursionError:
        return ["The arguments are nested too deeply."]
    return problems(schema, value) if isinstance(value, dict) else ["The arguments are no object."]


class _Check:
    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root

    def at(self, schema: object, value: object, place: str, depth: int) -> Iterator[str]:
        if schema is False:
            yield f"{place or 'the value'}: nothing is allowed here"
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
            return
        if isinstance(reference := schema.get("$ref"), str):
            yield from self.at(self._target(reference), value, place, depth + 1)
        yield from self._combined(schema, value, place, depth)
        if schema.get("nullable") is True and value is None:
            return
        name = place or "the value"
        kinds = schema.get("type")
        wanted = [kinds] if isinstance(kinds, str) else _list_of(kinds)
        if wanted and not any(_is_a(str(kind), value) for kind in wanted):
            yield f"{name}: {_shown(value)} is not of type {' or '.join(map(str, wanted))}"
            return
        yield from _values(schema, value, name)
        match value:
            case str():
                yield from _text(schema, value, name)
            case list():
                yield from self._list(schema, value, place, depth)
            case Mapping():
                yield from self._object(schema, value, place, depth)
            case bool() | None:
                return
            case int() | float():
                yield from _number(schema, value, name)

    def _combined(self, schema: Mapping[str, object], value: object, place: str, depth: int) -> Iterator[str]:
        for part in _list_of(schema.get("allOf")):
            yield from self.at(part, value, place, depth + 1)
        for word in ("anyOf", "oneOf"):
            if options := _list_of(schema.get(word)):
                found = [list(self.at(option, value, place, depth + 1)) for option in options]
                if all(found):
                    yield from min(found, key=len)

    def _list(
        self, schema: Mapping[str, object], value: list[object], place: str, depth: int
    ) -> Iterator[str]:
        yield from _limits(len(value), schema, ("minItems", "maxItems"), f"{place or 'the value'}: items")
        first = _list_of(schema.get("prefixItems"))
        for number, item in enumerate(value):
            inner = first[number] if number < len(first) else schema.get("items")
            yield from self.at(inner, item, f"{place}[{number}]", depth + 1)

    def _object(
        self, schema: Mapping[str, object], value: Mapping[str, object], place: str, depth: int
    ) -> Iterator[str]:
        for name in _list_of(schema.get("required")):
            if name not in value:
                yield f"{place or 'the value'}: {name} is missing"
        known = schema.get("properties")
        known = known if isinstance(known, Mapping) else {}
        for name, inner in value.items():
            where = f"{place}.{name}" if place else str(name)
            if name in known:
                yield from self.at(known[name], inner, where, depth + 1)
            elif schema.get("additionalProperties") is False:
                yield f"{where}: is not known"
            else:
                yield from self.at(schema.get("additionalProperties"), inner, where, depth + 1)

    def _target(self, reference: str) -> object:
        found: object = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) and name else found
        return found


def _is_a(kind: str, value: object) -> bool:
    check = _TYPES.get(kind)
    return check is None or check(value)


def _values(schema: Mapping[str, object], value: object, name: str) -> Iterator[str]:
    values = schema.get("enum")
    if isinstance(values, list | tuple) and not any(_same(value, each) for each in values):
        yield f"{name}: {_shown(value)} is none of {_shown(list(values))}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{name}: must be {_shown(schema['const'])}"


def _text(schema: Mapping[str, object], value: str, name: str) -> Iterator[str]:
    yield from _limits(len(value), schema, ("minLength", "maxLength"), f"{name}: characters")
    if isinstance(pattern := schema.get("pattern"), str):
        try:
            fits = re.search(pattern, value) is not None
        except re.error:
            return
        if not fits:
            yield f"{name}: {_shown(value)} does not fit {pattern}"


def _number(schema: Mapping[str, object], value: float, name: str) -> Iterator[str]:
    yield from _limits(value, schema, ("minimum", "maximum"), f"{name}")
    if _is_number(above := schema.get("exclusiveMinimum")) and value <= above:
        yield f"{name}: must be more than {above}"
    if _is_number(below := schema.get("exclusiveMaximum")) and value >= below:
        yield f"{name}: must be less than {below}"


def _limits(size: float, schema: Mapping[str, object], keys: tuple[str, str], name: str) -> Iterator[str]:
    least, most = (schema.get(key) for key in keys)
    if _is_number(least) and size < least:
        yield f"{name}: {size} is less than {least}"
    if _is_number(most) and size > most:
        yield f"{name}: {size} is more than {most}"


def _list_of(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: float) -> bool:
    return not isinstance(value, bool) and (isinstance(value, int) or value.is_integer())


def _same(one: object, other: object) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:120]
