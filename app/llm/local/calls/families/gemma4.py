"""Gemma 4: calls in a notation of their own, `<|tool_call>call:name{key:<|"|>text<|"|>,n:3}<tool_call|>`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from app.llm.chat import CallDelta, ChatMessage
from app.llm.local.calls.families.enclosed import EnclosedReader
from app.llm.local.calls.families.syntax import Grammar, Offer, RawArguments, Syntax, one_of_the_calls
from app.llm.local.calls.families.told import signatures
from app.llm.local.calls.grammar import JSON, GrammarBuilder, Spelling, literal, spelled, spelled_value
from app.llm.local.calls.parser import ParsedItem, Reader
from app.llm.local.calls.shape import Scalar

OPENING, CLOSING, QUOTE = "<|tool_call>", "<tool_call|>", '<|"|>'


def _scalar(value: Scalar) -> str:
    return f"{QUOTE}{value}{QUOTE}" if isinstance(value, str) else spelled(value)


GEMMA = Spelling(
    rules={
        **JSON.rules,
        # A character that could open the closing quote may not be followed by the rest of it.
        "char": r'[^<\x00] | "<" [^|<\x00]',
        "solid": r"[^< \x00-\x1F]",
        "string": f"{literal(QUOTE)} char* {literal(QUOTE)}",
        "name": r'[^:,{}<>"\[\] \x00-\x1F]+ ":"',
        "object": r'"{" (pair ("," pair)*)? "}"',
        "array": r'"[" (value ("," value)*)? "]"',
    },
    needs={**JSON.needs, "name": ()},
    quote=QUOTE,
    scalar=_scalar,
    name=lambda name: f"{name}:",
    comma=",",
)


class Gemma4(Syntax):
    """Its strings stand between tokens that text cannot hold, so nothing in them is escaped."""

    name = "gemma4"
    shown = (OPENING, CLOSING, QUOTE)

    def matches(self, template: str) -> bool:
        """Whether the template writes calls in this notation."""
        return f"{OPENING}call:" in template

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of calls from the first tag on."""
        build = GrammarBuilder(longest=offer.longest, spelling=GEMMA)
        one = one_of_the_calls(build, offer, lambda name: name)
        call = build.rule("call", f"{literal(f'{OPENING}call:')} {one} {literal(CLOSING)}")
        more = f"{call}{{0,{offer.most_calls - 1}}}" if offer.most_calls > 1 else ""
        return Grammar(build.text(f"{call} {more}"), () if offer.forced else (OPENING,))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of prose and calls."""
        return EnclosedReader(OPENING, CLOSING, GemmaCall)

    def instructions(self, offer: Offer) -> str:
        """Return the tools in a line each, and the notation."""
        return (
            f"You can use these tools:\n{signatures(offer.tools)}\n\nTo use one:\n"
            f"{OPENING}call:name{{key:{QUOTE}text{QUOTE},other:1}}{CLOSING}"
        )

    def written(self, message: ChatMessage) -> str:
        """Return the text, and each call in the notation."""
        calls = (
            f"{OPENING}call:{call.name}{_notation(dict(RawArguments(call.arguments)))}{CLOSING}"
            for call in message.calls
        )
        return message.content + "".join(calls)


@dataclass(slots=True)
class GemmaCall:
    """Reads the inside of one call; its arguments are given when they are whole."""

    index: int
    _text: str = ""
    _named: bool = False
    _found: list[ParsedItem] = field(default_factory=list)

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return the name once it is known."""
        self._text += text
        head = re.match(r"\s*call:([^{\s]+)\s*(?=\{)", self._text)
        if self._named or not head:
            return []
        self._named = True
        self._text = self._text[head.end() :]
        return [CallDelta(self.index, name=head[1])]

    def finish(self, *, closed: bool) -> list[ParsedItem]:
        """Return the arguments; a call that was cut keeps what was written, which is no JSON."""
        text = self._text.strip()
        if not closed:
            return [CallDelta(self.index, arguments=text)] if text else []
        try:
            value, end = _value(text, 0)
            whole = end == len(text) and self._named
        except (ValueError, IndexError, RecursionError):
            whole, value = False, None
        return [CallDelta(self.index, arguments=spelled_value(value) if whole else text)]


def _value(text: str, at: int) -> tuple[object, int]:
    """Return the value that begins here, and where it ends. Raises ValueError, IndexError."""
    if text.startswith(QUOTE, at):
        end = text.index(QUOTE, at + len(QUOTE))
        return text[at + len(QUOTE) : end], end + len(QUOTE)
    if text[at] == "{":
        return _object(text, at + 1)
    if text[at] == "[":
        return _array(text, at + 1)
    found = re.compile(r"[^,\]}\s]+").match(text, at)
    if not found:
        raise ValueError(text[at : at + 20])
    return json.loads(found[0]), found.end()


def _object(text: str, at: int) -> tuple[object, int]:
    found: dict[str, object] = {}
    while True:
        at = _skip(text, at)
        if text[at] == "}":
            return found, at + 1
        key = re.compile(r'(?:<\|"\|>(.*?)<\|"\|>|([^:,{}\[\]\s]+))\s*:\s*', re.DOTALL).match(text, at)
        if not key:
            raise ValueError(text[at : at + 20])
        found[key[1] if key[1] is not None else key[2]], at = _value(text, key.end())


def _array(text: str, at: int) -> tuple[object, int]:
    found: list[object] = []
    while True:
        at = _skip(text, at)
        if text[at] == "]":
            return found, at + 1
        value, at = _value(text, at)
        found.append(value)


def _skip(text: str, at: int) -> int:
    while text[at] in ", \n\t":
        at += 1
    return at


def _notation(value: object) -> str:
    match value:
        case dict():
            pairs = (f"{key}:{_notation(inner)}" for key, inner in sorted(value.items()))
            return "{" + ",".join(pairs) + "}"
        case list():
            return "[" + ",".join(_notation(inner) for inner in value) + "]"
        case str():
            return f"{QUOTE}{value}{QUOTE}"
        case _:
            return spelled_value(value)
