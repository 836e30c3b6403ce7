"""How long a service asks to be left alone, as its headers say it. Pure."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from datetime import datetime

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_USED_UP = (
    ("x-ratelimit-remaining-{}", "x-ratelimit-reset-{}"),
    ("anthropic-ratelimit-{}-remaining", "anthropic-ratelimit-{}-reset"),
)
_KINDS = ("requests", "tokens", "input-tokens", "output-tokens")


def wait_of(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds that the headers ask for, or None.

    `Retry-After` is a number or a date; without it the limits that are used up say when they begin anew.
    """
    small = {name.lower(): value for name, value in headers.items()}
    now = time.time() if now is None else now
    try:
        if milliseconds := small.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
    except ValueError:
        return None
    if value := small.get("retry-after", "").strip():
        return _seconds(value, now)
    waits = [
        _seconds(small[reset], now)
        for kind in _KINDS
        for remaining, reset in ((left.format(kind), again.format(kind)) for left, again in _USED_UP)
        if small.get(remaining, "").strip() == "0" and reset in small
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _seconds(value: str, now: float) -> float | None:
    """Return the seconds of a number, a duration ("6m0s", "20ms"), or until a date of either form."""
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    if re.fullmatch(rf"(?:{_PART.pattern})+", value):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    when: datetime
    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
    if when.tzinfo is None:
        return None
    return max(0.0, when.timestamp() - now)
