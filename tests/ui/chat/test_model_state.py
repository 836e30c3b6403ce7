"""What the model does while it says nothing, what a conversation takes, and the question for consent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from app.events import (
    Event,
    Message,
    ModelProgress,
    Nested,
    Outcome,
    PermissionAnswer,
    PermissionRequest,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.llm.chat import ModelInfo
from app.llm.local.reply import LOADING
from app.llm.usage import Cost, Meter, Tokens
from app.settings import Price
from app.ui.chat.items import ModelState
from app.ui.chat.meter import MeterLabel, money, rounded, short, whole
from app.ui.chat.permission_card import PermissionCard
from app.ui.chat.progress_line import ProgressLine, words_of
from app.ui.chat.replay import replay
from app.ui.chat.timeline import Timeline
from tests.ui.chat.conftest import OpenPane
from tests.ui.conftest import until

USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "cached_tokens": 400, "context_tokens": 1100}
CALL = ToolCall("c", "get_notes", {}, 1)
CONSENT = PermissionRequest("r", "c", "get_notes", "Private…", "https://api.example.org/v1", "consent")


@dataclass
class Model:
    """A chat model that only says what it is."""

    info: ModelInfo


# -- the fold -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spoken", [TextDelta("a"), ThinkingDelta("a"), CALL, Message("a", 1), TurnFinished("done")]
)
def test_that_progress_is_shown_until_the_model_speaks(spoken: Event) -> None:
    timeline = Timeline()
    assert timeline.apply(ModelProgress(0.5), 10.0) == []
    assert timeline.progress == ModelState(0.5)
    timeline.apply(ModelProgress(None, "Busy.", 12.0), 10.0)
    assert timeline.progress == ModelState(None, "Busy.", 22.0)
    timeline.apply(spoken, 11.0)
    assert timeline.progress is None


def test_that_a_stopped_turn_reads_no_more() -> None:
    timeline = Timeline()
    timeline.apply(ModelProgress(0.5))
    timeline.finish("stopped")
    assert timeline.progress is None


def test_that_a_conversation_counts_what_it_took_live_and_read_back() -> None:
    inner = Nested("c", TurnFinished("done", {"prompt_tokens": 50, "completion_tokens": 5}).as_json())
    turn = [TurnStarted("t", "q"), inner, Message("a", 1, model="star-1"), TurnFinished("done", dict(USAGE))]
    live, back = Timeline(), replay([event.as_json() for event in (*turn, *turn)])
    for event in (*turn, *turn):
        live.apply(event)
    assert live.meter.tokens == back.meter.tokens == Tokens(2100, 210, 800)
    assert live.usage["context_tokens"] == 1100


def test_that_an_earlier_part_of_a_conversation_counts_too() -> None:
    rows = [event.as_json() for event in (Message("a", 1, model="star-1"), TurnFinished("done", dict(USAGE)))]
    late = replay(rows)
    late.prepend(replay(rows))
    assert late.meter.by_model == {"star-1": Tokens(2000, 200, 800)}


# -- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "left", "said"), [
    (ModelState(0.343), None, ("The model reads", "34 %")),
    (ModelState(1.0), None, ("The model writes", "")),
    (ModelState(0.5, LOADING), None, ("Loading the model", "50 %")),
    (ModelState(1.0, LOADING), None, ("Loading the model", "")),
    (ModelState(None, "Too many. Trying again in 12 s.", 1.0), 7, ("Too many.", "again in 7 s")),
    (ModelState(None, "", 1.0), 0, ("The service asks to wait.", "again in 0 s")),
    (ModelState(None, "Something else."), None, ("Something else.", "")),
])  # fmt: skip
def test_that_what_the_model_does_is_said(
    qapp: QApplication, state: ModelState, left: int | None, said: tuple[str, str]
) -> None:
    assert words_of(state, left) == said


def test_that_the_meter_says_in_short_and_in_whole(qapp: QApplication) -> None:
    meter = Meter({"star-1": Tokens(12_000, 400, 4000)})
    costs = meter.costs({"star-*": Price(input=1.0, output=10.0)})
    assert short(meter, 1800, 10_000, costs) == "18 % of context · $0.02"
    assert short(meter, 0, 0, []) == "12.4k tokens"
    assert short(Meter(), 0, 8192, []) == ""
    assert whole(meter, 1800, 10_000, costs).splitlines() == [
        "Context: 1,800 of 10,000 tokens",
        "star-1: 12,000 tokens read (4,000 of them from the cache), 400 written",
        "Cost of this conversation: $0.02",
    ]
    assert [rounded(n) for n in (850, 99_940, 123_456, 1_234_567)] == ["850", "99.9k", "123k", "1.2M"]
    assert [money(Cost(a, c)) for a, c in ((0.001, "EUR"), (3.5, "CNY"), (2, "CHF"))] == [
        "< €0.01", "¥3.50", "CHF 2.00",
    ]  # fmt: skip


def test_that_a_context_that_is_nearly_full_is_a_warning(qapp: QApplication) -> None:
    label = MeterLabel()
    label.show_meter(Meter({"m": Tokens(10, 1)}), 8000, 8192, {})
    assert label.property("tone") == "warn"
    assert label.text() == "98 % of context"
    label.show_meter(Meter(), 0, 0, {})
    assert label.isHidden()
    label.deleteLater()


# -- the pane -----------------------------------------------------------------------------------


async def test_that_reading_and_waiting_show_above_the_composer(open_pane: OpenPane) -> None:
    read, wait, speak = asyncio.Event(), asyncio.Event(), asyncio.Event()
    script = (
        ModelProgress(0.25),
        read,
        ModelProgress(None, "Slow down.", 90.0),
        wait,
        TextDelta("Far"),
        speak,
    )
    async with open_pane(*script, Message("Far", 1)) as opened:
        line: ProgressLine = opened.pane.progress
        opened.pane.ask("How far?")
        await until(line.isVisible)
        assert line.words() == "The model reads 25 %"
        read.set()
        await until(lambda: line.words().startswith("Slow down. again in"))
        wait.set()
        await until(lambda: not line.isVisible())
        assert opened.pane.running
        speak.set()
        await until(lambda: not opened.pane.running)


async def test_that_what_is_over_in_a_moment_is_not_shown(open_pane: OpenPane) -> None:
    async with open_pane(ModelProgress(0.9), Message("Far", 1)) as opened:
        opened.pane.ask("How far?")
        await until(lambda: not opened.pane.running)
        assert not opened.pane.progress.isVisible()


async def test_that_the_meter_shows_the_conversation_that_is_shown(open_pane: OpenPane) -> None:
    async with open_pane(Message("Far", 1, model="star-1")) as opened:
        pane = opened.pane
        opened.agent.chat = Model(ModelInfo("star-1", "Star", False, 10_000, "local"))  # type: ignore[assignment]
        pane.talk.timeline.apply(TurnFinished("done", dict(USAGE)))
        pane.show_figures()
        assert pane.composer.meter.text() == "11 % of context"
        pane.new_conversation()
        assert pane.composer.meter.text() == ""


@pytest.mark.parametrize(("choice", "line"), [
    ("once", "Agreed for this library"), ("deny", "Denied"),
])  # fmt: skip
async def test_that_consent_is_asked_in_words_of_its_own(open_pane: OpenPane, choice: str, line: str) -> None:
    done = ToolResult("c", "get_notes", "…", False, Outcome.SUCCEEDED, 1)
    async with open_pane(CALL, CONSENT, done, Message("Far.", 2)) as opened:
        pane = opened.pane
        pane.ask("What did I note?")
        await until(lambda: pane.talk.waiting)
        pane.feed.flush()
        (card,) = pane.feed.findChildren(PermissionCard)
        texts = [label.text() for label in card.findChildren(QLabel)]
        assert "Send private text to https://api.example.org/v1?" in texts
        assert any("you can take it back in the settings" in text for text in texts)
        assert [made.text() for made in card.choices.values()] == ["Agree for this library", "Do not send it"]
        card.choices["once" if choice == "once" else "deny"].click()
        await until(lambda: not pane.running)
        pane.feed.flush()
        assert any(label.text().startswith(line) for label in card.findChildren(QLabel))


def test_that_an_agreement_is_read_back(qapp: QApplication) -> None:
    rows = [e.as_json() for e in (TurnStarted("t", "q"), CALL, CONSENT, PermissionAnswer("r", "c", "once"))]
    timeline = replay(rows)
    assert timeline.waiting() == ()
