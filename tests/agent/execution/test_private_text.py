"""Private text reaches a model on another computer only once the person agreed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.agent.asking import NobodyAsker, PermissionReply
from app.agent.execution.private_text import check_history
from app.agent.loop.history import History
from app.agent.services import AgentServices
from app.agent.tools.tool import ToolOutput
from app.events import PermissionAnswer, PermissionRequest, ToolCall, ToolResult
from app.library import Library
from app.services.consent import Consent, ConsentNeededError
from app.settings import Settings
from tests.fakes.calls import Bench, PersonAsker, TestTool

DRAFT = "the unpublished result is 42"
FAR = {"provider": "openai", "base_url": "https://api.example.org/v1", "model": "m"}


async def draft(_args: object, _ctx: object) -> ToolOutput:
    return ToolOutput(DRAFT, untrusted=True, private=True)


@dataclass
class Desk:
    """A bench with a tool that reads a draft, and one that reads what everybody may."""

    bench: Bench
    consent: Consent

    async def read(self, *names: str) -> list[ToolResult]:
        return await self.bench.reply(*((name, {}) for name in names))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        yield opened


def desk(library: Library, home: Path, asker: Any, llm: dict[str, Any] | None = None) -> Desk:
    tools = [TestTool("read_draft", draft, safe=True), TestTool("look", safe=True)]
    bench = Bench(home, *tools, asker=asker)
    consent = Consent(library.state, lambda: Settings.model_validate({"llm": FAR if llm is None else llm}))
    services = cast(AgentServices, SimpleNamespace(consent=consent))
    bench.conversation = replace(bench.conversation, services=services)
    return Desk(bench, consent)


async def test_that_private_text_waits_for_the_person_and_is_kept_agreed(
    library: Library, tmp_path: Path
) -> None:
    asker = PersonAsker([PermissionReply("once")])
    made = desk(library, tmp_path, asker)
    for _ in range(2):
        (result,) = await made.read("read_draft")
        assert result.output == DRAFT
        assert result.metadata["private"] is True
    assert len(asker.asked) == 1, "asked once for a library"
    assert "api.example.org" in asker.asked[0].message
    assert made.consent.agreed()
    rows = made.bench.rows.of(ToolCall, PermissionRequest, PermissionAnswer, ToolResult)[:4]
    assert [type(row) for row in rows] == [ToolCall, PermissionRequest, PermissionAnswer, ToolResult]


async def test_that_two_calls_at_once_ask_once(library: Library, tmp_path: Path) -> None:
    asker = PersonAsker([PermissionReply("session")])
    results = await desk(library, tmp_path, asker).read("read_draft", "read_draft", "look")
    assert [DRAFT in result.output for result in results] == [True, True, False]
    assert len(asker.asked) == 1


async def test_that_nothing_of_it_is_kept_where_the_person_says_no(library: Library, tmp_path: Path) -> None:
    asker = PersonAsker([PermissionReply("deny")])
    made = desk(library, tmp_path, asker)
    for _ in range(2):
        (result,) = await made.read("read_draft")
        assert result.is_error
        assert DRAFT not in str(made.bench.rows.events)
    assert len(asker.asked) == 1, "not asked again in this conversation"
    assert not made.consent.agreed()
    assert made.bench.paired()


async def test_that_without_a_person_it_is_withheld(library: Library, tmp_path: Path) -> None:
    made = desk(library, tmp_path, NobodyAsker())
    (result,) = await made.read("read_draft")
    assert (result.is_error, "42" in result.output) == (True, False)


async def test_that_an_option_counts_for_this_time_alone(library: Library, tmp_path: Path) -> None:
    made = desk(library, tmp_path, NobodyAsker(yes=True))
    (result,) = await made.read("read_draft")
    assert result.output == DRAFT
    assert not made.consent.agreed()


@pytest.mark.parametrize("llm", [{}, {"provider": "openai", "base_url": "http://127.0.0.1:1/v1"}])
async def test_that_nobody_is_asked_while_the_model_is_on_this_computer(
    library: Library, tmp_path: Path, llm: dict
) -> None:
    asker = PersonAsker()
    (result,) = await desk(library, tmp_path, asker, llm).read("read_draft")
    assert result.output == DRAFT
    assert asker.asked == []


async def test_that_a_stop_while_the_person_is_asked_withholds_it(library: Library, tmp_path: Path) -> None:
    """Bug 16: the question is withdrawn, the call has its one result."""
    asker = PersonAsker()
    made = desk(library, tmp_path, asker)
    work = asyncio.create_task(made.read("read_draft"))
    async with asyncio.timeout(20):
        while not asker.asked:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert made.bench.paired()
    assert DRAFT not in str(made.bench.rows.events)
    assert [row.answer for row in made.bench.rows.of(PermissionAnswer)] == ["cancelled"]


async def test_that_a_conversation_begun_at_home_is_not_sent_away_unasked(
    library: Library, tmp_path: Path
) -> None:
    """Changing to another model in the middle: what was read before counts, compacted or not."""
    home = desk(library, tmp_path, PersonAsker(), {})
    await home.read("read_draft")
    history = History.of((n, event.as_json()) for n, event in enumerate(home.bench.rows.events, start=1))
    assert history.private
    no = desk(library, tmp_path, PersonAsker([PermissionReply("deny")])).bench.conversation
    with pytest.raises(ConsentNeededError) as caught:
        await check_history(no, private=history.private)
    assert caught.value.hint
    yes = desk(library, tmp_path, PersonAsker([PermissionReply("always")])).bench.conversation
    await check_history(yes, private=history.private)
    await check_history(no, private=False)
    assert Consent(library.state, Settings.defaults).agreed()
