"""How papers and places are worded on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from app.records.ids import PageIndex, PageLabel


def one_line(text: str) -> str:
    """Return the text on one line: runs of white space, line breaks too, become one space."""
    return " ".join(text.split())


def page_words(page: PageIndex, page_label: PageLabel) -> str:
    """Say which page: its printed label, and its number in the file where that differs."""
    number = str(page + 1)
    if not page_label or page_label == number:
        return f"p. {number}"
    return f"p. {page_label} (page {number} of the file)"


def by_line(authors: Sequence[str], year: int | None, limit: int = 3) -> str:
    """Return "A. One, B. Two … +4, 2016", or as much of it as is known."""
    names = ", ".join(authors[:limit]) + (f" … +{len(authors) - limit}" if len(authors) > limit else "")
    return ", ".join(part for part in (names, str(year) if year else "") if part)
