"""Reads the text of a GBNF grammar into rules, and refuses what llama.cpp would not take. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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


_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_NAME = re.compile(r"[A-Za-z0-9-]+")
_BEGIN = re.compile(r"([A-Za-z0-9-]+)[ \t]*::=")
_TIMES = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}")
_HEX = {"x": 2, "u": 4, "U": 8}
_ESCAPES = {"t": "\t", "r": "\r", "n": "\n", "\\": "\\", '"': '"', "[": "[", "]": "]", "-": "-"}


@dataclass(slots=True)
class GrammarReader:
    """Reads one grammar; repetitions and groups become rules of their own, as they do in llama.cpp."""

    text: str
    at: int = 0
    rules: dict[str, tuple[Sequence, ...]] = field(default_factory=dict)

    def read(self) -> dict[str, tuple[Sequence, ...]]:
        """Return the alternatives of each rule; raises GrammarError."""
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
