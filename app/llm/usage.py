"""What a conversation has taken: tokens by model, and what they cost where prices are set. Pure.

Folded from the journal, so that it is right after a restart: a `Message` names the model of its step,
`TurnFinished` counts the tokens of the turn; turns of sub-agents come inside `Nested`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.settings import Price

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens read, of them those from the service's cache, and written."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.prompt + other.prompt, self.completion + other.completion, self.cached + other.cached
        )

    @property
    def total(self) -> int:
        """Read and written."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Cost:
    """Money in one currency ("USD")."""

    amount: float
    currency: str


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model: by its name, else by the longest name with `*` at its end that fits."""
    if model in prices:
        return prices[model]
    fitting = [name for name in prices if name.endswith("*") and model.startswith(name[:-1])]
    return prices[max(fitting, key=len)] if fitting else None


def cost_of(tokens: Tokens, price: Price) -> Cost:
    """Return what the tokens cost. What a service takes for keeping a prompt in its cache is not in it."""
    cached = min(tokens.cached, tokens.prompt)
    cached_price = price.input if price.cached is None else price.cached
    amount = (
        (tokens.prompt - cached) * price.input + cached * cached_price + tokens.completion * price.output
    ) / _MILLION
    return Cost(amount, price.currency)


@dataclass(slots=True)
class Meter:
    """What was taken so far, by model; `feed` it journal rows, or fold them all with `of`."""

    by_model: dict[str, Tokens] = field(default_factory=dict)
    turns: int = 0
    _model: str = ""

    @classmethod
    def of(cls, events: Iterable[Mapping[str, Any]]) -> Meter:
        """Fold events as the journal has them (`Event.as_json()`), oldest first."""
        meter = cls()
        for event in events:
            meter.feed(event)
        return meter

    def feed(self, event: Mapping[str, Any]) -> None:
        """Take one more row; most are nothing to it."""
        match event.get("type"):
            case "message":
                self._model = str(event.get("model") or self._model)
            case "answer":
                self._model = str((event.get("answer") or {}).get("model") or self._model)
            case "turn_finished":
                self.turns += 1
                self.add(self._model, tokens_in(event.get("usage") or {}))
            case "nested":
                inner = Meter(self.by_model, _model=self._model)  # its model does not become ours
                inner.feed(_innermost(event))

    def add(self, model: str, tokens: Tokens) -> None:
        """Add tokens of a model."""
        if tokens.total:
            self.by_model[model] = self.by_model.get(model, Tokens()) + tokens

    @property
    def tokens(self) -> Tokens:
        """All tokens together."""
        return sum(self.by_model.values(), Tokens())

    def costs(self, prices: Mapping[str, Price]) -> list[Cost]:
        """Return what it cost, one sum for each currency; models without a price cost nothing."""
        sums: dict[str, float] = {}
        for model, tokens in self.by_model.items():
            if price := price_of(model, prices):
                cost = cost_of(tokens, price)
                sums[cost.currency] = sums.get(cost.currency, 0.0) + cost.amount
        return [Cost(amount, currency) for currency, amount in sorted(sums.items())]


def tokens_in(usage: Mapping[str, Any]) -> Tokens:
    """Return the tokens of a `TurnFinished.usage`; what is missing or no number is 0."""

    def number(key: str) -> int:
        value = usage.get(key)
        return int(value) if isinstance(value, int | float) and value > 0 else 0

    return Tokens(number("prompt_tokens"), number("completion_tokens"), number("cached_tokens"))


def _innermost(event: Mapping[str, Any]) -> Mapping[str, Any]:
    while event.get("type") == "nested":
        event = event.get("event") or {}
    return event
