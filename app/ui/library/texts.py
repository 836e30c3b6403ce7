"""Words of the library pane that are made of data."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.library.listing import PaperRow

translate = QCoreApplication.translate

SORTS = ("-added", "added", "-year", "year", "title", "author", "journal")


def sort_label(sort: str) -> str:
    """Return the name of an order."""
    return {
        "-added": translate("LibraryPane", "Added ↓"),
        "added": translate("LibraryPane", "Added ↑"),
        "-year": translate("LibraryPane", "Year ↓"),
        "year": translate("LibraryPane", "Year ↑"),
        "title": translate("LibraryPane", "Title"),
        "author": translate("LibraryPane", "First author"),
        "journal": translate("LibraryPane", "Journal"),
    }[sort]


def filter_label(name: str) -> str:
    """Say what a filter does."""
    return {
        "has:pdf": translate("LibraryPane", "Only papers with a PDF"),
        "has:notes": translate("LibraryPane", "Only papers with notes"),
        "is:unread": translate("LibraryPane", "Only papers not opened yet"),
    }[name]


def count(found: int, total: int) -> str:
    """Say how many papers there are, and how many of them are found where that differs."""
    if found == total:
        words = translate("LibraryPane", "%n paper(s)", None, total)
    else:
        words = translate("LibraryPane", "%1 of %n paper(s)", None, total)
    return words.replace(str(total), f"{total:,}").replace("%1", f"{found:,}")


def citation(row: PaperRow) -> str:
    """Return a paper as one line of a reference list."""
    authors = ", ".join(row.authors[:3]) + (" et al." if len(row.authors) > 3 else "")
    year = f"({row.year})" if row.year else ""
    names = [f"{i.kind}:{i.value}" for i in row.identifiers[:1]]
    head = " ".join(filter(None, (authors, year)))
    return ". ".join(filter(None, (head, row.title, row.journal_line, *names)))
