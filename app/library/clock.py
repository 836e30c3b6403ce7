"""Times as they are stored: ISO 8601, UTC, microseconds, so that they sort as text."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return this moment."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def moment(stored: str) -> datetime:
    """Read what `now` wrote."""
    return datetime.fromisoformat(stored)
