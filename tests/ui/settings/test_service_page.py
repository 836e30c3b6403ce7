"""The service page against a server on this computer: key, models, use, back again; and the agreement."""

from __future__ import annotations

from pathlib import Path

from app.services.secrets import Secrets
from app.ui.main_window import MainWindow
from app.ui.settings.service_page import ServicePage
from tests.fakes.openai_server import FakeOpenAI, Http
from tests.ui.conftest import OpenWindow, until

MODELS = ({"id": "star-1"}, {"id": "star-2", "context_length": 64000})


def page_of(window: MainWindow) -> ServicePage:
    window.desk.open("service")
    assert window.desk.dialog is not None
    assert window.desk.dialog.page() == "service"
    return window.desk.dialog.service


def choose(page: ServicePage, service: str, address: str, key: str = "") -> None:
    page.service.setCurrentIndex(page.service.findData(service))
    page.service.activated.emit(page.service.currentIndex())
    page.address.setText(address)
    page.key.setText(key)


async def checked(page: ServicePage) -> str:
    page.check_button.click()
    await until(lambda: not page.check_button.isEnabled())
    await until(page.check_button.isEnabled)
    return page.result.text()


async def test_that_a_service_is_checked_chosen_and_left_again(open_window: OpenWindow, home: Path) -> None:
    with FakeOpenAI(models=MODELS, wants_key="sk-right") as server:
        async with open_window() as window:
            page = page_of(window)
            assert page.state.text() == "In use: a model on this computer. Nothing is sent."
            choose(page, "vllm", server.url, "sk-right")
            assert await checked(page) == "The key works; 2 models."
            assert [page.model.itemData(n) for n in range(page.model.count())] == ["star-1", "star-2"]
            page.use_button.click()
            assert page.result.text().startswith("Choose a model first")
            page.model.setText("star-2")
            page.use_button.click()
            await until(lambda: window.application.settings.llm.provider == "openai")
            await until(lambda: page.state.text() == "In use: star-2")
            chat = window.application.chat
            assert chat is not None
            assert chat.info.name == "star-2"
            assert "star-2" in window.top.model.text()
            written = (home / "settings.toml").read_text("utf-8")
            assert "sk-right" not in written
            assert page.key.text() == ""
            key = window.application.secrets.get("api_key")
            assert key is not None
            assert key.get_secret_value() == "sk-right"
            menu = window.desk.menu()
            (now,) = [action.text() for action in menu.actions() if action.isChecked()]
            assert now.startswith("star-2")
            menu.deleteLater()
            page.local.click()
            await until(lambda: window.application.settings.llm.provider == "local")
            await until(lambda: not page.local.isVisibleTo(page))


async def test_that_a_wrong_key_says_so_and_nothing_is_changed(open_window: OpenWindow) -> None:
    with FakeOpenAI(models=MODELS, wants_key="sk-right") as server:
        async with open_window() as window:
            page = page_of(window)
            choose(page, "openai", server.url, "sk-wrong")
            said = await checked(page)
            assert page.result.property("tone") == "bad"
            assert said
            assert "sk-wrong" not in said
            assert window.application.settings.llm.provider == "local"
            assert window.application.secrets.get("api_key") is None


async def test_that_a_model_that_is_not_listed_is_told(open_window: OpenWindow) -> None:
    with FakeOpenAI(models=MODELS) as server:
        async with open_window() as window:
            page = page_of(window)
            choose(page, "llama_server", server.url)
            page.model.setText("star-9")
            said = await checked(page)
            assert said.startswith("The key works, but the service does not list star-9.")
            assert page.result.property("tone") == "warn"
            assert page.model.text() == "star-9"


async def test_that_a_page_of_a_proxy_is_no_list(open_window: OpenWindow) -> None:
    with FakeOpenAI(models=Http(502, "<html>Bad gateway</html>")) as server:
        async with open_window() as window:
            page = page_of(window)
            choose(page, "vllm", server.url)
            assert await checked(page)
            assert page.result.property("tone") == "bad"


async def test_that_offline_another_computer_is_not_asked(open_window: OpenWindow) -> None:
    async with open_window(offline=True) as window:
        page = page_of(window)
        choose(page, "openai", "https://api.example.org/v1", "sk-key")
        assert "offline" in await checked(page)


async def test_that_a_kept_key_can_be_forgotten(open_window: OpenWindow) -> None:
    async with open_window() as window:
        page = page_of(window)
        assert not page.forget.isVisibleTo(page)
        window.application.secrets.set("api_key", "sk-kept")
        page.show_settings(window.application.settings)
        await until(lambda: page.forget.isVisibleTo(page))
        assert "kept" in page.key.placeholderText()
        page.forget.click()
        await until(lambda: not page.forget.isVisibleTo(page))
        assert isinstance(window.application.secrets, Secrets)
        assert window.application.secrets.get("api_key") is None


async def test_that_an_agreement_can_be_taken_back(open_window: OpenWindow) -> None:
    async with open_window() as window:
        window.application.consent.agree()
        page = page_of(window)
        await until(lambda: page.consent.withdraw.isVisibleTo(page))
        assert page.consent.words().startswith("You agreed")
        page.consent.withdraw.click()
        await until(lambda: not page.consent.withdraw.isVisibleTo(page))
        assert not window.application.consent.agreed()


async def test_that_a_service_of_the_settings_file_is_found_by_its_address(open_window: OpenWindow) -> None:
    llm = {"provider": "openai", "base_url": "https://api.deepseek.com/v1", "model": "m", "thinking": True}
    async with open_window(offline=True, llm=llm) as window:
        page = page_of(window)
        assert page.service.currentData() == "deepseek"
        assert page.draft()["model"] == "m"
        assert page.thinking.isChecked()
        assert page.state.text() == "Offline: the local model stands in for m."
