from __future__ import annotations

import pytest

from app.events import AnswerReady, Message, Nested, TurnFinished
from app.llm.usage import Cost, Meter, Tokens, cost_of, price_of
from app.settings import Price

PRICES = {
    "gpt-5": Price(input=2, cached=0.5, output=8),
    "gpt-*": Price(input=1, output=1),
    "gpt-5-*": Price(input=3, output=3, currency="EUR"),
}


def used(prompt: int, completion: int, cached: int = 0) -> dict:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached}
    return TurnFinished("done", usage).as_json()


def said(model: str) -> dict:
    return Message("x", 1, model=model).as_json()


def test_that_a_conversation_is_counted_by_the_models_it_had() -> None:
    rows = [said("gpt-5"), used(100, 10, 40), said("smollm2"), used(50, 5), used(1, 1)]
    meter = Meter.of(rows)
    assert meter.by_model == {"gpt-5": Tokens(100, 10, 40), "smollm2": Tokens(51, 6)}
    assert (meter.tokens, meter.turns) == (Tokens(151, 16, 40), 3)
    (cost,) = meter.costs(PRICES)
    assert cost.amount == pytest.approx((60 * 2 + 40 * 0.5 + 10 * 8) / 1e6)


def test_that_feeding_row_by_row_and_folding_all_are_the_same() -> None:
    rows = [said("a"), used(1, 2), {"type": "notice"}, {}, said("b"), used(3, 4)]
    meter = Meter()
    for row in rows:
        meter.feed(row)
    assert meter == Meter.of(rows)


def test_that_sub_agents_are_counted_and_do_not_become_the_model() -> None:
    inner = Nested("call", Nested("call", used(7, 1)).as_json()).as_json()
    meter = Meter.of([said("main"), inner, Nested("call", said("other")).as_json(), used(10, 2)])
    assert meter.by_model == {"main": Tokens(17, 3)}
    assert meter.turns == 1


def test_that_the_direct_path_names_its_model_in_the_answer() -> None:
    answer = AnswerReady({"text": "x", "model": "SmolLM2"}).as_json()
    assert Meter.of([answer, used(5, 5)]).by_model == {"SmolLM2": Tokens(5, 5)}


@pytest.mark.parametrize("usage", [{}, None, {"prompt_tokens": None}, {"prompt_tokens": "9"}, {"seconds": 2}])
def test_that_a_turn_without_counts_adds_nothing(usage: object) -> None:
    assert Meter.of([said("m"), {"type": "turn_finished", "usage": usage}]).by_model == {}


@pytest.mark.parametrize(("model", "price"), [
    ("gpt-5", "gpt-5"), ("gpt-5-mini", "gpt-5-*"), ("gpt-4o", "gpt-*"), ("claude", None),
])  # fmt: skip
def test_that_the_nearest_price_counts(model: str, price: str | None) -> None:
    assert price_of(model, PRICES) == (PRICES[price] if price else None)


def test_that_more_cached_than_read_costs_no_less_than_nothing() -> None:
    assert cost_of(Tokens(10, 0, 99), Price(input=1_000_000, output=0)).amount == 10


def test_that_currencies_are_not_added_up() -> None:
    meter = Meter({"gpt-5": Tokens(1_000_000), "gpt-5-mini": Tokens(1_000_000), "free": Tokens(5)})
    assert meter.costs(PRICES) == [Cost(3.0, "EUR"), Cost(2.0, "USD")]
