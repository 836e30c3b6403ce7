"""Integers within limits as a grammar: digit by digit. Pure."""

from __future__ import annotations

MOST_DIGITS = 15


def integers(low: int | None, high: int | None) -> str:
    """Return an expression for the integers from `low` to `high`; None is as far as 15 digits go."""
    largest = 10**MOST_DIGITS - 1
    first = max(low, -largest) if low is not None else -largest
    last = min(high, largest) if high is not None else largest
    options = []
    if first < 0:
        options += [f'"-" {each}' for each in _positive(max(-last, 1), -first)]
    if last >= 0:
        options += _positive(max(first, 0), last)
    return " | ".join(options)


def _positive(low: int, high: int) -> list[str]:
    """Return expressions for the integers from `low` to `high`, one for each number of digits."""
    found = []
    for digits in range(len(str(low)), len(str(high)) + 1):
        least = max(low, 10 ** (digits - 1) if digits > 1 else 0)
        most = min(high, 10**digits - 1)
        found.append(f"({_between(str(least), str(most))})")
    return found


def _between(low: str, high: str) -> str:
    """Return an expression for what lies between two numbers of as many digits."""
    if low == high:
        return f'"{low}"'
    more = len(low) - 1
    if low == "0" * len(low) and high == "9" * len(high):
        return f"[0-9]{{{len(low)}}}"
    first, last = int(low[0]), int(high[0])
    if not more:
        return f"[{first}-{last}]"
    if first == last:
        return f'"{first}" ({_between(low[1:], high[1:])})'
    options = []
    if low[1:] != "0" * more:
        options.append(f'"{first}" ({_between(low[1:], "9" * more)})')
        first += 1
    upper = ""
    if high[1:] != "9" * more:
        upper = f'"{last}" ({_between("0" * more, high[1:])})'
        last -= 1
    if first <= last:
        options.append(f"[{first}-{last}] [0-9]{{{more}}}")
    return " | ".join([*options, *([upper] if upper else [])])
