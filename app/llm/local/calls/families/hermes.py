"""Hermes 2 and 3, Qwen 2.5 and all that learned from them: JSON in `<tool_call>` tags."""

from __future__ import annotations

import json

from app.llm.chat import ChatMessage
from app.llm.local.calls.families.syntax import (
    Grammar,
    Offer,
    Syntax,
    call_object,
    described,
    one_of_the_calls,
)
from app.llm.local.calls.families.tagged import TaggedReader
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled
from app.llm.local.calls.parser import Reader

OPENING, CLOSING = "<tool_call>", "</tool_call>"


class Hermes(Syntax):
    """`<tool_call>\\n{"name": "…", "arguments": {…}}\\n</tool_call>`, once or several times."""

    name = "hermes"
    shown = (OPENING, CLOSING)

    def matches(self, template: str) -> bool:
        """Whether the template writes calls as JSON between these tags."""
        return OPENING in template and '"arguments"' in template and "<function=" not in template

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of calls from the first tag on."""
        build = GrammarBuilder(longest=offer.longest)
        one = one_of_the_calls(build, offer, lambda name: f'{spelled(name)}, "arguments": ')
        body = " ".join([literal('{"name": '), one, literal("}")])
        call = build.rule("call", f"{literal(OPENING)} [\\n]? {body} [\\n]? {literal(CLOSING)}")
        more = f"([\\n]? {call}){{0,{offer.most_calls - 1}}}" if offer.most_calls > 1 else ""
        return Grammar(build.text(f"{call} {more} [\\n]?"), () if offer.forced else (OPENING,))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of prose and tagged calls."""
        return TaggedReader(OPENING, CLOSING)

    def instructions(self, offer: Offer) -> str:
        """Return what these models were trained to read."""
        tools = "\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in offer.tools)
        example = '{"name": <name of the function>, "arguments": <object of arguments>}'
        return (
            f"You may call functions to help with the request. They are described between tags:\n"
            f"<tools>\n{tools}\n</tools>\n"
            f"For each call return a JSON object between tags:\n{OPENING}\n{example}\n{CLOSING}"
        )

    def written(self, message: ChatMessage) -> str:
        """Return the text, and each call between its tags."""
        calls = [f"{OPENING}\n{call_object(call)}\n{CLOSING}" for call in message.calls]
        return "\n".join([*([message.content] if message.content else []), *calls])

    def result(self, name: str, content: str) -> str:
        """Return a result between the tags these models know."""
        return f"<tool_response>\n{content}\n</tool_response>"
