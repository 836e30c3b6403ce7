"""Fences around text that nobody with authority has written (law 8). Pure."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?=\s*/?\s*(?:untrusted|context)\b)", re.IGNORECASE)


def untrusted(text: str, source: str) -> str:
    """Return the text fenced as data; nothing in it can close the fence."""
    return f'<untrusted source="{_plain(source)}">\n{_TAG.sub("‹", text)}\n</untrusted>'


def context(text: str, source: str) -> str:
    """Return text of the application itself, told apart from what the person wrote."""
    return f'<context source="{_plain(source)}">\n{_TAG.sub("‹", text)}\n</context>'


def _plain(source: str) -> str:
    return re.sub(r"[^\w .:/-]", "_", source)[:80]
