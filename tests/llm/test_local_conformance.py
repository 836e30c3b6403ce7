from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from app.llm.local.client import LocalChatModel
from app.llm.local.conformance import QUICK, Heard, heard, judge
from app.llm.local.conformance_cases import CASES, Case
from app.workers.host import Worker

MAX_TOKENS = 400


@contextlib.asynccontextmanager
async def default_model(family: str = "") -> AsyncIterator[LocalChatModel]:
    model = LocalChatModel(Worker("llm"), None, 2048, tools="always", family=family)
    try:
        yield model
    finally:
        await model.close()


async def reply(model: LocalChatModel, case: Case, forced: str = "") -> Heard:
    stream = model.stream(
        case.messages, max_tokens=MAX_TOKENS, temperature=0, tools=case.tools, forced=forced
    )
    async with contextlib.aclosing(stream):
        return heard([item async for item in stream])


@pytest.mark.slow
async def test_that_the_default_model_makes_valid_calls_only() -> None:
    """A model of 135 million parameters, held by a grammar: all of the conformance set."""
    async with default_model() as model:
        verdicts = [judge(case, await reply(model, case)) for case in CASES]
    assert [(verdict.case, verdict.problems) for verdict in verdicts if not verdict.valid] == []
    assert sum(verdict.right for verdict in verdicts) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("family", ["forced", "hermes"])
async def test_that_other_protocols_hold_it_too(family: str) -> None:
    async with default_model(family) as model:
        verdicts = [judge(case, await reply(model, case)) for case in QUICK]
    assert [(verdict.case, verdict.problems) for verdict in verdicts if not verdict.valid] == []


@pytest.mark.slow
@pytest.mark.parametrize("family", ["generic", "hermes", "llama3", "gemma4", "qwen3-coder", "mistral-list"])
async def test_that_a_call_can_be_forced_in_every_syntax(family: str) -> None:
    """A model that answers in prose where a call is due: the last rung of the ladder."""
    case = next(case for case in CASES if case.name == "one call")
    async with default_model(family) as model:
        found = await reply(model, case, forced="search_papers")
    assert [call.name for call in found.calls] == ["search_papers"] * len(found.calls)
    assert found.calls
    assert judge(case, found).valid
