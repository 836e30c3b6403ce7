"""From the text of a call to checked arguments, or to words that let a model correct itself. Pure.

Nothing is repaired: a guessed quote or brace on a tool that writes is worse than a second try (bug 11).
"""

from __future__ import annotations

import difflib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import AgentTool
from app.errors import AppError
from app.library.storable import storable

_AROUND = 30
_LONGEST_NAME = 80
_DEEPEST = 40
_SCHEMA_CHARS = 1500
_SHOWN_PROBLEMS = 8


class BadCallError(AppError):
    """A call that cannot be understood: unknown tool, bad JSON, bad arguments."""

    code = "bad_call"


def find_tool(registry: ToolRegistry, name: str) -> AgentTool:
    """Return the tool of exactly this name. Raises BadCallError that names the nearest ones."""
    if tool := registry.get(name):
        return tool
    near = difflib.get_close_matches(name[:_LONGEST_NAME].lower(), registry.names(), n=3, cutoff=0.5)
    words = f"Did you mean {' or '.join(near)}? " if near else ""
    raise BadCallError(
        f"There is no tool {name[:_LONGEST_NAME]!r}. {words}The tools are: {', '.join(registry.names())}."
    )


def parse(tool: AgentTool, text: str) -> dict[str, Any]:
    """Return the JSON object that the model wrote; no text at all means no arguments.

    Raises BadCallError with the place of the fault and the schema. Control characters inside strings are
    taken: models write line breaks as they are.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(
            text,
            strict=False,
            object_pairs_hook=_without_twins,
            parse_constant=_no_such_number,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise _not_json(tool, text, error) from error
    except (_UnclearError, RecursionError, ValueError) as error:
        reason = "they are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadCallError(
            f"The arguments of {tool.name} cannot be used: {reason}. {_again(tool)}"
        ) from error
    if not isinstance(value, dict):
        raise BadCallError(
            f"The arguments of {tool.name} must be one JSON object, not {_kind(value)}. {_again(tool)}"
        )
    if _too_deep(value):
        raise BadCallError(f"The arguments of {tool.name} are nested too deeply. {_again(tool)}")
    return value


def validate(tool: AgentTool, arguments: Mapping[str, Any]) -> BaseModel:
    """Return the arguments as the tool's `Args`. Raises BadCallError that names every wrong argument."""
    _refuse_half_characters(tool, arguments)
    try:
        return tool.Args.model_validate(dict(arguments))
    except ValidationError as error:
        raise BadCallError(_explained(tool, error)) from error


def as_shown(text: str) -> dict[str, Any]:
    """Return arguments for the journal and the screen: {} where they are no JSON object."""
    try:
        value = json.loads(storable(text), strict=False)
        # Escapes may still make half characters, and NaN is no JSON for anybody else.
        value = json.loads(storable(json.dumps(value, ensure_ascii=False)), parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and not _too_deep(value) else {}


class _UnclearError(Exception):
    """JSON that could be read in two ways."""


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twin = Counter(name for name, _value in pairs).most_common(1)[0][0]
        raise _UnclearError(f"“{twin[:_LONGEST_NAME]}” is given twice")
    return made


def _no_such_number(name: str) -> float:
    raise _UnclearError(f"{name} is no number in JSON")


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise _UnclearError(f"{digits[:_LONGEST_NAME]} is larger than any number here")
    return number


def _too_deep(value: object) -> bool:
    level: list[object] = [value]
    for _depth in range(_DEEPEST):
        if not level:
            return False
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _not_json(tool: AgentTool, text: str, error: json.JSONDecodeError) -> BadCallError:
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        where = f"they end too early, after {len(text)} characters"
        advice = "If they are too long for one reply, do it in several smaller calls. "
    else:
        before, after = text[max(error.pos - _AROUND, 0) : error.pos], text[error.pos : error.pos + _AROUND]
        where = f"{error.msg}, line {error.lineno}, column {error.colno}, at {before!r} ⟶ {after!r}"
        advice = ""
    return BadCallError(f"The arguments of {tool.name} are not valid JSON: {where}. {advice}{_again(tool)}")


def _refuse_half_characters(tool: AgentTool, arguments: Mapping[str, Any]) -> None:
    text = json.dumps(arguments, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        around = text[max(error.start - _AROUND, 0) : error.start]
        raise BadCallError(
            f"The arguments of {tool.name} hold half a character (a lone surrogate) after {around!r}. "
            f"{_again(tool)}"
        ) from error


def _explained(tool: AgentTool, error: ValidationError) -> str:
    known = [field.alias or name for name, field in tool.Args.model_fields.items()]
    problems = error.errors(include_url=False, include_context=False)
    lines = [_problem(problem, known) for problem in problems[:_SHOWN_PROBLEMS]]
    if more := len(problems) - len(lines):
        lines.append(f"and {more} more")
    return f"The arguments of {tool.name} do not fit: {'; '.join(lines)}. {_again(tool)}"


def _problem(problem: Any, known: Sequence[str]) -> str:
    place = ".".join(str(part) for part in problem["loc"])[:_LONGEST_NAME] or "the object"
    if problem["type"] == "missing":
        return f"“{place}” is missing"
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(place, known, n=1, cutoff=0.4)
        return f"“{place}” is unknown" + (f" (did you mean “{near[0]}”?)" if near else "")
    given = json.dumps(problem["input"], ensure_ascii=False, default=str)
    given = given if len(given) <= 60 else f"{given[:60]}…"
    return f"“{place}”: {problem['msg'].removeprefix('Value error, ')} (given: {given})"


def _again(tool: AgentTool) -> str:
    schema = json.dumps(tool.parameters(), ensure_ascii=False)
    shown = schema if len(schema) <= _SCHEMA_CHARS else f"{schema[:_SCHEMA_CHARS]}…"
    return f"Nothing was done. Write the whole call again; its arguments must fit {shown}"


def _kind(value: object) -> str:
    match value:
        case list():
            return "a list"
        case str():
            return "a string"
        case None:
            return "null"
        case bool():
            return "true or false"
        case _:
            return "a number"
