from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.chat import CallPart, ChatMessage, ToolSpec
from app.llm.local.client import LocalChatModel
from app.llm.tokens import TokenEstimator, count_messages, weight_of, weight_of_messages
from app.workers.host import Worker
from tests.harness.strategies import histories

ENGLISH = (
    "We present new measurements of the Hubble constant from time-delay cosmography of seven lensed quasars. "
    "Our analysis combines adaptive optics imaging with a hierarchical treatment of the lens mass profiles."
)
CHINESE = (
    "我们利用七个引力透镜类星体的时间延迟，对哈勃常数进行了新的测量。分析结合了望远镜的自适应光学成像与透镜质量分布的分层建模，"
    "这一结果与早期宇宙的探测仍然存在显著的差异，可能暗示着标准宇宙学模型之外的新物理。"
)
ABSTRACT = (
    "星系的恒星形成历史记录了暗物质晕中气体的吸积与反馈过程。通过拟合光谱能量分布，我们得到了十万个星系的恒星质量和金属丰度，"
    "并发现低质量星系的演化比大质量星系更为缓慢。"
)
TOOL = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


async def test_that_a_chinese_abstract_is_estimated_after_one_report_of_a_real_tokenizer() -> None:
    """Bug 20: the default model's tokenizer takes 1.8 tokens a character; the error stays below 15 %."""
    worker = Worker("llm")
    try:
        model = LocalChatModel(worker, None, 512)
        reported = await model.count_tokens(CHINESE)
        english = await model.count_tokens(ENGLISH)
        wanted = await model.count_tokens(ABSTRACT)
    finally:
        await worker.close()
    estimator = TokenEstimator()
    assert estimator.text(ENGLISH) == pytest.approx(english, rel=0.2)
    estimator.observe([ChatMessage("user", CHINESE)], (), reported + 4)
    assert estimator.text(ABSTRACT) == pytest.approx(wanted, rel=0.15)
    assert estimator.text(ENGLISH) == pytest.approx(english, rel=0.2)


@pytest.mark.parametrize("per_character", [0.6, 0.96, 1.8, 8.0, 0.2])
def test_that_calibration_follows_any_tokenizer(per_character: float) -> None:
    """Bug 20: no bounds; a clamp could never recover."""
    estimator = TokenEstimator()
    history = [ChatMessage("user", CHINESE)]
    for _ in range(4):
        estimator.observe(history, (), round(sum(len(m.content) for m in history) * per_character))
        history = [*history, ChatMessage("user", CHINESE)]
    assert estimator.text(ABSTRACT * 4) == pytest.approx(4 * len(ABSTRACT) * per_character, rel=0.15)


def test_that_wide_and_latin_text_are_learned_apart() -> None:
    """Bug 20: an English head must not set the price of a Chinese tail."""
    estimator = TokenEstimator()
    history: list[ChatMessage] = []
    tokens = 0
    for text, price in ((ENGLISH, 0.24), (CHINESE, 1.7), (ENGLISH, 0.24), (CHINESE, 1.7)):
        history = [*history, ChatMessage("user", text)]
        tokens += round(len(text) * price) + 4
        estimator.observe(history, (), tokens)
    assert estimator.text(ABSTRACT) == pytest.approx(1.7 * len(ABSTRACT), rel=0.15)
    assert estimator.text(ENGLISH) == pytest.approx(0.24 * len(ENGLISH), rel=0.15)


def test_that_an_estimate_is_anchored_on_the_last_report() -> None:
    """Bug 20: what was reported is taken as it is, only what was added is estimated."""
    estimator = TokenEstimator()
    history = [ChatMessage("system", ENGLISH * 20), ChatMessage("user", "Why?")]
    estimator.observe(history, [TOOL], 5_000)
    assert estimator.prompt(history, [TOOL]) == 5_000
    added = estimator.prompt([*history, ChatMessage("assistant", "Because.")], [TOOL]) - 5_000
    assert 4 <= added <= 20 + 4 * 5


def test_that_the_anchor_holds_for_its_own_beginning_only() -> None:
    estimator = TokenEstimator()
    history = [ChatMessage("system", ENGLISH), ChatMessage("user", "Why?")]
    estimator.observe(history, (), 100_000)
    assert estimator.prompt([ChatMessage("system", "Other."), history[1]], ()) != 100_000
    assert estimator.prompt(history, [TOOL]) != 100_000


def test_that_a_provider_that_reports_nothing_changes_nothing() -> None:
    estimator = TokenEstimator()
    before = estimator.text(CHINESE)
    estimator.observe([ChatMessage("user", CHINESE)], (), 0)
    assert estimator.text(CHINESE) == before == len(CHINESE)


def test_that_calls_thinking_and_tools_are_counted() -> None:
    bare = count_messages([ChatMessage("assistant", "Yes.")])
    calls = (CallPart("a", "read_file", '{"path": "a"}'),)
    full = [ChatMessage("assistant", "Yes.", thinking="Hm, " * 20, calls=calls)]
    assert count_messages(full) > bare + 10
    assert count_messages(full, [TOOL]) > count_messages(full) + 10
    assert count_messages(full, count=len) == 8 + 4 + 80 + 9 + 13


@given(histories(), st.integers(1, 10**6))
def test_that_any_history_gives_a_positive_number_after_any_report(history: list, reported: int) -> None:
    estimator = TokenEstimator()
    estimator.observe(history[:2], (), reported)
    assert estimator.prompt(history) >= estimator.prompt(history[:2]) > 0
    assert estimator.text(history[1].content) > 0


@given(st.text())
def test_that_every_character_has_its_weight(text: str) -> None:
    weight = weight_of(text)
    assert 0.2 * len(text) - 1e-6 <= weight.latin + weight.wide + 1e-6 <= 2.0 * len(text) + 2e-6
    assert weight_of_messages([ChatMessage("user", text)]).wide == weight.wide


def test_that_lone_surrogates_are_counted_as_one_sign() -> None:
    assert weight_of("\ud835").latin == weight_of("?").latin
