"""Ollama: a program on this computer; calls come whole, thinking as `reasoning`.

Its context is 4,096 tokens unless the program was told otherwise, and what is beyond is left out
without a word: nothing in a request can change that.
"""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import Profile, Ways


def _thinking(_model: str, thinking: bool) -> Ways:
    return {"reasoning_effort": "medium" if thinking else "none"}, {}


PROFILE = Profile(
    name="ollama",
    label="Ollama",
    base_url="http://localhost:11434/v1",
    port=11434,
    needs_key=False,
    dialect=Dialect(thinking_field="reasoning"),
    thinking=_thinking,
    hints={
        "not found": "Fetch the model with `ollama pull`, or choose one that is there.",
        "does not support tools": "Choose a model that calls tools (`ollama show` lists what it can do).",
    },
)
