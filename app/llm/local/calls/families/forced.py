"""For models that get lost in the generic object: the tool's name alone, then its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.llm.chat import CallDelta, ChatDelta, ChatMessage
from app.llm.local.calls.families.syntax import Grammar, Offer, Syntax, one_of_the_calls
from app.llm.local.calls.families.told import signatures
from app.llm.local.calls.grammar import GrammarBuilder, literal
from app.llm.local.calls.parser import ObjectReader, ParsedItem, Reader

ANSWER = "answer"


class Forced(Syntax):
    """A first line `answer` or the name of a tool, then plain text or one object of arguments.

    The first line is a choice between a few words, and prose stays prose: the least that a model can be
    asked for. One call a reply.
    """

    name = "forced"
    native = False

    def matches(self, template: str) -> bool:
        """Only where it is asked for."""
        return False

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of whole replies."""
        build = GrammarBuilder(longest=offer.longest)
        one = one_of_the_calls(build, offer, lambda name: f"{name}\n")
        answer = "" if offer.forced else f" | {literal(ANSWER)} [\\n] [^\\x00]+"
        return Grammar(build.text(one + answer))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of the first line and what it announces."""
        return LinesReader(frozenset(offer.callable))

    def instructions(self, offer: Offer) -> str:
        """Return the rules of the protocol and a line for each tool."""
        return (
            f"You can use these tools:\n{signatures(offer.tools)}\n\n"
            "Begin every reply with one word on a line of its own: the name of a tool, or"
            f' "{ANSWER}". Below the name of a tool write its arguments as a JSON object;'
            f' below "{ANSWER}" write your answer.'
        )

    def written(self, message: ChatMessage) -> str:
        """Return the line and what it announces."""
        calls = [f"{call.name}\n{call.arguments or '{}'}" for call in message.calls]
        return (
            "\n".join((*filter(None, (message.content,)), *calls))
            if calls
            else f"{ANSWER}\n{message.content}"
        )


@dataclass(slots=True)
class LinesReader:
    """Reads `name` and an object, or `answer` and text; anything else is prose."""

    names: frozenset[str]
    calls: int = 0
    _state: Literal["line", "arguments", "tail", "prose"] = "line"
    _held: str = ""
    _object: ObjectReader = field(default_factory=ObjectReader)

    @property
    def busy(self) -> bool:
        """Whether a call is being read."""
        return self._state in ("arguments", "tail")

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        match self._state:
            case "line":
                self._held += text
                return self._line()
            case "arguments":
                inside, _ = self._object.feed(text)
                self._state = "tail" if self._object.closed else "arguments"
                return [CallDelta(0, arguments=inside)] if inside else []
            case "tail":
                return []
            case "prose":
                return [ChatDelta(text)] if text else []

    def finish(self) -> list[ParsedItem]:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ""
        return [ChatDelta(held)] if held and held.strip() != ANSWER and self._state == "line" else []

    def _line(self) -> list[ParsedItem]:
        line, broken, behind = self._held.lstrip().partition("\n")
        word = line.strip()
        if not broken and any(name.startswith(word) for name in (*self.names, ANSWER)):
            return []
        held, self._held = self._held, ""
        if broken and word in self.names:
            self._state, self.calls = "arguments", 1
            return [CallDelta(0, name=word), *(self.feed(behind) if behind else [])]
        self._state = "prose"
        return self.feed(behind if broken and word == ANSWER else held)
