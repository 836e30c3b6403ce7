"""How notes are spoken of on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from app.library.notes import Note

translate = QCoreApplication.translate


def colour_name(colour: str) -> str:
    """Return the name of a note colour."""
    names = {
        "yellow": translate("Notes", "Yellow"),
        "green": translate("Notes", "Green"),
        "blue": translate("Notes", "Blue"),
        "pink": translate("Notes", "Pink"),
        "orange": translate("Notes", "Orange"),
        "purple": translate("Notes", "Purple"),
        "red": translate("Notes", "Red"),
        "gray": translate("Notes", "Gray"),
    }
    return names.get(colour, colour)


def page_name(page: int, labels: Sequence[str]) -> str:
    """Return "p. 4", by the label that is printed on the page."""
    return translate("Notes", "p. {label}").format(label=page_label(page, labels))


def page_label(page: int, labels: Sequence[str]) -> str:
    """Return what is printed on the page, or its number where nothing is."""
    return (labels[page] if page < len(labels) else "") or str(page + 1)


def day_name(moment: datetime, now: datetime | None = None) -> str:
    """Return "today", "yesterday" or the date."""
    local = moment.astimezone()
    days = ((now or datetime.now(UTC)).astimezone().date() - local.date()).days
    if days <= 0:
        return translate("Notes", "today")
    if days == 1:
        return translate("Notes", "yesterday")
    date = QDate(local.year, local.month, local.day)
    return QLocale().toString(date, QLocale.FormatType.ShortFormat)


def head_line(note: Note, labels: Sequence[str]) -> str:
    """Return "Yellow · p. 4 · today"."""
    parts = (colour_name(note.color), page_name(note.anchor.page, labels), day_name(note.created_at))
    return " · ".join(parts)
