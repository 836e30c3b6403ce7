"""Messages to the prompt a model was trained on: its own chat template, else ChatML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.errors import ModelError

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

Message = Mapping[str, str]
Formatter = Callable[[list[Message]], str]
"""A chat template: raises when it does not take the messages."""


def render(formatter: Formatter, messages: Sequence[Message]) -> str:
    """Return the prompt; templates that know no system role get it at the head of the first question."""
    # Jinja's errors share no base with what templates raise by themselves (ValueError, TypeError, …).
    try:
        return formatter(list(messages))
    except Exception as error:
        folded = without_system(messages)
        if folded == list(messages):
            raise ModelError(f"The model's chat template does not take these messages: {error}") from error
    try:
        return formatter(folded)
    except Exception as error:
        raise ModelError(f"The model's chat template does not take these messages: {error}") from error


def without_system(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with leading system text put before the first question."""
    rules = [message["content"] for message in messages if message["role"] == "system"]
    others = [message for message in messages if message["role"] != "system"]
    if rules and others:
        first = others[0]
        content = "\n\n".join([*rules, first["content"]])
        others[0] = {"role": first["role"], "content": content}
    return others
