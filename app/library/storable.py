"""Text as SQLite can keep it."""

from __future__ import annotations


def storable(text: str) -> str:
    """Return the text with lone surrogates, which are no characters, as "?"; lengths stay the same."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")
