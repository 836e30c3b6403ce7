"""The library's database: papers, files, passages, notes, search index, journal."""

from app.library.library import Library

__all__ = ["Library"]
