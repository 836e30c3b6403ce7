"""What models see of a tool's arguments: short, whole, and the same bytes every time."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import Field

from app.agent.tools.registry import ToolRegistry
from app.agent.tools.schema import plain_schema
from app.agent.tools.tool import ToolArgs


class Inner(ToolArgs):
    """Words for us."""

    title: str = "a"


class Outer(ToolArgs):
    """Words for us."""

    name: str = Field(description="Words for the model.")
    inner: Inner | None = Field(None, description="About the inner one.")
    many: tuple[Inner, ...] = ()
    kind: Literal["x", "y"] = "x"
    number: int | None = None


def test_that_a_schema_has_no_references_titles_defaults_or_docstrings() -> None:
    inner = {"additionalProperties": False, "properties": {"title": {"type": "string"}}, "type": "object"}
    assert plain_schema(Outer) == {
        "additionalProperties": False,
        "properties": {
            "name": {"description": "Words for the model.", "type": "string"},
            "inner": {**inner, "description": "About the inner one."},
            "many": {"items": inner, "type": "array"},
            "kind": {"enum": ["x", "y"], "type": "string"},
            "number": {"type": "integer"},
        },
        "required": ["name"],
        "type": "object",
    }


def test_that_definitions_are_sorted_and_the_same_bytes_every_time() -> None:
    """Bug 40: the tools stand at the head of the prompt."""
    first, second = (
        json.dumps([(spec.name, spec.description, spec.parameters) for spec in registry.definitions()])
        for registry in (ToolRegistry.new_with_team(), ToolRegistry.new_with_team())
    )
    assert first == second
    names = [name for name, _, _ in json.loads(first)]
    assert names == sorted(names)
    assert len(names) == 25


def test_that_every_argument_is_explained_or_plain() -> None:
    plain = {"limit", "color", "status", "text", "sort", "kind", "replace_all", "ignore_case", "message"}
    for spec in ToolRegistry.new_with_team().definitions():
        for name, argument in spec.parameters["properties"].items():
            assert argument.get("description") or name in plain, (spec.name, name)
