"""A conversation that has come to rest is looked through once for what is worth remembering."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.agent.tools.memory import SaveMemory
from app.llm.chat import ChatMessage
from tests.agent.loop.stage import Stage, StrictChat, until
from tests.fakes.scripted_chat import Call, Reply, Say

LONG = "I always want distances in kpc and the Planck 2018 cosmology. " * 5


def reply(messages: Sequence[ChatMessage]) -> Reply:
    if "memory of a research assistant" not in messages[0].content:
        return [Say("Noted.")]
    if messages[-1].role == "tool":
        return [Say("One was saved.")]
    return [Call("save_memory", {"content": "The person wants distances in kpc.", "kind": "preference"})]


async def test_that_an_idle_conversation_is_remembered_and_recalled_in_the_next(home: Path) -> None:
    model = StrictChat([reply] * 20)
    async with Stage(home, model, [SaveMemory()], remember_after_s=0.01) as stage:
        await stage.ask(LONG)
        session = stage.session
        await until(lambda: bool(stage.library.memories.list()))
        await stage.ask("How far is it in kpc? Give distances.")
        assert stage.session != session
        assert any("distances in kpc" in m.content for m in model.asked[-1] if m.role == "user")
        kept = [row["type"] for row in stage.rows(session)]
        assert kept[-1] == "turn_finished"  # nothing of it shows in the conversation


async def test_that_the_next_turn_comes_before_remembering(home: Path) -> None:
    model = StrictChat([reply] * 20)
    async with Stage(home, model, [SaveMemory()], remember_after_s=60) as stage:
        await stage.ask(LONG)
        await stage.ask("And now?", stage.session)
        assert not stage.library.memories.list()
        assert len(model.asked) == 2
