"""All call syntaxes, in the order in which a chat template is asked whether it speaks one."""

from __future__ import annotations

from app.llm.local.calls.families.generic import Generic
from app.llm.local.calls.families.syntax import Syntax

GENERIC = Generic()

FAMILIES: tuple[Syntax, ...] = (GENERIC,)

BY_NAME = {family.name: family for family in FAMILIES}
