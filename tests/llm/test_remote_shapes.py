"""The conformance set against a server in every dialect, in every shape of stream, cut at random."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from app.llm.chat import CallDelta, ChatEnd, ChatItem
from app.llm.local.conformance import heard, judge
from app.llm.local.conformance_cases import CASES
from app.llm.remote.anthropic_chat import AnthropicChatModel
from app.llm.remote.openai_chat import OpenAIChatModel
from app.llm.remote.profiles import PROFILES
from app.llm.remote.service_chat import ServiceChatModel
from tests.fakes.anthropic_server import Event, FakeAnthropic
from tests.fakes.openai_server import FakeOpenAI, Script
from tests.fakes.right_replies import CALLS, SAYS
from tests.fakes.scripted_chat import Call, End, Piece, Say, Think
from tests.harness.streams import STYLES, Style, Wanted, cut

SERVERS: dict[str, dict[str, Any]] = {
    "openai": {},
    "deepseek": {"needs_thinking": True},
    "qwen": {},
    "moonshot": {"needs_thinking": True, "usage_in_choice": True},
    "ollama": {"thinking_field": "reasoning"},
    "vllm": {"thinking_field": "reasoning", "counts": False},
    "lmstudio": {"refuses": ["stream_options"]},
    "llama_server": {},
    "other": {"refuses": ["temperature"]},
}
"""How each service differs; the rest is the plain protocol."""


async def all_right(model: ServiceChatModel, thinking: str) -> list[ChatItem]:
    """Run the whole set; returns the items of the last reply."""
    items: list[ChatItem] = []
    for case in CASES:
        items = [item async for item in model.stream(case.messages, max_tokens=200, tools=case.tools)]
        reply = heard(items)
        assert judge(case, reply).problems == ()
        wanted = CALLS.get(case.name, [])
        assert [(c.name, json.loads(c.arguments)) for c in reply.calls] == [
            (w.name, json.loads(w.arguments)) for w in wanted
        ]
        assert reply.text == SAYS.get(case.name, "")
        assert reply.thinking == thinking
        assert isinstance(items[-1], ChatEnd)
        assert items[-1].reason == ("tool_calls" if wanted else "stop")
    return items


# -- chat completions ---------------------------------------------------------------------------------


def script_in(styles: Sequence[Style], seed: int, thinking: str) -> Iterator[Script]:
    """Yield the right reply to each case in the next style, the arguments cut at random places."""
    chance = random.Random(seed)
    for style, case in zip(itertools.cycle(styles), CASES, strict=False):
        pieces: list[Think | Say | Piece | End] = [Think(thinking, 3)] if thinking else []
        if text := SAYS.get(case.name):
            pieces.append(Say(text, 5))
        deltas: list[CallDelta] = []
        for place, call in enumerate(CALLS.get(case.name, ())):
            deltas += style(place, call, cut(call.arguments, [chance.randint(0, 99) for _ in range(4)]))
        yield [*pieces, *map(Piece, deltas), End("tool_calls" if deltas else "stop")]


@pytest.mark.parametrize("service", sorted(SERVERS))
async def test_that_the_set_passes_in_every_dialect(service: str) -> None:
    """Bugs 7 and 8: nine kinds of service, each reply in another way to stream a call, cut at any byte."""
    await passes(service, "")


@pytest.mark.long
@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize("service", sorted(SERVERS))
async def test_that_the_set_passes_in_every_dialect_and_style(service: str, style: str) -> None:
    """Bug 7: fifteen ways to stream a call, from nine kinds of service. Bug 8: cut at any byte."""
    await passes(service, style)


async def passes(service: str, style: str) -> None:
    """Run the set against the service in a style; without one the styles take turns."""
    seed = hash_of(service, style)
    thinking = "" if seed % 3 == 0 else "Let me see\u2028…想"
    styles = [STYLES[style]] if style else list(STYLES.values())
    answers = list(script_in(styles, seed, thinking))
    with FakeOpenAI(answers, rechunk=seed, **SERVERS[service]) as server:
        model = OpenAIChatModel(
            "fake", base_url=server.url, api_key=lambda: "k", context_tokens=9999, profile=PROFILES[service]
        )
        try:
            items = await all_right(model, thinking)
        finally:
            await model.close()
    assert len(server.asked) == len(CASES)
    end = items[-1]
    assert isinstance(end, ChatEnd)
    assert (end.prompt_tokens > 0) == (service not in ("vllm", "lmstudio"))


# -- Messages -----------------------------------------------------------------------------------------


def _pings(events: list[Event]) -> list[Event]:
    return [event for pair in events for event in ({"type": "ping"}, pair)]


def _comments(events: list[Event]) -> list[Event]:
    return [event for pair in events for event in ({"comment": "keep\u2028alive"}, pair)]


def _unknown(events: list[Event]) -> list[Event]:
    strange: list[Event] = [
        {"type": "content_block_jubilee", "index": 0},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {}}},
    ]
    return [event for pair in events for event in (*strange, pair)]


def _whole_input(events: list[Event]) -> list[Event]:
    """Give the arguments with the beginning of the call, as some compatible services do."""
    made: list[Event] = []
    written: dict[int, str] = {}
    for event in events:
        if (event.get("delta") or {}).get("type") == "input_json_delta":
            written[event["index"]] = written.get(event["index"], "") + event["delta"]["partial_json"]
            continue
        made.append(event)
    for event in made:
        if event.get("content_block", {}).get("type") == "tool_use" and event["index"] in written:
            event["content_block"]["input"] = json.loads(written[event["index"]] or "{}")
    return made


def _empty_first(events: list[Event]) -> list[Event]:
    made: list[Event] = []
    for event in events:
        made.append(event)
        if event.get("content_block", {}).get("type") == "tool_use":
            empty = {"type": "input_json_delta", "partial_json": ""}
            made.append({"type": "content_block_delta", "index": event["index"], "delta": empty})
    return made


def _without(*types: str) -> Callable[[list[Event]], list[Event]]:
    return lambda events: [event for event in events if event["type"] not in types]


def _no_index(events: list[Event]) -> list[Event]:
    return [{key: value for key, value in event.items() if key != "index"} for event in events]


def _index_always_0(events: list[Event]) -> list[Event]:
    return [{**event, "index": 0} if "index" in event else event for event in events]


def _index_from_7(events: list[Event]) -> list[Event]:
    return [{**event, "index": event["index"] + 7} if "index" in event else event for event in events]


def _one_by_one(events: list[Event]) -> list[Event]:
    """Send every character as a delta of its own."""
    made: list[Event] = []
    for event in events:
        delta = event.get("delta") or {}
        name = next((name for name in ("text", "thinking", "partial_json") if name in delta), "")
        if not name:
            made.append(event)
            continue
        made += [{**event, "delta": {**delta, name: character}} for character in delta[name]]
    return made


def _text_in_start(events: list[Event]) -> list[Event]:
    """Put the first piece of text into the beginning of its block."""
    made: list[Event] = []
    for event in events:
        delta, last = event.get("delta") or {}, made[-1] if made else {}
        block = last.get("content_block", {})
        if delta.get("type") == "text_delta" and block.get("type") == "text" and not block["text"]:
            made[-1] = {**last, "content_block": {**block, "text": delta["text"]}}
        else:
            made.append(event)
    return made


def _no_usage(events: list[Event]) -> list[Event]:
    made = [{key: value for key, value in event.items() if key != "usage"} for event in events]
    for event in made:
        if "message" in event:
            event["message"] = {k: v for k, v in event["message"].items() if k != "usage"}
    return made


def _nulls(events: list[Event]) -> list[Event]:
    nothing = {"name": None, "text": None, "signature": None, "stop_reason": None}
    return [
        {**event, "delta": {**nothing, **event["delta"]}} if "delta" in event else {**event, "delta": None}
        for event in events
    ]


@dataclass(frozen=True, slots=True)
class Way:
    """A shape of the stream."""

    shape: Callable[[list[Event]], list[Event]] = list
    line_end: bytes = b"\n"


WAYS = {
    "plain": Way(),
    "CR LF": Way(line_end=b"\r\n"),
    "CR": Way(line_end=b"\r"),
    "pings": Way(_pings),
    "comments": Way(_comments),
    "unknown events": Way(_unknown),
    "input with the beginning": Way(_whole_input),
    "an empty piece first": Way(_empty_first),
    "blocks never closed": Way(_without("content_block_stop")),
    "no end but the reason": Way(_without("message_stop")),
    "no beginning": Way(_without("message_start")),
    "no index": Way(_no_index),
    "index always 0": Way(_index_always_0),
    "index from 7": Way(_index_from_7),
    "character by character": Way(_one_by_one),
    "text in the beginning of a block": Way(_text_in_start),
    "no usage": Way(_no_usage),
    "nulls everywhere": Way(_nulls),
}


@pytest.mark.parametrize("way", sorted(WAYS))
async def test_that_the_set_passes_in_every_shape_of_messages(way: str) -> None:
    """Bugs 7 and 8: eighteen shapes of Anthropic's stream, cut at any byte."""
    seed = hash_of("anthropic", way)
    thinking = "" if seed % 3 == 0 else "Let me see\u2028…想"
    with FakeAnthropic(
        [_said(case.name, thinking) for case in CASES],
        rechunk=seed,
        shape=WAYS[way].shape,
        line_end=WAYS[way].line_end,
    ) as server:
        model = AnthropicChatModel(
            "claude-fake", base_url=server.url, api_key=lambda: "k", context_tokens=9999,
            thinking=bool(thinking),
        )  # fmt: skip
        try:
            items = await all_right(model, thinking)
        finally:
            await model.close()
    assert len(server.asked) == len(CASES)
    end = items[-1]
    assert isinstance(end, ChatEnd)
    assert (end.prompt_tokens > 0) == (way not in ("no usage", "no beginning"))


def _said(case: str, thinking: str) -> Script:
    calls: list[Wanted] = CALLS.get(case, [])
    return [
        *([Think(thinking, 3)] if thinking else []),
        *([Say(SAYS[case], 5)] if case in SAYS else []),
        *(Call(call.name, call.arguments if call.arguments != "{}" else "", pieces=4) for call in calls),
    ]


def hash_of(*words: str) -> int:
    """Return a number that is the same in every run."""
    return sum(ord(character) * place for place, character in enumerate(" ".join(words), start=1))
