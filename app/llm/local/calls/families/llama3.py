"""Llama 3.1 to 3.3: a reply that is a call is nothing but its JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.llm.chat import CallDelta, ChatDelta, ChatMessage
from app.llm.local.calls.families.syntax import (
    Grammar,
    Offer,
    Syntax,
    call_object,
    described,
    one_call_a_message,
    one_of_the_calls,
)
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled
from app.llm.local.calls.parser import ObjectReader, ParsedItem, Reader, Step, best_head

PYTHON_TAG = "<|python_tag|>"
_BEGINS = ('{"name": ', '{"type": "function", "name": ')
_HEADS = tuple(
    ("{", *kind, '"name"', ":", Step.STRING, ",", arguments, ":", Step.OBJECT)
    for kind in ((), ('"type"', ":", '"function"', ","))
    for arguments in ('"parameters"', '"arguments"')
)


class Llama3(Syntax):
    """`{"name": "…", "parameters": {…}}` as the whole reply; the template takes one call a message."""

    name = "llama3"
    shown = (PYTHON_TAG,)

    def matches(self, template: str) -> bool:
        """Whether the template writes calls as a bare object with parameters."""
        return "<|start_header_id|>" in template and '"parameters": ' in template

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of one call, which holds once the reply begins as one."""
        build = GrammarBuilder(longest=offer.longest)
        one = one_of_the_calls(build, offer, lambda name: f'{spelled(name)}, "parameters": ')
        begins = " | ".join(literal(begin) for begin in _BEGINS)
        root = f'({begins}) {one} "}}"'
        words = tuple(begin.rstrip() for begin in _BEGINS)
        return Grammar(build.text(root), () if offer.forced else words, at_start=True)

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of one call, or of prose."""
        return BareReader()

    def instructions(self, offer: Offer) -> str:
        """Return what these models were trained to read."""
        tools = "\n\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in offer.tools)
        return (
            "You have access to these functions. To call one, respond with nothing but a JSON object:\n"
            '{"name": name of the function, "parameters": object of arguments and their values}\n\n' + tools
        )

    def written(self, message: ChatMessage) -> str:
        """Return the call, or the text where there is none."""
        calls = (call_object(call, arguments="parameters") for call in message.calls)
        return "\n".join((*filter(None, (message.content,)), *calls))

    def arranged(self, history: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """Return the history with one call a message: the template refuses more."""
        return one_call_a_message(history)


@dataclass(slots=True)
class BareReader:
    """Reads a reply that is a call from its first character on (several with `;` between); else prose.

    JSON further behind is not a call: models quote it.
    """

    calls: int = 0
    _state: Literal["head", "arguments", "tail", "prose"] = "head"
    _held: str = ""
    _object: ObjectReader = field(default_factory=ObjectReader)

    @property
    def busy(self) -> bool:
        """Whether a call is being read."""
        return self._state in ("arguments", "tail")

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        match self._state:
            case "prose":
                return [ChatDelta(text)] if text else []
            case "arguments":
                inside, behind = self._object.feed(text)
                self._state = "tail" if self._object.closed else "arguments"
                found: list[ParsedItem] = [CallDelta(self.calls - 1, arguments=inside)] if inside else []
                return found + (self.feed(behind) if behind else [])
            case "tail":
                self._held += text
                behind = self._held.lstrip().removeprefix("}").lstrip().removeprefix(";").lstrip()
                if not behind:
                    return []
                self._state, self._held = "head", ""
                return self.feed(behind)
            case "head":
                self._held += text
                return self._head()

    def finish(self) -> list[ParsedItem]:
        """Return what was held back: the head of a call that was cut is prose."""
        held, self._held = self._held, ""
        return [ChatDelta(held)] if held and self._state == "head" else []

    def _head(self) -> list[ParsedItem]:
        text = self._held.lstrip()
        if len(text) < len(PYTHON_TAG) and PYTHON_TAG.startswith(text):
            return []
        text = text.removeprefix(PYTHON_TAG)
        head = best_head(text, _HEADS)
        if head and not head.whole:
            return []
        self._held = self._held if not head else ""
        if not head:
            self._state = "prose"
            held, self._held = self._held, ""
            return [ChatDelta(held)]
        self._state, self._object = "arguments", ObjectReader()
        self.calls += 1
        return [CallDelta(self.calls - 1, name=head.strings[0]), *self.feed(text[head.end :])]
