"""Reads GBNF, the grammars of llama.cpp, so that none reaches it unchecked. Pure.

llama.cpp ends the process over a grammar that does not parse, and over text that a grammar does not
accept (bug 39). `parsed` refuses what it would refuse; a `Matcher` says beforehand what is accepted.
Syntax: rules `name ::= …`, literals, classes, groups, `|`, `* + ? {m,n}`; no token references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from app.llm.local.calls.gbnf_reader import Characters, Element, GrammarError, GrammarReader, Rule, Sequence

__all__ = ["Characters", "Element", "Gbnf", "GrammarError", "Matcher", "Rule", "parsed"]


@dataclass(frozen=True, slots=True)
class Gbnf:
    """A grammar: the alternatives of each rule. The whole text is `root`."""

    rules: Mapping[str, tuple[Sequence, ...]]


@lru_cache(maxsize=16)
def parsed(text: str) -> Gbnf:
    """Return the grammar; raises GrammarError when llama.cpp would not take it or would never end.

    Remembered: a conversation asks with the same grammar again and again, and a large one takes 0.1 s.
    """
    reader = GrammarReader(text)
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
