"""Reads GBNF, the grammars of llama.cpp, so that none reaches it unchecked. Pure.

llama.cpp ends the process over a grammar that does not parse, and over text that a grammar does not
accept (bug 39). `parsed` refuses what it would refuse; a `Matcher` says beforehand what is accepted.
Syntax: rules `name ::= …`, literals, classes, groups, `|`, `* + ? {m,n}`; no token references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn, TypeAlias

from app.errors import ModelError

MAX_REPEATED = 2000
"""llama.cpp's own limit on the rules that one repetition makes: those of the group, so many times."""
MAX_RULES = 20_000


class GrammarError(ModelError):
    """A grammar that llama.cpp would not take."""

    code = "bad_grammar"
    hint = "The reply is not held to the tools' schemas; its calls are checked before they run."


@dataclass(frozen=True, slots=True)
class Characters:
    """One character out of these ranges of code points, or (`negated`) one out of none of them."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False

    def accepts(self, character: str) -> bool:
        """Whether this character may stand here."""
        code = ord(character)
        return any(first <= code <= last for first, last in self.ranges) != self.negated


@dataclass(frozen=True, slots=True)
class Rule:
    """A reference to a rule."""

    name: str


Element: TypeAlias = Characters | Rule
Sequence: TypeAlias = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Gbnf:
    """A grammar: the alternatives of each rule. The whole text is `root`."""

    rules: Mapping[str, tuple[Sequence, ...]]


@lru_cache(maxsize=16)
def parsed(text: str) -> Gbnf:
    """Return the grammar; raises GrammarError when llama.cpp would not take it or would never end.

    Remembered: a conversation asks with the same grammar again and again, and a large one takes 0.1 s.
    """
    reader = _Reader(text)
    grammar = Gbnf(reader.read())
    _check(grammar)
    return grammar


_Stack: TypeAlias = "tuple[Sequence, int, _Stack] | None"
"""What is still to come: a place in a sequence and what follows behind it; None is the end."""


@dataclass(slots=True)
class Matcher:
    """Follows a text through a grammar, character by character."""

    grammar: Gbnf
    _stacks: frozenset[_Stack] = field(init=False)

    def __post_init__(self) -> None:
        self._stacks = self._ready(((Rule("root"),), 0, None))

    @property
    def alive(self) -> bool:
        """Whether something can still follow, or the text is whole."""
        return bool(self._stacks)

    @property
    def complete(self) -> bool:
        """Whether the text may end here."""
        return None in self._stacks

    def feed(self, text: str) -> bool:
        """Take text; return whether the grammar accepts all of it so far. After False it is of no use."""
        for character in text:
            found: set[_Stack] = set()
            for stack in self._stacks:
                if stack is None:
                    continue
                sequence, at, behind = stack
                element = sequence[at]
                if isinstance(element, Characters) and element.accepts(character):
                    found |= self._ready((sequence, at + 1, behind))
            self._stacks = frozenset(found)
            if not found:
                return False
        return True

    def next_characters(self) -> Iterator[Characters]:
        """Yield what may stand next."""
        for stack in self._stacks:
            if stack is not None:
                element = stack[0][stack[1]]
                if isinstance(element, Characters):  # always: `_ready` leaves no rule on top
                    yield element

    def _ready(self, stack: _Stack) -> frozenset[_Stack]:
        """Return the stacks with a character (or the end) on top that this one stands for."""
        found: set[_Stack] = set()
        seen: set[_Stack] = set()
        waiting = [stack]
        while waiting:
            stack = waiting.pop()
            if stack in seen:
                continue
            seen.add(stack)
            if stack is None:
                found.add(None)
                continue
            sequence, at, behind = stack
            if at == len(sequence):
                waiting.append(behind)
            elif isinstance(element := sequence[at], Rule):
                rest = (sequence, at + 1, behind) if at + 1 < len(sequence) else behind
                waiting += [(option, 0, rest) for option in self.grammar.rules[element.name]]
            else:
                found.add(stack)
        return frozenset(found)


def _check(grammar: Gbnf) -> None:
    if "root" not in grammar.rules:
        raise GrammarError("The grammar has no root.")
    for name, options in grammar.rules.items():
        for option in options:
            for element in option:
                if isinstance(element, Rule) and element.name not in grammar.rules:
                    raise GrammarError(f"The grammar's rule {name} needs {element.name}, which is not there.")
    empty = _empty_rules(grammar)
    firsts = {name: set(_firsts(options, empty)) for name, options in grammar.rules.items()}
    _refuse_left_recursion(firsts)


def _empty_rules(grammar: Gbnf) -> set[str]:
    """Return the rules that may stand for nothing."""
    empty: set[str] = set()
    while True:
        more = {
            name
            for name, options in grammar.rules.items()
            if name not in empty
            and any(
                all(isinstance(each, Rule) and each.name in empty for each in option) for option in options
            )
        }
        if not more:
            return empty
        empty |= more


def _firsts(options: tuple[Sequence, ...], empty: set[str]) -> Iterator[str]:
    """Yield the rules that may stand first in these alternatives."""
    for option in options:
        for element in option:
            if not isinstance(element, Rule):
                break
            yield element.name
            if element.name not in empty:
                break


def _refuse_left_recursion(firsts: Mapping[str, set[str]]) -> None:
    done: set[str] = set()
    for start in firsts:
        path: list[tuple[str, Iterator[str]]] = [(start, iter(firsts[start]))]
        on_path = {start}
        while path and start not in done:
            name, others = path[-1]
            following = next(others, None)
            if following is None:
                path.pop()
                on_path.discard(name)
                done.add(name)
            elif following in on_path:
                raise GrammarError(f"The grammar's rule {following} begins with itself.")
            elif following not in done:
                path.append((following, iter(firsts[following])))
                on_path.add(following)


_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_NAME = re.compile(r"[A-Za-z0-9-]+")
_BEGIN = re.compile(r"([A-Za-z0-9-]+)[ \t]*::=")
_TIMES = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}")
_HEX = {"x": 2, "u": 4, "U": 8}
_ESCAPES = {"t": "\t", "r": "\r", "n": "\n", "\\": "\\", '"': '"', "[": "[", "]": "]", "-": "-"}


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    rules: dict[str, tuple[Sequence, ...]] = field(default_factory=dict)

    def read(self) -> dict[str, tuple[Sequence, ...]]:
        self._skip(lines=True)
        while self.at < len(self.text):
            begin = _BEGIN.match(self.text, self.at)
            if not begin:
                self._refuse("a rule")
            self.at = begin.end()
            self._skip(lines=True)
            self.rules[begin[1]] = self._alternatives(begin[1], nested=False)
            if self.at < len(self.text) and self.text[self.at] not in "\r\n":
                self._refuse("the end of the rule")
            self._skip(lines=True)
        return self.rules

    def _alternatives(self, name: str, *, nested: bool) -> tuple[Sequence, ...]:
        found = [self._sequence(name, nested=nested)]
        while self.text.startswith("|", self.at):
            self.at += 1
            self._skip(lines=True)
            found.append(self._sequence(name, nested=nested))
        return tuple(found)

    def _sequence(self, name: str, *, nested: bool) -> Sequence:
        found: list[Element] = []
        last: list[Element] = []
        size = 1  # how many rules what was read last is made of
        while self.at < len(self.text):
            before = len(self.rules)
            match self.text[self.at]:
                case '"':
                    last = self._literal()
                case "[":
                    last = [self._class()]
                case "(":
                    self.at += 1
                    self._skip(lines=True)
                    inner = self._alternatives(name, nested=True)
                    if not self.text.startswith(")", self.at):
                        self._refuse("a closing bracket")
                    self.at += 1
                    last = [self._added(name, inner)]
                case ".":
                    self.at += 1
                    last = [Characters((), negated=True)]
                case "*" | "+" | "?" | "{":
                    least, most = self._times()
                    if not last:
                        self._refuse("something to repeat")
                    if (made := size * max(most or least, 1)) > MAX_REPEATED:
                        raise GrammarError(f"The grammar's rule {name} repeats too much ({made} rules).")
                    del found[len(found) - len(last) :]
                    found += self._repetition(name, tuple(last), least, most)
                    last = []
                    self._skip(lines=nested)
                    continue
                case _ if word := _NAME.match(self.text, self.at):
                    if not nested and _BEGIN.match(self.text, self.at):
                        break
                    self.at = word.end()
                    last = [Rule(word[0])]
                case _:
                    break
            found += last
            size = max(len(self.rules) - before, 1)
            self._skip(lines=nested)
        return tuple(found)

    def _repetition(self, name: str, what: Sequence, least: int, most: int | None) -> list[Element]:
        found = list(what) * least
        if most is None:
            loop = self._added(name, ())
            self.rules[loop.name] = ((*what, loop), ())
            return [*found, loop]
        later: tuple[Element, ...] = ()
        for _ in range(most - least):
            later = (self._added(name, ((*what, *later), ())),)
        return [*found, *later]

    def _added(self, name: str, options: tuple[Sequence, ...]) -> Rule:
        if len(self.rules) > MAX_RULES:
            raise GrammarError("The grammar has too many rules.")
        # A space cannot stand in a name of the text.
        rule = Rule(f"{name} {len(self.rules)}")
        self.rules[rule.name] = options
        return rule

    def _times(self) -> tuple[int, int | None]:
        character = self.text[self.at]
        if character != "{":
            self.at += 1
            return (1 if character == "+" else 0), (1 if character == "?" else None)
        found = _TIMES.match(self.text, self.at)
        if not found:
            self._refuse("a number of times")
        self.at = found.end()
        least = int(found[1])
        most = least if not found[2] else int(found[3]) if found[3] else None
        if least > MAX_REPEATED or (most is not None and not least <= most <= MAX_REPEATED):
            raise GrammarError(f"The grammar repeats {found[0]} times.")
        return least, most

    def _literal(self) -> list[Element]:
        self.at += 1
        found: list[Element] = []
        while not self.text.startswith('"', self.at):
            if not (code := ord(self._character())):
                self._refuse("a character before the end of the text")  # llama.cpp ends texts at a zero
            found.append(Characters(((code, code),)))
        self.at += 1
        return found

    def _class(self) -> Characters:
        self.at += 1
        negated = self.text.startswith("^", self.at)
        self.at += negated
        ranges: list[tuple[int, int]] = []
        while not self.text.startswith("]", self.at):
            first = last = ord(self._character())
            if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
                self.at += 1
                last = ord(self._character())
            ranges.append((first, last))
        if not negated and any(first == 0 for first, _ in ranges):
            self._refuse("a class without zero")
        self.at += 1
        return Characters(tuple(ranges), negated)

    def _character(self) -> str:
        if self.at >= len(self.text):
            self._refuse("more")
        character = self.text[self.at]
        self.at += 1
        if character != "\\":
            if "\ud800" <= character <= "\udfff" or character == "\0":
                self._refuse("a character that can be written")
            return character
        kind = self.text[self.at : self.at + 1]
        self.at += 1
        if kind in _ESCAPES:
            return _ESCAPES[kind]
        size = _HEX.get(kind, 0)
        digits = self.text[self.at : self.at + size]
        if not size or not re.fullmatch(rf"[0-9A-Fa-f]{{{size}}}", digits) or int(digits, 16) > 0x10FFFF:
            self._refuse("an escape")
        self.at += size
        return chr(int(digits, 16))

    def _skip(self, *, lines: bool) -> None:
        found = (_SPACE_AND_LINES if lines else _SPACE).match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _refuse(self, wanted: str) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        raise GrammarError(f"The grammar cannot be read: {wanted} is missing in line {line}.")
