"""The three kinds of permission rule, as tools, settings and remembered answers make them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deny:
    """Refuses; nothing overrules it. `tool` is a name with wildcards, `match` an argument pattern."""

    tool: str = "*"
    reason: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True)
class Allow:
    """Allows what no Deny refuses."""

    tool: str = "*"
    match: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Lets the person decide what no Deny refuses and no Allow allows."""

    tool: str = "*"
    message: str = ""
    match: str = ""


PermissionRule = Deny | Allow | Ask
