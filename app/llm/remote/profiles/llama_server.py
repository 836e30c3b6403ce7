"""llama-server of llama.cpp: tells how much of the prompt it has read."""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import Profile, Ways


def _thinking(_model: str, thinking: bool) -> Ways:
    return {"chat_template_kwargs": {"enable_thinking": thinking}}, {}


PROFILE = Profile(
    name="llama_server",
    label="llama-server",
    base_url="http://localhost:8080/v1",
    port=8080,
    needs_key=False,
    dialect=Dialect(thinking_field="reasoning_content"),
    thinking=_thinking,
    always={"cache_prompt": True, "return_progress": True},
    hints={"--jinja": "Start llama-server with --jinja, so that it can call tools."},
)
