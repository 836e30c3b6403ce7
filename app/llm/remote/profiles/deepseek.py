"""DeepSeek: wants its thinking back within a chain of calls (bug 5); counts what its cache held."""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import NO_WAY, Profile, Ways


def _thinking(model: str, thinking: bool) -> Ways:
    if "reasoner" in model:
        return NO_WAY  # it always thinks
    return {"thinking": {"type": "enabled" if thinking else "disabled"}}, {}


PROFILE = Profile(
    name="deepseek",
    label="DeepSeek",
    base_url="https://api.deepseek.com/v1",
    hosts=("api.deepseek.com",),
    dialect=Dialect(thinking_field="reasoning_content"),
    thinking=_thinking,
)
