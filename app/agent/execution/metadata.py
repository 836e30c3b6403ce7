"""What the screen is told of a result, as plain JSON. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from app.agent.execution.cutting import cut_before
from app.library.storable import storable

MOST_BYTES = 256_000
LONGEST_TEXT = 2_000
"""Texts are cut to so many characters where the whole would be too large."""
_DEEPEST = 20


def plain_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata that any JSON reader takes: other values as text, no NaN, no half characters.

    Where it is more than the journal should carry, long texts are cut; what is still too large is left
    out, and says so.
    """
    if not metadata:
        return {}
    made: dict[str, Any] = _plain(metadata, 0, MOST_BYTES)
    if len(json.dumps(made)) <= MOST_BYTES:
        return made
    made = _plain(metadata, 0, LONGEST_TEXT)
    size = len(json.dumps(made))
    return made if size <= MOST_BYTES else {"left_out": f"{size:,} bytes of details"}


def _plain(value: object, depth: int, longest: int) -> Any:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case str():
            return _text(value, longest)
        case Mapping() if depth < _DEEPEST:
            return {
                _text(str(key), LONGEST_TEXT): _plain(inner, depth + 1, longest)
                for key, inner in value.items()
            }
        case list() | tuple() | set() | frozenset() if depth < _DEEPEST:
            return [_plain(inner, depth + 1, longest) for inner in value]
        case _:
            return _text(str(value), longest)


def _text(text: str, longest: int) -> str:
    if len(text) > longest:
        text = f"{text[: cut_before(text, longest)]}… ({len(text):,} characters)"
    return storable(text)
