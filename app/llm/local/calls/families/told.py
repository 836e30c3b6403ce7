"""Tools for models that were never trained on any: told in the system message, in few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.llm.chat import ChatMessage, ToolSpec
from app.llm.local.calls.families.syntax import TemplateMessage, name_of_call


def signatures(tools: Sequence[ToolSpec]) -> str:
    """Return a line a tool: a fifth of the tokens of its schema, and small models follow it better."""
    return "\n".join(_signature(tool) for tool in tools)


def alternating(
    history: Sequence[ChatMessage],
    rules: str,
    safe: Callable[[str], str],
    written: Callable[[ChatMessage], str],
    result: Callable[[str, str], str],
) -> list[TemplateMessage]:
    """Return system, user, assistant, user, …: what every chat template takes.

    `written` gives a reply as the model wrote it; `result` tells in the user's name what a tool found;
    `rules` stand behind the system text. Neighbours of one role become one message.
    """
    system = [safe(message.content) for message in history if message.role == "system"]
    found: list[TemplateMessage] = []
    head = "\n\n".join(part for part in (*system, rules) if part)
    if head:
        found.append({"role": "system", "content": head})
    for place, message in enumerate(history):
        match message.role:
            case "system":
                continue
            case "assistant":
                role, content = "assistant", written(_safe(message, safe))
            case "tool":
                name = name_of_call(message.call_id, history[:place])
                role, content = "user", result(name, safe(message.content))
            case _:
                role, content = "user", safe(message.content)
        if found and found[-1]["role"] == role:
            found[-1]["content"] = f"{found[-1]['content']}\n\n{content}"
        else:
            found.append({"role": role, "content": content})
    return found


def _safe(message: ChatMessage, safe: Callable[[str], str]) -> ChatMessage:
    """Return a reply with its texts made safe, but not what the syntax puts around them."""
    calls = tuple(replace(call, arguments=safe(call.arguments)) for call in message.calls)
    return replace(message, content=safe(message.content), calls=calls)


def _signature(tool: ToolSpec) -> str:
    properties = tool.parameters.get("properties")
    required = tool.parameters.get("required")
    fields = properties if isinstance(properties, Mapping) else {}
    needed = required if isinstance(required, list | tuple) else ()
    inside = ", ".join(
        f"{name}{'' if name in needed else '?'}: {_type(value)}" for name, value in fields.items()
    )
    lines = [f"- {tool.name}({inside}): {' '.join(tool.description.split())}"]
    for name, value in fields.items():
        if isinstance(value, Mapping) and isinstance(said := value.get("description"), str) and said:
            lines.append(f"    {name}: {' '.join(said.split())}")
    return "\n".join(lines)


def _type(value: object) -> str:
    if not isinstance(value, Mapping):
        return "any"
    if isinstance(values := value.get("enum"), list | tuple):
        return " | ".join(str(each) for each in values)
    match value.get("type"):
        case "array":
            return f"[{_type(value.get('items'))}]"
        case str(kind):
            return kind
        case list() | tuple() as kinds:
            return " | ".join(str(kind) for kind in kinds)
        case _:
            return "any"
