"""What a person means by the page they type (pure)."""

from __future__ import annotations

from collections.abc import Sequence


def page_meant(text: str, labels: Sequence[str], pages: int) -> int | None:
    """Return the index of a page: a printed label first, else a number counted from 1."""
    wanted = text.strip().casefold()
    printed = [label.casefold() for label in labels]
    if wanted in printed:
        return printed.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= pages:
        return int(wanted) - 1
    return None
