"""Qwen on Model Studio (DashScope): thinking is a switch, and is not read again in later turns."""

from __future__ import annotations

from app.llm.remote.dialect import Dialect
from app.llm.remote.profiles.profile import Profile, Ways


def _thinking(_model: str, thinking: bool) -> Ways:
    return {"enable_thinking": thinking}, {}


PROFILE = Profile(
    name="qwen",
    label="Qwen (Model Studio)",
    base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
    hosts=("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"),
    dialect=Dialect(thinking_field=""),
    thinking=_thinking,
    always={"parallel_tool_calls": True},  # off unless asked for
    hints={
        "access denied": "Open the model in the console of Model Studio, or choose another one.",
        "arrearage": "Look at the billing page of the service, or choose the local model.",
    },
)
