"""Our messages as Anthropic's Messages protocol writes them. Pure.

Source: the Anthropic API reference ("Messages", "Prompt caching", "Extended thinking"). What it demands:
roles in turn, results of calls first in the message after them, tools named wherever calls are, no empty
text, and thinking back exactly as it was signed.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.llm.chat import ChatMessage, ToolSpec
from app.llm.remote.dialect import limit_in
from app.llm.remote.profiles.profile import NO_WAY, Ways
from app.llm.remote.wire import portable_arguments, portable_name, portable_schema, sendable

Block = dict[str, Any]
Said = dict[str, Any]
"""A message of the protocol: role, and content as a list of blocks."""

THINKING_TOKENS = 8192
"""What a reply may take longer when the model thinks, and the budget of models that are given one."""
NOTHING = "(nothing)"
GO_ON = "Go on."
_CACHE = {"type": "ephemeral"}
_WITH_BUDGET = re.compile(r"claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-20\d{6})?(?:-latest|@|$))")


@dataclass(frozen=True, slots=True)
class MessagesDialect:
    """What one model takes; it learns from refusals."""

    way: int = 0
    """Which of the ways to ask for thinking, or against it, is used."""
    temperature: bool = True
    cache: bool = True
    signed: bool = True
    """Takes back the thinking that it signed."""
    most_tokens: int | None = None

    def after(self, refusal: str, body: Mapping[str, Any]) -> MessagesDialect | None:
        """Return the dialect to try after a refused request; None when the refusal is about nothing here."""
        if limit := limit_in(refusal):
            return dataclasses.replace(self, most_tokens=limit) if limit != self.most_tokens else None
        if "signature" in refusal or "thinking` blocks" in refusal:
            return dataclasses.replace(self, signed=False) if self.signed else None
        if "cache_control" in refusal and self.cache:
            return dataclasses.replace(self, cache=False)
        if "temperature" in refusal and self.temperature:
            return dataclasses.replace(self, temperature=False)
        asked = str(body.get("thinking", {}).get("type", ""))
        if asked and ("thinking" in refusal or asked in refusal):
            return dataclasses.replace(self, way=self.way + 1)
        return None


def thinking_ways(model: str, thinking: bool) -> Ways:
    """Return how a model is asked for thinking or against it: older ones want a budget, newer ones choose."""
    budget = {"thinking": {"type": "enabled", "budget_tokens": THINKING_TOKENS}}
    if _WITH_BUDGET.match(model):
        return (budget, {}) if thinking else NO_WAY
    if thinking:
        shown = {"thinking": {"type": "adaptive", "display": "summarized"}}
        return shown, {"thinking": {"type": "adaptive"}}, budget, {}
    return {"thinking": {"type": "disabled"}}, {}


def messages_body(
    model: str,
    messages: Sequence[ChatMessage],
    *,
    dialect: MessagesDialect,
    max_tokens: int,
    temperature: float,
    stop: Sequence[str],
    tools: Sequence[ToolSpec],
    thinking: bool,
    lasting: bool,
    signed: Callable[[ChatMessage], Sequence[Block] | None],
) -> dict[str, Any]:
    """Return the JSON body of a streamed request.

    `signed` gives the content of a reply with the thinking in it as it came, where that is still known.
    `lasting` says that the conversation goes on: then its end is kept in the cache, too.
    """
    system, talk = _system(messages), _talk(messages, signed if dialect.signed else _unknown)
    ways = thinking_ways(model, thinking)
    way = dict(ways[min(dialect.way, len(ways) - 1)])
    if _budget(way) and _lost_thinking(messages, signed if dialect.signed else _unknown):
        way = {}  # it refuses to think on where what it thought before the last call is missing
    thinks = thinking and bool(way)
    limit = max_tokens + (THINKING_TOKENS if thinks else 0)
    body: dict[str, Any] = {
        "model": model,
        "messages": talk,
        "stream": True,
        "max_tokens": min(limit, dialect.most_tokens or limit),
        **way,
    }
    if budget := _budget(way):
        if body["max_tokens"] <= 1024:
            del body["thinking"]
        else:
            body["thinking"] = {**way["thinking"], "budget_tokens": min(budget, body["max_tokens"] - 1)}
    if dialect.temperature and not thinks:
        body["temperature"] = min(1.0, temperature)
    if kept := [text for text in stop if text.strip()]:
        body["stop_sequences"] = kept
    if offered := [_tool(tool) for tool in tools]:
        body["tools"] = offered
    elif named := sorted({portable_name(call.name) for message in messages for call in message.calls}):
        # calls of the past must be of known tools; none is to be called now
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in named]
        body["tool_choice"] = {"type": "none"}
    if system:
        body["system"] = system
    if dialect.cache:
        _mark(body, lasting=lasting)
    return body


def layout_key(message: ChatMessage) -> str:
    """Return what a reply is known by when it comes back."""
    calls = [[call.name, call.arguments.strip() or "{}"] for call in message.calls]
    return json.dumps([message.thinking, message.content, calls])


def filled(layout: Sequence[Block], message: ChatMessage) -> list[Block]:
    """Return the content of a reply in the order it came in, with our ids for its calls."""
    calls = iter(message.calls)
    blocks: list[Block] = []
    for block in layout:
        if block["type"] == "tool_use":
            blocks.append(_call(next(calls)))
        else:
            blocks.append(dict(block))
    return blocks


def _unknown(_message: ChatMessage) -> None:
    return None


def _budget(way: Mapping[str, Any]) -> int:
    budget = way.get("thinking", {}).get("budget_tokens", 0)
    return budget if isinstance(budget, int) else 0


def _lost_thinking(
    messages: Sequence[ChatMessage], signed: Callable[[ChatMessage], Sequence[Block] | None]
) -> bool:
    """Whether the reply that is answered now made calls, and its signed thinking is not known."""
    for message in reversed(messages):
        if message.role == "assistant":
            return bool(message.calls) and signed(message) is None
    return False


def _system(messages: Sequence[ChatMessage]) -> list[Block]:
    blocks = []
    for message in messages:
        if message.role != "system":
            break
        blocks += _text(message.content)
    return blocks


def _talk(
    messages: Sequence[ChatMessage], signed: Callable[[ChatMessage], Sequence[Block] | None]
) -> list[Said]:
    """Return the messages in turns; one that comes out of turn goes into the one before it."""
    talk: list[Said] = []
    head = True
    for message in messages:
        head = head and message.role == "system"
        if head:
            continue
        if message.role == "assistant":
            _add(talk, "assistant", list(signed(message) or _reply(message)))
        elif message.role == "tool":
            _add(talk, "user", [_result(message)])
        else:
            _add(talk, "user", _text(message.content))
    if not talk or talk[0]["role"] != "user":
        talk.insert(0, {"role": "user", "content": _text(NOTHING)})
    if talk[-1]["role"] != "user":
        _add(talk, "user", _text(GO_ON))
    return talk


def _add(talk: list[Said], role: Literal["user", "assistant"], blocks: list[Block]) -> None:
    if talk and talk[-1]["role"] == role:
        talk[-1]["content"] += blocks
    elif blocks or role == "user":
        talk.append({"role": role, "content": blocks or _text(NOTHING)})


def _reply(message: ChatMessage) -> list[Block]:
    return [*_text(message.content), *(_call(call) for call in message.calls)]


def _call(call: Any) -> Block:
    value = json.loads(portable_arguments(call.arguments))
    # escapes of lone surrogates become such only now, and cannot be sent
    clean = json.loads(sendable(json.dumps(value, ensure_ascii=False)))
    return {"type": "tool_use", "id": call.id, "name": portable_name(call.name), "input": clean}


def _result(message: ChatMessage) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": message.call_id}
    if message.content.strip():
        block["content"] = sendable(message.content)
    return block


def _text(text: str) -> list[Block]:
    return [{"type": "text", "text": sendable(text)}] if text.strip() else []


def _tool(tool: ToolSpec) -> Block:
    return {
        "name": portable_name(tool.name),
        "description": tool.description,
        "input_schema": portable_schema(tool.parameters),
    }


def _mark(body: dict[str, Any], *, lasting: bool) -> None:
    """Mark up to where the service is to keep what it read: tools, system prompt, the last two requests."""
    if tools := body.get("tools"):
        tools[-1] = {**tools[-1], "cache_control": _CACHE}
    if system := body.get("system"):
        system[-1] = {**system[-1], "cache_control": _CACHE}
    if lasting:
        asked = [said for said in body["messages"] if said["role"] == "user"]
        for said in asked[-2:]:
            said["content"][-1] = {**said["content"][-1], "cache_control": _CACHE}
