"""The conformance set with the smallest model: what it calls makes little sense, but is always valid."""

from __future__ import annotations

import pytest

from app.llm.local.client import LocalChatModel
from app.llm.local.conformance import heard, judge
from app.llm.local.conformance_cases import CASES
from app.workers.host import Worker

# The most a forced call may need: the strings of tiny models are bounded, several of them are not short.
MOST_TOKENS = 400


@pytest.mark.slow
@pytest.mark.parametrize("family", ["", "forced"], ids=["as-it-comes", "forced"])
async def test_that_every_call_of_the_conformance_set_is_valid(family: str) -> None:
    worker = Worker("llm")
    model = LocalChatModel(worker, None, 4096, tools="always", family=family)
    verdicts = []
    for case in CASES:
        stream = model.stream(case.messages, max_tokens=MOST_TOKENS, temperature=0.0, tools=case.tools)
        verdicts.append(judge(case, heard([item async for item in stream])))
    await model.close()
    assert [verdict for verdict in verdicts if not verdict.valid] == []
    assert worker.restarts == 0
