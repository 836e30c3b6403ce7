"""Which call syntax a chat template speaks. Pure."""

from __future__ import annotations

from app.llm.local.calls.families.syntax import Syntax
from app.llm.local.calls.families.table import BY_NAME, FAMILIES, GENERIC


def detect(template: str, hint: str = "") -> Syntax:
    """Return the family that was asked for, else the first that knows the template; at last `generic`."""
    if hint in BY_NAME:
        return BY_NAME[hint]
    return next((family for family in FAMILIES if family.matches(template)), GENERIC)
