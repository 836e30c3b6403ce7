"""What the screen is told of a result, as plain JSON. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from app.library.storable import storable

MOST_BYTES = 256_000
_DEEPEST = 20


def plain_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata that any JSON reader takes: other values as text, no NaN, no half characters.

    More than the journal should carry is left out, and says so.
    """
    if not metadata:
        return {}
    made: dict[str, Any] = _plain(metadata, 0)
    size = len(json.dumps(made))
    return made if size <= MOST_BYTES else {"left_out": f"{size:,} bytes of details"}


def _plain(value: object, depth: int) -> Any:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case str():
            return storable(value)
        case Mapping() if depth < _DEEPEST:
            return {storable(str(key)): _plain(inner, depth + 1) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset() if depth < _DEEPEST:
            return [_plain(inner, depth + 1) for inner in value]
        case _:
            return storable(str(value))
