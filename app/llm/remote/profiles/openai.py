"""OpenAI: its reasoning models count thinking within the limit, and know other words for how much."""

from __future__ import annotations

import re

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import NO_WAY, Profile, Ways

_REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-(?:[5-9]|\d\d)|codex)")


def _thinking(model: str, thinking: bool) -> Ways:
    if not _REASONING.search(model):
        return NO_WAY
    efforts = ("medium",) if thinking else ("none", "minimal", "low")
    return (*({"reasoning_effort": effort} for effort in efforts), {})


PROFILE = Profile(
    name="openai",
    label="OpenAI",
    base_url="https://api.openai.com/v1",
    hosts=("api.openai.com",),
    dialect=Dialect(limit="max_completion_tokens", thinking_field=""),
    thinking=_thinking,
    session_key="prompt_cache_key",
    hints={
        "organization must be verified": "Verify the organisation in its settings, or choose another model.",
        "only supported in v1/responses": "Choose a model that is served by chat completions.",
    },
)
