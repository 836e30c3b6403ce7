"""The JSON schema of a pydantic model as models read it best: no titles, no references, stable order."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_NOISE = {"title", "default"}


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of an object with references put in place.

    Titles, defaults and docstrings are left out (they are for us, and every request pays for them);
    "X or null" becomes X where leaving the argument out means null.
    """
    raw = _without(model.model_json_schema(), "description")
    definitions = {name: _without(node, "description") for name, node in raw.get("$defs", {}).items()}
    schema: dict[str, Any] = _plain(raw, definitions)
    schema.setdefault("properties", {})
    return schema


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        return _plain({**definitions[reference.rpartition("/")[2]], **_without(node, "$ref")}, definitions)
    if options := node.get("anyOf"):
        real = [option for option in options if option != {"type": "null"}]
        if len(real) == 1:
            return _plain({**_without(node, "anyOf"), **real[0]}, definitions)
    return {
        key: {name: _plain(value, definitions) for name, value in inner.items()}
        if key == "properties"
        else _plain(inner, definitions)
        for key, inner in node.items()
        if key not in {*_NOISE, "$defs"}
    }


def _without(node: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != key}
