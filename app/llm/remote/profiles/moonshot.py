"""Moonshot (Kimi): wants its thinking back; puts the count of tokens into the last choice."""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import NO_WAY, Profile, Ways


def _thinking(model: str, thinking: bool) -> Ways:
    if "thinking" in model or model.startswith("moonshot-v1"):
        return NO_WAY  # always, or never
    return {"thinking": {"type": "enabled" if thinking else "disabled"}}, {}


PROFILE = Profile(
    name="moonshot",
    label="Moonshot (Kimi)",
    base_url="https://api.moonshot.cn/v1",
    hosts=("api.moonshot.cn", "api.moonshot.ai"),
    dialect=Dialect(thinking_field="reasoning_content"),
    thinking=_thinking,
)
