"""The protocol for any model: every reply is one JSON object, a call or an answer, held by a grammar."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

from app.llm.chat import CallDelta, ChatDelta, ChatMessage
from app.llm.local.calls.families.syntax import Grammar, Offer, Syntax, call_object, one_of_the_calls
from app.llm.local.calls.families.told import signatures
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled
from app.llm.local.calls.parser import (
    ObjectReader,
    ParsedItem,
    Reader,
    Step,
    StringReader,
    best_head,
)


@dataclass(frozen=True, slots=True)
class Keys:
    """The words of the object: `{"tool": …, "arguments": {…}}` or `{"answer": …}`."""

    tool: str = "tool"
    arguments: str = "arguments"
    answer: str = "answer"


class Generic(Syntax):
    """Needs no training: the grammar leaves no other way. One call a reply."""

    name = "generic"
    native = False

    keys = Keys()

    def matches(self, template: str) -> bool:
        """Every template will do."""
        return True

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of whole replies."""
        build = GrammarBuilder(longest=offer.longest)
        keys = self.keys
        one = one_of_the_calls(build, offer, lambda name: f"{spelled(name)}, {spelled(keys.arguments)}: ")
        call = build.rule("call", f'{literal("{" + spelled(keys.tool) + ": ")} {one} "}}"')
        if offer.forced:
            return Grammar(build.text(call))
        # The limit on strings is for arguments, not for answers.
        text = build.rule("answer-text", f'"\\"" {build.shared("char")}+ "\\""')
        answer = build.rule("answer", f'{literal("{" + spelled(keys.answer) + ": ")} {text} "}}"')
        return Grammar(build.text(f"{call} | {answer}"))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of one object; a reply that is none is prose."""
        return GenericReader(self.keys)

    def instructions(self, offer: Offer) -> str:
        """Return the rules of the protocol and a line for each tool."""
        # Small models repeat what stands for an argument here, so nothing does.
        call = f'{{"{self.keys.tool}": "…", "{self.keys.arguments}": {{…}}}}'
        answer = f'{{"{self.keys.answer}": "…"}}'
        return (
            f"You can use these tools:\n{signatures(offer.tools)}\n\n"
            f"Reply with one JSON object and nothing else. To use a tool:\n{call}\n"
            f"When you know the answer, or no tool helps:\n{answer}"
        )

    def written(self, message: ChatMessage) -> str:
        """Return a reply as the grammar spells it, so that what was read of it can be used again."""
        if message.calls:
            keys = self.keys
            calls = (call_object(call, keys.tool, keys.arguments) for call in message.calls)
            return "\n".join((*filter(None, (message.content,)), *calls))
        return f'{{"{self.keys.answer}": {json.dumps(message.content, ensure_ascii=False)}}}'


@dataclass(slots=True)
class GenericReader:
    """Reads `{"tool": …, "arguments": {…}}` or `{"answer": …}`; anything else is prose."""

    keys: Keys
    calls: int = 0
    _state: Literal["head", "arguments", "answer", "tail", "prose"] = "head"
    _held: str = ""
    _object: ObjectReader = field(default_factory=ObjectReader)
    _string: StringReader = field(default_factory=StringReader)

    @property
    def busy(self) -> bool:
        """Whether a call or a quoted answer is being read."""
        return self._state in ("arguments", "answer", "tail")

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        match self._state:
            case "head":
                return self._head(text)
            case "arguments":
                inside, behind = self._object.feed(text)
                self._state = "tail" if self._object.closed else "arguments"
                found: list[ParsedItem] = [CallDelta(0, arguments=inside)] if inside else []
                return found + (self.feed(behind) if behind else [])
            case "answer":
                shown, behind = self._string.feed(text)
                self._state = "tail" if self._string.closed else "answer"
                return [ChatDelta(shown)] if shown else []
            case "tail":
                return []
            case "prose":
                return [ChatDelta(text)] if text else []

    def finish(self) -> list[ParsedItem]:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ""
        return [ChatDelta(held)] if held and self._state == "head" else []

    def _head(self, text: str) -> list[ParsedItem]:
        self._held += text
        keys = self.keys
        call = (
            "{",
            json.dumps(keys.tool),
            ":",
            Step.STRING,
            ",",
            json.dumps(keys.arguments),
            ":",
            Step.OBJECT,
        )
        answer = ("{", json.dumps(keys.answer), ":", '"')
        if not (head := best_head(self._held, (call, answer))):
            self._state = "prose"
            return self.feed(self._taken(0))
        if not head.whole:
            return []
        if not head.strings:
            self._state = "answer"
            return self.feed(self._taken(head.end))
        self._state, self.calls = "arguments", 1
        return [CallDelta(0, name=head.strings[0]), *self.feed(self._taken(head.end))]

    def _taken(self, start: int) -> str:
        taken, self._held = self._held[start:], ""
        return taken
