"""The welcome paper: our own short PDF for an empty library, and the question it answers."""

from __future__ import annotations

import sys
from pathlib import Path

from app.errors import NotFoundError

QUESTION = "What is the pulsation period of Lantern 42?"
"""Answered on one page of the welcome paper, in words that no other paper holds."""


def paper() -> Path:
    """Return where the PDF lies: in a checkout, in an installed wheel, or frozen."""
    package = Path(__file__).resolve().parents[1]
    frozen = Path(getattr(sys, "_MEIPASS", package)) / "resources"
    for folder in (frozen, package / "_resources", package.parent / "resources"):
        if (found := folder / "welcome" / "welcome.pdf").is_file():
            return found
    raise NotFoundError(
        "The welcome paper is missing from this installation.",
        hint="Install again, or add a paper of your own.",
    )
