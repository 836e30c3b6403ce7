"""What prompts are made of where a model says nothing, or its chat template knows no system role. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def without_system(messages: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the messages with system text put before the first question."""
    rules = [str(message["content"]) for message in messages if message["role"] == "system"]
    others = [dict(message) for message in messages if message["role"] != "system"]
    if rules and others:
        others[0]["content"] = "\n\n".join([*rules, str(others[0]["content"])])
    return others
