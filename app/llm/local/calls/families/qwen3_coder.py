"""Qwen 3 Coder, Qwen 3.5 and others: calls as XML, `<function=name><parameter=key>value</parameter>`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from app.llm.chat import CallDelta, CallPart, ChatMessage
from app.llm.local.calls.families.enclosed import EnclosedReader
from app.llm.local.calls.families.syntax import Grammar, Offer, RawArguments, Syntax
from app.llm.local.calls.families.told import signatures
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled_value
from app.llm.local.calls.parser import ParsedItem, Reader
from app.llm.local.calls.shape import Anything, Either, OneOf, Record, Shape, Text

OPENING, CLOSING = "<tool_call>", "</tool_call>"
_FUNCTION = re.compile(r"\s*<function=([^>\n]+)>\s*")
_PARAMETER = re.compile(r"\s*<parameter=([^>\n]+)>\n?(.*?)\n?</parameter>\s*", re.DOTALL)
_END = re.compile(r"\s*</function>")


class Qwen3Coder(Syntax):
    """Values stand as they are: text bare, everything else as JSON."""

    name = "qwen3-coder"
    shown = (OPENING, CLOSING)

    def matches(self, template: str) -> bool:
        """Whether the template writes calls as XML."""
        return OPENING in template and "<function=" in template and "<parameter=" in template

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of calls from the first tag on."""
        build = GrammarBuilder(longest=offer.longest)
        options = [
            f"{literal(f'<function={name}>')} [\\n] {self._parameters(build, offer.shapes[name], place)}"
            for place, name in enumerate(offer.callable, 1)
        ]
        body = f"({' | '.join(options)}) {literal('</function>')}"
        call = build.rule("call", f"{literal(OPENING)} [\\n] {body} [\\n] {literal(CLOSING)}")
        more = f"([\\n]? {call}){{0,{offer.most_calls - 1}}}" if offer.most_calls > 1 else ""
        return Grammar(build.text(f"{call} {more} [\\n]?"), () if offer.forced else (OPENING,))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of prose and calls."""
        return EnclosedReader(OPENING, CLOSING, partial(XmlCall, shapes=offer.shapes))

    def instructions(self, offer: Offer) -> str:
        """Return the tools in a line each, and the notation."""
        example = "<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>"
        tools = signatures(offer.tools)
        return f"You can use these tools:\n{tools}\n\nTo use one:\n{OPENING}\n{example}\n{CLOSING}"

    def written(self, message: ChatMessage) -> str:
        """Return the text, and each call as XML."""
        calls = [_xml(call) for call in message.calls]
        return "\n".join((*filter(None, (message.content,)), *calls))

    def result(self, name: str, content: str) -> str:
        """Return a result between the tags these models know."""
        return f"<tool_response>\n{content}\n</tool_response>"

    def _parameters(self, build: GrammarBuilder, shape: Shape, place: int) -> str:
        if not isinstance(shape, Record):
            value = self._value(build, Text(), f"args-{place}")
            return f'({literal("<parameter=")} [A-Za-z0-9_-]+ ">" {value})*'
        parts = []
        for number, each in enumerate(shape.fields, 1):
            value = self._value(build, each.shape, f"args-{place}-{number}")
            part = f"{literal(f'<parameter={each.name}>')} {value}"
            parts.append(part if each.required else f"({part})?")
        return " ".join(parts)

    def _value(self, build: GrammarBuilder, shape: Shape, name: str) -> str:
        end = f"[\\n] {literal('</parameter>')} [\\n]"
        bare = build.rule("bare-char", r'[^<\x00] | "<" [^/<\x00]')
        match shape:
            case Text(least, most):
                limit = most if most is not None else build.longest
                upto = "" if limit is None else str(max(limit, least))
                # A rule of its own: repetitions in one sequence count as their product.
                inner = build.rule(f"bare-{least}-{upto or 'more'}", f"{bare}{{{least},{upto}}}")
            case OneOf(values):
                words = (value if isinstance(value, str) else json.dumps(value) for value in values)
                inner = f"({' | '.join(literal(word) for word in words)})"
            case Anything(record=False) | Either():
                inner = f"{bare}+"
            case _:
                inner = build.shape(shape, name)
        return f"[\\n] {inner} {end}"


@dataclass(slots=True)
class XmlCall:
    """Reads the inside of one call; a parameter is given when it is whole."""

    index: int
    shapes: Mapping[str, Record | Anything]
    _held: str = ""
    _name: str = ""
    _given: int = 0
    _ended: bool = False

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        self._held += text
        found: list[ParsedItem] = []
        if not self._name and (head := _FUNCTION.match(self._held)):
            self._name = head[1].strip()
            self._held = self._held[head.end() :]
            found.append(CallDelta(self.index, name=self._name))
        while self._name and not self._ended:
            whole = "</parameter>" in self._held
            if whole and (parameter := _PARAMETER.match(self._held)):
                value = spelled_value(self._value(parameter[1], parameter[2]))
                before = ", " if self._given else "{"
                found.append(CallDelta(self.index, arguments=f"{before}{json.dumps(parameter[1])}: {value}"))
                self._given += 1
                self._held = self._held[parameter.end() :]
            elif end := _END.match(self._held):
                found.append(CallDelta(self.index, arguments="}" if self._given else "{}"))
                self._held, self._ended = self._held[end.end() :], True
            else:
                break
        return found

    def finish(self, *, closed: bool) -> list[ParsedItem]:
        """Return what was written of a call that is not whole: it stays no JSON."""
        return [] if self._ended or not self._held.strip() else [CallDelta(self.index, arguments=self._held)]

    def _value(self, key: str, text: str) -> object:
        """Return the value that a text stands for, by what the tool wants there."""
        shape = self.shapes.get(self._name)
        fields = shape.fields if isinstance(shape, Record) else ()
        wanted = next((each.shape for each in fields if each.name == key), Anything())
        if isinstance(wanted, Text) or (isinstance(wanted, OneOf) and text in wanted.values):
            return text
        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return text


def _xml(call: CallPart) -> str:
    parameters = "".join(
        f"<parameter={key}>\n{value if isinstance(value, str) else spelled_value(value)}\n</parameter>\n"
        for key, value in RawArguments(call.arguments).items()
    )
    return f"{OPENING}\n<function={call.name}>\n{parameters}</function>\n{CLOSING}"
