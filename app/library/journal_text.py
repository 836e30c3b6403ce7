"""Words in conversations: what of an event can be searched, and what is shown of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.library import cjk, words
from app.library.storable import storable

SNIPPET = 160
"""Characters that are shown around a place where words were found."""

_SPOKEN = ("turn_started", "steering", "message", "question_answer")


def text_of(event: Mapping[str, Any]) -> str:
    """Return what was said in an event by the person or the agent; empty for all other events."""
    kind = event.get("type")
    if kind in _SPOKEN:
        return str(event.get("text") or "")
    answer = event.get("answer")
    if kind == "answer" and isinstance(answer, Mapping):
        return str(answer.get("text") or "")
    return ""


def index_of(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the words and the CJK pairs to index an event with; None where nothing was said."""
    text = storable(text_of(event))
    return (text, cjk.grams(text)) if text.strip() else None


def matching(query: str) -> str:
    """Return the FTS5 expression for all words of a query, the last letters of which may be missing.

    Empty where the query has no words. Any string is a query.
    """
    asked = words.parse(query)
    every = [f'words : "{part}"*' for part in (*asked.phrases, *asked.terms)]
    every += [f"grams : {cjk.phrase(run)}" for run in asked.runs]
    return " AND ".join(every)


def snippet(event: Mapping[str, Any], query: str) -> str:
    """Return the text around the first of the words, on one line."""
    text = " ".join(text_of(event).split())
    asked = words.parse(query)
    folded = text.casefold()
    places = [
        place
        for part in (*asked.phrases, *asked.terms, *asked.runs)
        if (place := folded.find(part.casefold())) >= 0
    ]
    start = max(0, min(places, default=0) - SNIPPET // 3)
    end = start + SNIPPET
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
