"""All call syntaxes, in the order in which a chat template is asked whether it speaks one."""

from __future__ import annotations

from app.llm.local.calls.families.forced import Forced
from app.llm.local.calls.families.gemma import Gemma
from app.llm.local.calls.families.gemma4 import Gemma4
from app.llm.local.calls.families.generic import Generic
from app.llm.local.calls.families.hermes import Hermes
from app.llm.local.calls.families.llama3 import Llama3
from app.llm.local.calls.families.mistral import Mistral, MistralList
from app.llm.local.calls.families.qwen3 import Qwen3
from app.llm.local.calls.families.qwen3_coder import Qwen3Coder
from app.llm.local.calls.families.smollm3 import SmolLM3
from app.llm.local.calls.families.syntax import Syntax

GENERIC = Generic()

FAMILIES: tuple[Syntax, ...] = (
    Gemma4(),
    Gemma(),
    Qwen3Coder(),
    SmolLM3(),
    Qwen3(),
    Hermes(),
    Llama3(),
    Mistral(),
    MistralList(),
    Forced(),
    GENERIC,
)

BY_NAME = {family.name: family for family in FAMILIES}
