"""Which models work: settings, passports, and what they decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.application import Application
from app.llm import weights
from app.llm.local.battery import CallProtocol, CallTrial, Measured
from app.llm.local.battery_rules import decided
from app.llm.local.gguf import read_gguf
from app.services import models
from app.services.passport import Passport, key_of, passport_of
from app.services.secrets import Secrets
from app.settings import Settings
from tests.fakes.scripted_chat import ScriptedChat


def passport(valid: int = 4, speed: float = 20.0) -> Passport:
    """A passport of the default model."""
    path = weights.chat_gguf()
    assert path is not None
    found = Measured(
        prefill_per_s=speed,
        decode_per_s=2.0,
        trials=[CallTrial(CallProtocol.FORCED, "forced", 4, valid, valid)],
    )
    rules = decided(found, parameters=135_000_000, context_tokens=8192)
    return passport_of(read_gguf(path), key_of(path), found, rules, seconds=1.0, loaded=8192)


def test_that_a_local_model_is_spoken_to_as_its_passport_says() -> None:
    settings = Settings.model_validate({"llm": {"tools": "always"}})
    model, notices = models.chat_model(settings, Secrets(settings), passport=passport())
    assert model is not None
    assert notices == []
    assert (model.info.context_tokens, model.info.tools) == (2048, True)
    chosen = Settings.model_validate({"llm": {"context_tokens": 4096}})
    model, _ = models.chat_model(chosen, Secrets(chosen), passport=passport())
    assert model is not None
    assert model.info.context_tokens == 4096


@pytest.mark.parametrize(
    ("provider", "tiny", "known", "limit"),
    [
        ("test", False, None, None),
        ("local", True, None, 6),
        ("local", False, None, 10),
        ("local", True, passport(speed=500.0), 6),
        ("local", True, passport(valid=0), 0),
    ],
)
def test_that_only_local_models_are_shown_fewer_tools(
    provider: str, tiny: bool, known: Passport | None, limit: int | None
) -> None:
    assert models.tool_limit(ScriptedChat(provider=provider, tiny=tiny), known) == limit
    assert models.tool_limit(None, known) is None


async def test_that_an_application_goes_by_a_passport_as_soon_as_it_is_made(home: Path) -> None:
    async with Application.open(home) as application:
        before = application.chat
        assert before is not None
        assert before.info.context_tokens == 8192
        assert application.agent.services.tool_limit() == 6
        application.passports._keep(passport())
        await application._passport_made(passport())
        after = application.chat
        assert after is not None
        assert after is not before
        assert after.info.context_tokens == 2048
        assert application.agent.services.tool_limit() == 4
    async with Application.open(home) as application:
        assert application.chat is not None
        assert application.chat.info.context_tokens == 2048


async def test_that_a_passport_of_another_model_changes_nothing(home: Path, tmp_path: Path) -> None:
    async with Application.open(home) as application:
        before = application.chat
        await application._passport_made(passport())
        assert application.chat is before
