"""The battery that a model goes through, and what follows from it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.errors import ModelError
from app.llm.chat import ChatMessage
from app.llm.local.battery import Battery, CallProtocol, CallTrial, Measured, Way
from app.llm.local.battery_rules import best_trial, decided, readable_context, tool_limit
from app.llm.local.conformance import QUICK
from tests.fakes.scripted_chat import Call, End, Fail, Reply, Say, ScriptedChat, Think, Wait

GENERIC, FORCED, NATIVE = CallProtocol.GENERIC, CallProtocol.FORCED, CallProtocol.NATIVE
COUNTED = Say("one, two, three, four", pieces=4)
RIGHT: Sequence[Reply] = [
    [Call("search_papers", {"query": "Hubble tension"})],
    [Call("compare_papers", {"papers": ["2019A", "2021B"]})],
    [Say("Hello.")],
    [Say("M 31 is at RA 10.6847, Dec +41.2690.")],
]
RECALLED = [Say("Tangerine.")]


class Clock:
    """A clock that goes on by a step at each look."""

    def __init__(self, step: float = 0.01) -> None:
        self.step = step
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def speeds(cached: int = 300) -> list[Reply]:
    return [
        [COUNTED, End("stop", prompt_tokens=40, completion_tokens=8)],
        [COUNTED, End("stop", prompt_tokens=400, completion_tokens=9)],
        [Say("five"), End("stop", prompt_tokens=420, completion_tokens=1, cached_tokens=cached)],
    ]


def model(*replies: Reply) -> ScriptedChat:
    return ScriptedChat(replies, context_tokens=8192)


async def test_that_a_good_model_is_measured_in_one_run() -> None:
    shares: list[float] = []
    chat = model(*speeds(cached=405), *RIGHT, RECALLED)
    battery = Battery(
        [Way(NATIVE, "hermes", chat)], 8192, lambda share, _what: shares.append(share), clock=Clock()
    )
    found = await battery.run()
    assert found.trials == [CallTrial(NATIVE, "hermes", 4, 4, 4)]
    assert found.reuse == pytest.approx(405 / 409)
    assert found.tokens_per_char_en == pytest.approx(0.25, abs=0.02)
    assert found.tokens_per_char_zh > 0.7
    assert found.prefill_per_s > found.decode_per_s > 0
    assert found.recall_tokens == found.recall_tried
    assert found.left_out == []
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(QUICK) == 4


async def test_that_the_next_way_is_tried_where_calls_are_not_well_formed() -> None:
    bad: list[Reply] = [[Call("search_papers", '{"query": ')]] * 4
    native, generic = model(*speeds(), *bad, RECALLED), model(*RIGHT)
    ways = [Way(NATIVE, "hermes", native), Way(GENERIC, "generic", generic)]
    found = await Battery(ways, 8192, clock=Clock()).run()
    first, second = found.trials
    assert (first.valid, second.valid, second.right) == (0, 4, 4)
    assert first.problems
    assert best_trial(found.trials) == second


async def test_that_a_way_that_breaks_the_model_is_not_the_end() -> None:
    broken: list[Reply] = [[Fail(ModelError("The template does not take tools."))]] * 4
    native, generic = model(*speeds(), *broken, RECALLED), model(*RIGHT)
    ways = [Way(NATIVE, "hermes", native), Way(GENERIC, "generic", generic)]
    found = await Battery(ways, 8192, clock=Clock()).run()
    assert [trial.valid for trial in found.trials] == [0, 4]
    assert "template" in found.trials[0].problems[0]


async def test_that_a_model_cut_off_in_thought_is_given_more_room_once() -> None:
    first, *others = RIGHT
    chat = model(*speeds(), [Think("Let me see."), End("length")], first, *others, RECALLED)
    found = await Battery([Way(NATIVE, "qwen3", chat)], 8192, clock=Clock()).run()
    assert (found.trials[0].asked, found.trials[0].right) == (4, 4)
    assert max(chat.limits) == 800


async def test_that_a_slow_model_is_not_tested_without_end() -> None:
    chat, other = model(*speeds(), *RIGHT), model()
    ways = [Way(NATIVE, "hermes", chat), Way(FORCED, "forced", other)]
    found = await Battery(ways, 8192, clock=Clock(step=6.0), budget_s=30).run()
    assert found.trials[0].asked == 1
    assert "memory" in found.left_out
    assert any("calls" in left for left in found.left_out)


async def test_that_a_model_that_breaks_down_ends_the_battery_with_its_error() -> None:
    chat = model([Fail(ModelError("It broke."))])
    with pytest.raises(ModelError):
        await Battery([Way(NATIVE, "x", chat)], 8192).run()


async def test_that_a_cancel_ends_the_request_that_runs() -> None:
    wait = Wait(asyncio.Event(), asyncio.Event())
    chat = model([wait])
    task = asyncio.ensure_future(Battery([Way(NATIVE, "x", chat)], 8192).run())
    assert wait.reached is not None
    assert isinstance(wait.reached, asyncio.Event)
    await wait.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (chat.closed_early, chat.open) == (1, 0)


async def test_that_thinking_is_not_asked_for_and_no_request_has_an_unbounded_reply() -> None:
    chat = model(*speeds(), *RIGHT, RECALLED)
    await Battery([Way(NATIVE, "x", chat)], 8192, clock=Clock()).run()
    assert max(chat.limits) <= 200
    assert all(isinstance(message, ChatMessage) for asked in chat.asked for message in asked)


def trial(valid: int, right: int, protocol: CallProtocol = NATIVE) -> CallTrial:
    return CallTrial(protocol, str(protocol), 4, valid, right)


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([trial(4, 2), trial(4, 3, GENERIC)], GENERIC),
        ([trial(4, 3), trial(4, 3, GENERIC)], NATIVE),
        ([trial(3, 3), trial(4, 2, FORCED)], FORCED),
        ([trial(2, 2), trial(1, 1, GENERIC)], None),
        ([], None),
    ],
)
def test_that_well_formed_calls_decide_then_right_ones_then_the_order(
    trials: list[CallTrial], expected: CallProtocol | None
) -> None:
    best = best_trial(trials)
    assert (best.protocol if best else None) == expected


@pytest.mark.parametrize(
    ("parameters", "right", "speed", "limit"),
    [
        (135_000_000, 3, 500.0, 6),
        (1_700_000_000, 4, 500.0, 10),
        (1_700_000_000, 1, 500.0, 6),
        (8_000_000_000, 4, 500.0, None),
        (8_000_000_000, 4, 40.0, 5),
        (8_000_000_000, 4, 0.0, None),
        (1_700_000_000, 4, 1.0, 4),
    ],
)
def test_that_small_wrong_and_slow_models_are_shown_few_tools(
    parameters: int, right: int, speed: float, limit: int | None
) -> None:
    assert tool_limit(trial(4, right), parameters, speed) == limit


def test_that_a_model_without_well_formed_calls_is_shown_no_tools() -> None:
    rules = decided(Measured(trials=[trial(1, 1)]), parameters=8_000_000_000, context_tokens=8192)
    assert (rules.protocol, rules.tool_limit, rules.family) == (CallProtocol.NONE, 0, "")


@pytest.mark.parametrize(
    ("speed", "fits", "context"),
    [(500.0, 8192, 8192), (40.0, 8192, 4096), (1.0, 8192, 2048), (1.0, 1024, 1024)],
)
def test_that_the_context_is_what_can_be_read_in_a_bearable_time(
    speed: float, fits: int, context: int
) -> None:
    assert readable_context(speed, fits) == context


def test_that_speeds_take_nothing_away_when_the_computer_was_busy() -> None:
    slow = Measured(prefill_per_s=5.0, decode_per_s=1.0, trials=[trial(4, 4)])
    idle = decided(slow, parameters=8_000_000_000, context_tokens=8192)
    busy = decided(slow, parameters=8_000_000_000, context_tokens=8192, busy=True)
    assert (idle.context_tokens, idle.tool_limit) == (2048, 4)
    assert (busy.context_tokens, busy.tool_limit, busy.busy) == (8192, None, True)
    assert busy.first_token_s >= idle.first_token_s >= 60
    assert busy.between_tokens_s == 40.0
