"""Writes texts that a grammar accepts, as a model held to it would: at random, but always to the end."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from app.llm.local.calls.gbnf import Characters, Element, Gbnf, Rule

_ALPHABET = "abcXYZ019 ,.:;-_/\\\"'{}[]()<>|\n\té星系—😀\u2028\x7f"


class SentenceWriter:
    """One grammar; `write` gives a text, which gets shorter as soon as it has `budget` characters."""

    def __init__(self, grammar: Gbnf) -> None:
        self._rules = grammar.rules
        self._shortest = dict.fromkeys(self._rules, math.inf)
        changed = True
        while changed:
            changed = False
            for name, options in self._rules.items():
                least = min(map(self._length, options))
                changed = changed or least < self._shortest[name]
                self._shortest[name] = min(least, self._shortest[name])

    def write(self, chance: random.Random, budget: int = 80) -> str:
        written: list[str] = []
        waiting: list[Element] = [Rule("root")]
        while waiting:
            element = waiting.pop()
            if isinstance(element, Characters):
                written.append(_one(element, chance))
                continue
            options = self._rules[element.name]
            free = len(written) < budget
            chosen: Sequence[Element] = chance.choice(options) if free else min(options, key=self._length)
            waiting += reversed(chosen)
        return "".join(written)

    def _length(self, option: Sequence[Element]) -> float:
        return sum(1 if isinstance(each, Characters) else self._shortest[each.name] for each in option)


def _one(characters: Characters, chance: random.Random) -> str:
    if characters.negated:
        return chance.choice([each for each in _ALPHABET if characters.accepts(each)])
    first, last = chance.choice(characters.ranges)
    return chr(chance.randint(first, min(last, 0x10FFFF)))
