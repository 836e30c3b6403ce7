"""Which remote model works by the settings, what it may be asked offline, and the check of a service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.errors import SettingsError
from app.llm.chat import ChatMessage
from app.llm.remote.failures import ModelKeyError, ModelMissingError
from app.llm.remote.listing import OfferedModel
from app.services import models
from app.services.model_services import ModelServices, OfflineError, kinds
from app.services.secrets import Secrets
from app.settings import Settings
from tests.fakes.anthropic_server import FakeAnthropic
from tests.fakes.openai_server import FakeOpenAI, Http

FAR = "https://api.example.org/v1"
NEXT_DOOR = "http://192.168.1.7:8000/v1"


def settings(*, offline: bool = False, **llm: Any) -> Settings:
    return Settings.model_validate(
        {"offline": offline, "llm": {"provider": "openai", "model": "m", "api_key": "sk-secret-key", **llm}}
    )


def services(chosen: Settings) -> ModelServices:
    return ModelServices(lambda: chosen, Secrets(chosen))


@pytest.mark.parametrize(("llm", "asked"), [
    ({"base_url": "http://127.0.0.1:1/v1"}, True), ({"base_url": "http://localhost:1/v1"}, True),
    ({"service": "ollama"}, True), ({"base_url": NEXT_DOOR}, False), ({"base_url": FAR}, False),
    ({"base_url": "http://box.local/v1"}, False), ({"base_url": "http://box.localhost/v1"}, False),
    ({"base_url": ""}, False), ({"provider": "anthropic"}, False),
    ({"provider": "anthropic", "base_url": "http://127.0.0.1:1"}, True),
])  # fmt: skip
async def test_that_offline_this_computer_alone_is_asked(llm: dict, asked: bool) -> None:
    """A private network is another computer."""
    chosen = settings(offline=True, **llm)
    chat, notices = models.chat_model(chosen, Secrets(chosen))
    assert chat is not None
    assert (chat.info.provider != "local") is asked
    assert any("offline" in notice.message for notice in notices) is not asked
    await chat.close()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_that_each_provider_has_its_model(provider: str) -> None:
    chosen = settings(provider=provider, base_url=FAR, context_tokens=4096)
    chat, notices = models.chat_model(chosen, Secrets(chosen))
    assert chat is not None
    assert (chat.info.provider, chat.info.name, chat.info.context_tokens) == (provider, "m", 4096)
    assert notices == []
    await chat.close()


async def test_that_an_unknown_service_is_said_and_told_by_the_address() -> None:
    chosen = settings(service="watson", base_url=FAR)
    chat, notices = models.chat_model(chosen, Secrets(chosen))
    assert chat is not None
    assert "watson" in notices[0].message
    await chat.close()


def test_that_no_time_out_is_a_nought_in_the_settings() -> None:
    chosen = settings(first_token_timeout_s=0, total_timeout_s=0, connect_timeout_s=3)
    limits = models.timeouts(chosen)
    assert (limits.connect, limits.first_token, limits.total) == (3, None, None)


def test_that_prices_are_read_from_the_file(tmp_path: Path) -> None:
    table = '[llm.prices."gpt-*"]\ninput = 2.5\noutput = 10\n'
    (tmp_path / "settings.toml").write_text(table)
    assert Settings.load(tmp_path).llm.prices["gpt-*"].output == 10
    (tmp_path / "settings.toml").write_text(table.replace("2.5", "-1"))
    with pytest.raises(SettingsError, match="prices"):
        Settings.load(tmp_path)


# -- the check of a service -----------------------------------------------------------------------


async def test_that_the_models_of_a_service_are_listed_with_what_they_read() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "b", "max_model_len": 4096}, {"id": "A", "meta": {"n_ctx_train": 8192}}, {"id": ""}, {"x": 1},
        {"id": "c", "context_length": "many"},
    ]  # fmt: skip
    with FakeOpenAI(models=rows, wants_key="sk-secret-key") as server:
        found = await services(settings(base_url=server.url)).models()
    assert found == (OfferedModel("A", "A", 8192), OfferedModel("b", "b", 4096), OfferedModel("c", "c", 0))


async def test_that_anthropic_lists_its_models_too() -> None:
    rows = [{"id": "claude-x", "display_name": "Claude X", "max_input_tokens": 200_000}]
    with FakeAnthropic(models=rows, wants_key="sk-secret-key") as server:
        found = await services(settings(provider="anthropic", base_url=f"{server.url}/v1")).models()
    assert found == (OfferedModel("claude-x", "Claude X", 200_000),)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_that_a_wrong_key_is_found_out(provider: str) -> None:
    fake = FakeAnthropic if provider == "anthropic" else FakeOpenAI
    with fake(wants_key="another") as server:
        checker = services(settings(provider=provider, base_url=server.url))
        checked = await checker.check()
        assert (checked.ok, checked.code) == (False, ModelKeyError.code)
        assert checked.hint
        assert "sk-secret-key" not in checked.message
        assert (await checker.check(key="another-key")).ok


@pytest.mark.parametrize(("name", "known"), [("fake", True), ("other", False), ("", None)])
async def test_that_it_is_said_whether_the_service_has_the_model(name: str, known: bool | None) -> None:
    with FakeOpenAI() as server:
        checked = await services(settings(base_url=server.url, model=name)).check()
    assert (checked.ok, checked.model_known) == (True, known)
    assert bool(checked.hint) is (known is False)


async def test_that_a_service_without_a_list_is_asked_for_a_word() -> None:
    with FakeOpenAI(models=Http(404, "no such path")) as server:
        checked = await services(settings(base_url=server.url)).check()
        assert checked.ok
        assert len(server.requests) == 1
        nameless = await services(settings(base_url=server.url, model="")).check()
    assert (nameless.ok, nameless.code) == (False, ModelMissingError.code)


@pytest.mark.parametrize("answer", [
    Http(200, body="<html>Welcome</html>"), Http(200, body="[]"), Http(200, body='{"data": 3}'),
    Http(200, body="\x00"), Http(200, body="[" * 200_000),
    Http(500, "boom"), Http(429, headers={"retry-after": "9"}),
    Http(302, headers={"location": "http://127.0.0.1:9/"}),
])  # fmt: skip
async def test_that_an_answer_that_is_no_list_is_a_typed_error(answer: Http) -> None:
    with FakeOpenAI([Http(404, "no"), Http(404, "no")], models=answer) as server:
        checked = await services(settings(base_url=server.url)).check()
    assert not checked.ok
    assert checked.hint
    assert checked.code.startswith("model_")


async def test_that_offline_no_service_is_checked() -> None:
    chosen = settings(offline=True, base_url=NEXT_DOOR)
    with pytest.raises(OfflineError):
        await services(chosen).models()
    checked = await services(chosen).check()
    assert (checked.ok, checked.code) == (False, "offline")
    assert checked.hint


def test_that_every_kind_of_service_says_what_it_needs() -> None:
    found = {kind.label: kind for kind in kinds()}
    assert len(found) == 10
    assert found["Anthropic"].provider == "anthropic"
    assert not found["Ollama"].needs_key
    assert all(kind.base_url for kind in kinds() if kind.service != "other")


async def test_that_a_model_of_the_settings_answers() -> None:
    with FakeAnthropic() as server:
        chosen = settings(provider="anthropic", base_url=server.url)
        chat, _ = models.chat_model(chosen, Secrets(chosen))
        assert chat is not None
        items = [item async for item in chat.stream([ChatMessage("user", "hi")], max_tokens=9)]
        await chat.close()
    assert len(items) == 2
