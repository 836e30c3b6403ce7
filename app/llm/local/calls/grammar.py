"""From shapes to GBNF, the grammars of llama.cpp. Pure.

JSON is held to one spelling, that of `json.dumps(value, ensure_ascii=False)`: what is written to the
history again has the same characters, and a model cannot lose itself in white space.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.llm.local.calls.integers import integers
from app.llm.local.calls.shape import (
    Anything,
    Dictionary,
    Either,
    Items,
    Number,
    OneOf,
    Record,
    Scalar,
    Shape,
    Text,
    Whole,
)

_RULES = {
    "char": r'[^"\\\x7F\x00-\x1F] | "\\" ["\\bfnrt]',
    "solid": r'[^"\\\x7F\x00-\x20] | "\\" ["\\]',
    "string": r'"\"" char* "\""',
    "whole": r'"-"? ("0" | [1-9] [0-9]{0,14})',
    "count": r'"0" | [1-9] [0-9]{0,14}',
    "number": r'whole ("." [0-9]{1,15})? ("e" [-+]? [0-9]{1,2})?',
    "size": r'count ("." [0-9]{1,15})? ("e" [-+]? [0-9]{1,2})?',
    "object": r'"{" (pair (", " pair)*)? "}"',
    "name": r'string ": "',
    "pair": r"name value",
    "array": r'"[" (value (", " value)*)? "]"',
    "value": r'object | array | string | number | "true" | "false" | "null"',
}
_NEEDS = {
    "string": ("char",),
    "number": ("whole",),
    "size": ("count",),
    "object": ("pair",),
    "pair": ("name", "value"),
    "name": ("string",),
    "array": ("value",),
    "value": ("object", "array", "string", "number"),
}


MOST_OF_TINY = 8
"""The most items of a list without a limit of its own, where strings are limited too."""


def literal(text: str) -> str:
    """Return the text as a terminal of a grammar."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def spelled(value: Scalar) -> str:
    """Return the one spelling of a value."""
    return json.dumps(value, ensure_ascii=False)


def spelled_value(value: object) -> str:
    """Return the one spelling of any JSON value."""
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a syntax writes values where it does not write JSON: its rules, and how scalars and names look."""

    rules: Mapping[str, str]
    needs: Mapping[str, tuple[str, ...]]
    quote: str
    scalar: Callable[[Scalar], str]
    name: Callable[[str], str]
    comma: str


JSON = Spelling(_RULES, _NEEDS, quote='"', scalar=spelled, name=lambda name: f"{spelled(name)}: ", comma=", ")


@dataclass(slots=True)
class GrammarBuilder:
    """Collects the rules of one grammar; `text(root)` writes them down."""

    longest: int | None = None
    """The most characters of a string without a limit of its own; None for as long as it likes."""
    spelling: Spelling = JSON
    _rules: dict[str, str] = field(default_factory=dict)

    def rule(self, name: str, body: str) -> str:
        """Add a rule under a name like this one; return the name. The same rule twice is one."""
        free, number = name, 2
        while self._rules.get(free, body) != body:
            free, number = f"{name}-{number}", number + 1
        self._rules[free] = body
        return free

    def shared(self, name: str) -> str:
        """Return the name of a rule that every grammar can use: string, char, value, object, …"""
        if name not in self._rules:
            self._rules[name] = self.spelling.rules[name]
            if name == "string" and self.longest is not None:
                self._rules[name] = self._quoted(f"char{{0,{self.longest}}}")
            for other in self.spelling.needs.get(name, ()):
                self.shared(other)
        return name

    def text(self, root: str) -> str:
        """Return the grammar, whose whole text is `root`."""
        rules = {"root": root, **self._rules}
        return "\n".join(f"{name} ::= {body}" for name, body in rules.items()) + "\n"

    def shape(self, shape: Shape, name: str = "value") -> str:
        """Return an expression (one name or one terminal) for a value of the shape."""
        match shape:
            case Text(0, None):
                return self.shared("string")
            case Text(least, most):
                return self._text(least, most if most is not None else self.longest)
            case Number(signed):
                return self.shared("number" if signed else "size")
            case Whole(None, None):
                return self.shared("whole")
            case Whole(low, high):
                return self.rule(f"{name}-whole", integers(low, high))
            case OneOf(values):
                return self.rule(
                    f"{name}-one", " | ".join(literal(self.spelling.scalar(value)) for value in values)
                )
            case Items():
                return self._items(shape, name)
            case Record(fields):
                return self._record(shape, name) if fields else literal("{}")
            case Dictionary(value):
                inner = self.shape(value, f"{name}-of")
                pair = self.rule(f"{name}-pair", f"{self.shared('name')} {inner}")
                return self.rule(f"{name}-map", f'"{{" ({pair} ({self._comma} {pair})*)? "}}"')
            case Either(options):
                parts = [self.shape(option, f"{name}-{place}") for place, option in enumerate(options, 1)]
                return self.rule(f"{name}-or", " | ".join(parts))
            case Anything(record):
                return self.shared("object" if record else "value")

    def _text(self, least: int, most: int | None) -> str:
        """A text that must not be empty is not meant to be blank either: it begins with something to see."""
        upto = "" if most is None else str(max(most, least))
        char = self.shared("char")
        inner = f"{char}{{{least},{upto}}}"
        if least == 1:
            more = "" if most is None else str(max(most, least) - 1)
            inner = f"{self.shared('solid')} {char}{{0,{more}}}"
        return self.rule(f"text-{least}-{upto or 'more'}", self._quoted(inner))

    @property
    def _comma(self) -> str:
        return literal(self.spelling.comma)

    def _quoted(self, inner: str) -> str:
        quote = literal(self.spelling.quote)
        return f"{quote} {inner} {quote}"

    def _items(self, shape: Items, name: str) -> str:
        if shape.most == 0:
            return literal("[]")
        item = self.shape(shape.item, f"{name}-item")
        more = max(shape.least - 1, 0)
        most = (
            shape.most if shape.most is not None or self.longest is None else max(MOST_OF_TINY, shape.least)
        )
        upto = "" if most is None else str(most - 1)
        some = f"{item} ({self._comma} {item}){{{more},{upto}}}"
        return self.rule(f"{name}-list", f'"[" {some} "]"' if shape.least else f'"[" ({some})? "]"')

    def _record(self, shape: Record, name: str) -> str:
        """Fields keep their order. One rule a place: what may follow after a field was written, or none."""
        pairs = []
        for place, each in enumerate(shape.fields):
            value = self.shape(each.shape, f"{name}-{_identifier(each.name, place)}")
            pairs.append(f"{literal(self.spelling.name(each.name))} {value}")
        later = ""  # what may follow behind the last field: nothing
        first: list[str] = []
        for place in range(len(pairs) - 1, -1, -1):
            required = shape.fields[place].required
            head = f"{pairs[place]} {later}".strip()
            first = [head] if required else [head, *first]
            following = f"{self._comma} {head}"
            follow = following if required else f"{following} | {later}" if later else f"({following})?"
            later = self.rule(f"{name}-rest-{place + 1}", follow) if place else ""
        inner = " | ".join(first)
        may_be_empty = not any(each.required for each in shape.fields)
        return self.rule(f"{name}-object", f'"{{" ({inner}){"?" if may_be_empty else ""} "}}"')


def _identifier(name: str, place: int) -> str:
    """Return what of a field's name a rule may be called; names that hold nothing such get a number."""
    kept = "".join(character if character.isascii() and character.isalnum() else "-" for character in name)
    return kept.strip("-")[:24].strip("-") or f"field-{place + 1}"


def _escaped(character: str) -> str:
    match character:
        case "\\" | '"':
            return "\\" + character
        case "\n":
            return "\\n"
        case "\r":
            return "\\r"
        case "\t":
            return "\\t"
    code = ord(character)
    if code < 32 or code == 127:
        return f"\\x{code:02X}"
    return character
