"""The protocol for any model: every reply is one JSON object, a call or an answer, held by a grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatMessage
from app.llm.local.calls.families.syntax import Grammar, Offer, Syntax, TemplateMessage
from app.llm.local.calls.families.told import alternating, signatures
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled
from app.llm.local.calls.parser import ObjectReader, ParsedItem, Reader, StringReader
from app.llm.local.calls.shape import Text


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
        calls = []
        for place, name in enumerate(offer.callable, 1):
            arguments = build.shape(offer.shapes[name], f"args-{place}")
            head = f"{spelled(name)}, {spelled(self.keys.arguments)}: "
            calls.append(f"{literal(head)} {arguments}")
        call = build.rule(
            "call", f'{literal("{" + spelled(self.keys.tool) + ": ")} ({" | ".join(calls)}) "}}"'
        )
        if offer.forced:
            return Grammar(build.text(call))
        # Its own rule: the limit on strings is for arguments, not for answers.
        char = build.shape(Text(1), "answer") if offer.longest is None else None
        text = char or build.rule("answer-text", f'"\\"" {build.shared("char")}+ "\\""')
        answer = build.rule("answer", f'{literal("{" + spelled(self.keys.answer) + ": ")} {text} "}}"')
        return Grammar(build.text(f"{call} | {answer}"))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of one object; a reply that is none is prose."""
        return GenericReader(self.keys)

    def instructions(self, offer: Offer) -> str:
        """Return the rules of the protocol and a line for each tool."""
        call = f'{{"{self.keys.tool}": "name of the tool", "{self.keys.arguments}": {{…}}}}'
        answer = f'{{"{self.keys.answer}": "your answer"}}'
        return (
            f"You can use these tools:\n{signatures(offer.tools)}\n\n"
            f"Reply with one JSON object and nothing else. To use a tool:\n{call}\n"
            f"When you know the answer, or no tool helps:\n{answer}"
        )

    def messages(
        self, history: Sequence[ChatMessage], offer: Offer, safe: Callable[[str], str]
    ) -> list[TemplateMessage]:
        """Return the history in the words of the protocol."""
        return alternating(history, safe(self.instructions(offer)), safe, self.written)

    def variables(self, offer: Offer) -> dict[str, object]:
        """Nothing: the tools stand in the system message."""
        return {}

    def written(self, message: ChatMessage) -> str:
        """Return a reply as the grammar spells it, so that what was read of it can be used again."""
        if message.calls:
            return "\n".join(self._call(call) for call in message.calls)
        return f'{{"{self.keys.answer}": {json.dumps(message.content, ensure_ascii=False)}}}'

    def _call(self, call: CallPart) -> str:
        return (
            f'{{"{self.keys.tool}": {spelled(call.name)}, "{self.keys.arguments}": {call.arguments or "{}"}}}'
        )


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
        tool, arguments, answer = (
            re.escape(json.dumps(word)) for word in (self.keys.tool, self.keys.arguments, self.keys.answer)
        )
        name = r'"((?:[^"\\]|\\.)*)"'
        if found := re.match(rf"\s*\{{\s*{tool}\s*:\s*{name}\s*,\s*{arguments}\s*:\s*(?=\{{)", self._held):
            self._state, self.calls = "arguments", 1
            behind, self._held = self._held[found.end() :], ""
            return [CallDelta(0, name=_unquoted(found[1])), *self.feed(behind)]
        if found := re.match(rf'\s*\{{\s*{answer}\s*:\s*"', self._held):
            self._state = "answer"
            behind, self._held = self._held[found.end() :], ""
            return self.feed(behind)
        if self._may_become_a_reply():
            return []
        self._state = "prose"
        held, self._held = self._held, ""
        return [ChatDelta(held)]

    def _may_become_a_reply(self) -> bool:
        """Whether what is held is the beginning of an object with one of the keys."""
        squeezed = re.sub(r"^\s+", "", self._held)
        if not squeezed:
            return True
        begun = re.match(r'\{\s*("(?:[^"\\]|\\.)*"?)?', squeezed)
        if not begun:
            return False
        key = begun[1] or ""
        words = [json.dumps(word) for word in (self.keys.tool, self.keys.answer)]
        if not any(word.startswith(key) for word in words):
            return False
        if key == words[0]:
            rest = squeezed[begun.end() :]
            return re.match(_REST_OF_HEAD.format(arguments=self.keys.arguments), rest) is not None
        return key != words[1] or re.fullmatch(r"\s*:?\s*", squeezed[begun.end() :]) is not None


# What may stand between the key of a call and its arguments, cut anywhere.
_REST_OF_HEAD = r'\s*(?::\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*(?:,\s*(?:"\w*(?:"\s*(?::\s*)?)?)?)?)?)?)?$'


def _unquoted(inner: str) -> str:
    try:
        return str(json.loads(f'"{inner}"', strict=False))
    except ValueError:
        return inner
