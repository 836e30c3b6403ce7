"""How notes are spoken of on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from app.library.notes import Note


def _tr(text: str) -> str:
    return QCoreApplication.translate("Notes", text)


def colour_name(colour: str) -> str:
    """Return the name of a note colour."""
    names = {
        "yellow": _tr("Yellow"),
        "green": _tr("Green"),
        "blue": _tr("Blue"),
        "pink": _tr("Pink"),
        "orange": _tr("Orange"),
        "purple": _tr("Purple"),
        "red": _tr("Red"),
        "gray": _tr("Gray"),
    }
    return names.get(colour, colour)


def page_name(page: int, labels: Sequence[str]) -> str:
    """Return "p. 4", by the label that is printed on the page."""
    return _tr("p. {label}").format(label=page_label(page, labels))


def page_label(page: int, labels: Sequence[str]) -> str:
    """Return what is printed on the page, or its number where nothing is."""
    return (labels[page] if page < len(labels) else "") or str(page + 1)


def day_name(moment: datetime, now: datetime | None = None) -> str:
    """Return "today", "yesterday" or the date."""
    local = moment.astimezone()
    days = ((now or datetime.now(UTC)).astimezone().date() - local.date()).days
    if days <= 0:
        return _tr("today")
    if days == 1:
        return _tr("yesterday")
    date = QDate(local.year, local.month, local.day)
    return QLocale().toString(date, QLocale.FormatType.ShortFormat)


def head_line(note: Note, labels: Sequence[str]) -> str:
    """Return "Yellow · p. 4 · today"."""
    parts = (colour_name(note.color), page_name(note.anchor.page, labels), day_name(note.created_at))
    return " · ".join(parts)
