"""vLLM: thinking is a variable of the chat template; tools must have been allowed when it was started."""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import Profile, Ways


def _thinking(_model: str, thinking: bool) -> Ways:
    return {"chat_template_kwargs": {"enable_thinking": thinking, "thinking": thinking}}, {}


PROFILE = Profile(
    name="vllm",
    label="vLLM",
    base_url="http://localhost:8000/v1",
    port=8000,
    needs_key=False,
    dialect=Dialect(thinking_field="reasoning"),
    thinking=_thinking,
    hints={
        "enable-auto-tool-choice": "Start vLLM with --enable-auto-tool-choice and --tool-call-parser.",
        "tool-call-parser": "Start vLLM with --enable-auto-tool-choice and --tool-call-parser.",
    },
)
