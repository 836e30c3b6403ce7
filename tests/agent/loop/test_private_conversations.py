"""A conversation with private text in it, when the model is changed for one on another computer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.agent.asking import NobodyAsker, PermissionReply
from app.agent.tools import ToolContext, ToolOutput
from app.events import Notice, PermissionRequest
from app.services.consent import Consent
from app.settings import Settings
from tests.agent.loop.stage import Stage, StrictChat, look, reason_of
from tests.fakes.calls import PersonAsker
from tests.fakes.scripted_chat import Call, Say

FAR = {"llm": {"provider": "openai", "base_url": "https://api.example.org/v1", "model": "m"}}
DRAFT = "the unpublished period is 42 days"


async def read_draft(_args: Any, _ctx: ToolContext) -> ToolOutput:
    return ToolOutput(DRAFT, private=True)


async def test_that_a_conversation_begun_at_home_goes_on_elsewhere_only_with_consent(home: Path) -> None:
    """Said by the journal, so also after a restart and a compaction."""
    settings = Settings.defaults()
    model = StrictChat([[Call("read_draft", {})], [Say("42 days.")], [Say("Still 42.")]])
    async with Stage(home, model, [look("read_draft", does=read_draft)]) as stage:
        consent = stage.services.consent = Consent(stage.library.state, lambda: settings)
        assert reason_of(await stage.ask()) == "done"
        session = stage.session
        assert len(model.asked) == 2

        settings = Settings.model_validate(FAR)
        events = await stage.ask("And now?", session, asker=NobodyAsker())
        assert reason_of(events) == "failed"
        assert len(model.asked) == 2, "nothing of it was sent"
        told = [event.message for event in events if isinstance(event, Notice)]
        assert "api.example.org" in told[-1]
        assert "local model" in told[-1], "with the way out"

        settings = Settings.model_validate(FAR)
        consent = stage.services.consent = Consent(stage.library.state, lambda: settings)
        person = PersonAsker([PermissionReply("once")])
        events = await stage.ask("And now?", session, asker=person)
        assert reason_of(events) == "done"
        assert [event.tool for event in events if isinstance(event, PermissionRequest)] == ["language model"]
        assert consent.agreed()
        assert DRAFT in str(model.asked[-1])


async def test_that_a_conversation_without_private_text_is_not_asked_about(home: Path) -> None:
    model = StrictChat([[Call("look", {})], [Say("Done.")]])
    async with Stage(home, model, [look("look")]) as stage:
        stage.services.consent = Consent(stage.library.state, lambda: Settings.model_validate(FAR))
        events = await stage.ask()
        assert reason_of(events) == "done"
        assert not any(isinstance(event, PermissionRequest) for event in events)
