"""LM Studio: a program on this computer; its errors are plain sentences."""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import NO_WAY, Profile, Ways


def _thinking(model: str, thinking: bool) -> Ways:
    if "gpt-oss" not in model:
        return NO_WAY
    return {"reasoning_effort": "medium" if thinking else "low"}, {}


PROFILE = Profile(
    name="lmstudio",
    label="LM Studio",
    base_url="http://localhost:1234/v1",
    port=1234,
    needs_key=False,
    dialect=Dialect(thinking_field="reasoning_content"),
    thinking=_thinking,
    hints={
        "no models loaded": "Load a model in LM Studio, then try again.",
        "context the overflows": "Load the model with a longer context in LM Studio.",
    },
)
