"""The models page over a store that plays its part: what is shown, downloaded, dropped, tested, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton

from app.errors import ModelError
from app.services.model_store import ModelStore
from app.services.passport import CallProtocol, Finding, OnBattery, Passport, PassportService
from app.services.stored_models import (
    CatalogueModel,
    Fit,
    ModelKind,
    Offer,
    OnTransfer,
    Origin,
    Place,
    Removed,
    StoredModel,
    TransferProgress,
    TransferState,
)
from app.sources.transfer import DownloadNetworkError
from app.ui import i18n
from app.ui.models.work import ModelWork
from app.ui.settings.models_page import ModelsPage
from app.ui.tasks import Tasks
from app.ui.theme import Scheme, theme
from app.ui.widgets.notices import Message
from tests.ui.conftest import OpenWindow, until

GB = 10**9
FITS = Fit(True, 8192, 4 * GB, 8 * GB)
TOO_LARGE = Fit(False, 0, 40 * GB, 8 * GB, "It needs 40 GB.")
SMALL = CatalogueModel(
    name="star-4b",
    label="Star 4B",
    kind=ModelKind.CHAT,
    parameters=4 * GB,
    licence="Apache-2.0",
    licence_url="https://example.org",
    size=2 * GB,
    kv_bytes=1,
    context_tokens=32768,
    languages=("en", "zh"),
    calls_tools=True,
    good_for={"en": "Answers about stars.", "zh": "回答恒星问题。"},
    places={"host": Place(repo="a/b", file="star-4b.gguf")},
    recommended=True,
)
LARGE = replace(SMALL, name="star-70b", label="Star 70B", parameters=70 * GB, size=40 * GB, recommended=False)
BUILT_IN = StoredModel(
    name="tiny",
    label="Tiny",
    kind=ModelKind.CHAT,
    path=Path("/models/tiny.gguf"),
    size=GB // 10,
    origin=Origin.BUILT_IN,
    parameters=10**8,
    context_tokens=8192,
    fit=FITS,
    active=True,
    licence="Apache-2.0",
)
PASSPORT = Passport(
    key="k",
    model="tiny.gguf",
    label="Tiny",
    made_at="2026-12-01T12:00:00+00:00",
    seconds=50.0,
    machine="a machine",
    protocol=CallProtocol.GENERIC,
    family="generic",
    tool_limit=6,
    context_tokens=4096,
    first_token_s=60.0,
    between_tokens_s=20.0,
    prefill_per_s=400.0,
    decode_per_s=40.0,
    tokens_per_char_en=0.25,
    tokens_per_char_zh=0.9,
    reuse=0.97,
    calls_asked=6,
    calls_valid=6,
    calls_right=3,
    findings=(Finding("memory", False), Finding("new test", True, message="Something new.")),
)


@dataclass
class PlayedStore:
    """Downloads stand still until `go` is set; an added model is there at once."""

    stored: list[StoredModel] = field(default_factory=lambda: [BUILT_IN])
    go: asyncio.Event = field(default_factory=asyncio.Event)
    error: ModelError | DownloadNetworkError | None = None
    partial: int = 0
    cancelled: list[str] = field(default_factory=list)

    async def models(self) -> tuple[StoredModel, ...]:
        return tuple(self.stored)

    async def offers(self) -> tuple[Offer, ...]:
        here = {model.name: model for model in self.stored}
        return (
            Offer(model=SMALL, fit=FITS, stored=here.get(SMALL.name), partial=self.partial),
            Offer(model=LARGE, fit=TOO_LARGE),
        )

    async def pull(self, name: str, on_progress: OnTransfer) -> StoredModel:
        on_progress(TransferProgress(name, TransferState.RUNNING, GB // 2, 2 * GB, 10.0**7))
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.partial = GB // 2
            self.cancelled.append(name)
            raise
        if self.error is not None:
            raise self.error
        return self._kept(name)

    async def add(self, path: Path, on_progress: OnTransfer) -> StoredModel:
        if self.error is not None:
            raise self.error
        return self._kept(path.stem)

    async def use(self, name: str) -> StoredModel:
        self.stored = [replace(model, active=model.name == name) for model in self.stored]
        return next(model for model in self.stored if model.active)

    async def delete(self, name: str) -> Removed:
        self.stored = [model for model in self.stored if model.name != name]
        return Removed(name, GB, "tiny")

    def _kept(self, name: str) -> StoredModel:
        path = Path(f"/models/{name}.gguf")
        model = replace(BUILT_IN, name=name, label=name, path=path, origin=Origin.STORE, active=False)
        self.stored.append(model)
        return model


@dataclass
class PlayedPassports:
    """A battery that ends when `go` is set."""

    made: dict[Path, Passport] = field(default_factory=dict)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def kept(self, path: Path) -> Passport | None:
        return self.made.get(path)

    async def make(self, path: Path, on_progress: OnBattery) -> Passport:
        on_progress(0.35, "Trying tool calls (generic)")
        await self.go.wait()
        self.made[path] = PASSPORT
        return PASSPORT


@dataclass
class Shown:
    """A page, what is behind it, and the notices that were posted with their actions."""

    page: ModelsPage
    work: ModelWork
    store: PlayedStore
    passports: PlayedPassports
    notices: list[tuple[Message, object]]

    def texts(self) -> list[str]:
        return [label.text() for label in self.page.findChildren(QLabel) if label.isVisibleTo(self.page)]


@asynccontextmanager
async def shown(app: QApplication, language: str = "en") -> AsyncIterator[Shown]:
    theme().apply(app, Scheme.LIGHT)
    i18n.speak(app, language)
    store, passports = PlayedStore(), PlayedPassports()
    notices: list[tuple[Message, object]] = []
    errors: list[BaseException] = []
    tasks = Tasks(errors.append)

    def post(message: Message, on_action: object = None) -> None:
        notices.append((message, on_action))

    work = ModelWork(cast("ModelStore", store), cast("PassportService", passports), tasks, post, lambda: None)
    page = ModelsPage(work)
    try:
        page.resize(680, 600)
        page.show()
        work.refresh()
        await until(lambda: work.known)
        yield Shown(page, work, store, passports, notices)
    finally:
        work.close()
        await tasks.close()
        page.close()
        page.deleteLater()
        i18n.speak(app, "en")
    assert errors == []


async def test_that_a_model_shows_what_it_is_and_whether_it_fits(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        texts = it.texts()
        for words in (
            "Tiny", "in use", "built in", "100 M · Apache-2.0 · 100 MB · reads up to 8,192 tokens",
            "Star 4B", "recommended", "small", "Answers about stars.",
            "Fits: needs 4.0 GB of memory, 8.0 GB are free",
            "Does not fit: needs 40.0 GB of memory, 8.0 GB are free",
        ):  # fmt: skip
            assert words in texts, words
        assert not it.page.stored["tiny"].use.isVisibleTo(it.page)
        assert not it.page.stored["tiny"].delete.isVisibleTo(it.page)


async def test_that_the_catalogue_speaks_chinese(qapp: QApplication) -> None:
    async with shown(qapp, "zh") as it:
        texts = it.texts()
        assert "回答恒星问题。" in texts
        assert "推荐" in texts


async def test_that_a_download_shows_how_far_it_is_and_is_then_offered_for_use(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.page.offers["star-4b"].download.click()
        await until(lambda: "500 MB of 2.0 GB" in it.page.offers["star-4b"].going.words())
        card = it.page.offers["star-4b"]
        assert card.going.bar.value() == 250
        assert "10 MB a second" in card.going.words()
        assert not card.download.isVisibleTo(it.page)
        assert it.work.status() == "Getting Star 4B 25 %"
        it.store.go.set()
        await until(lambda: "star-4b" in it.page.stored)
        assert "star-4b" not in it.page.offers
        message, use = it.notices[-1]
        assert (message.text, message.action) == ("star-4b is downloaded.", "Use it")
        assert callable(use)
        use()
        await until(lambda: it.page.stored["star-4b"].model.active)


async def test_that_a_cancelled_download_goes_on_where_it_ended(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.page.offers["star-4b"].download.click()
        await until(lambda: "500 MB" in it.page.offers["star-4b"].going.words())
        it.page.offers["star-4b"].going.cancel.click()
        await until(lambda: it.page.offers["star-4b"].offer.partial)
        assert it.store.cancelled == ["star-4b"]
        assert it.page.offers["star-4b"].download.text() == "Go on from 25 %"
        assert it.notices == []
        assert it.work.transfers == {}


async def test_that_a_download_that_is_stopped_at_once_is_over(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        card = it.page.offers["star-4b"]
        card.download.click()
        card.going.cancel.click()
        await until(lambda: not it.work.transfers)
        assert card.download.isVisibleTo(it.page)
        assert it.store.cancelled == []


async def test_that_a_failed_download_says_why_and_can_be_tried_again(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.store.error = DownloadNetworkError("No host could be reached.")
        it.store.go.set()
        it.page.offers["star-4b"].download.click()
        await until(lambda: it.notices)
        message, again = it.notices[-1]
        assert (message.level, message.text) == ("error", "No host could be reached.")
        assert "model_hosts" in message.hint
        it.store.error = None
        assert callable(again)
        again()
        await until(lambda: "star-4b" in it.page.stored)


async def test_that_any_gguf_can_be_asked_for_by_its_place(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.page.field.setText(" a/b/other.gguf ")
        it.page.field.returnPressed.emit()
        await until(lambda: "a/b/other.gguf" in it.page.others)
        await until(lambda: "500 MB" in it.page.others["a/b/other.gguf"].words())
        assert it.page.field.text() == ""
        it.store.go.set()
        await until(lambda: not it.page.others)


async def test_that_what_is_no_model_is_not_added_and_says_so(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.store.error = ModelError("cat.gguf was not added: it is no GGUF file.")
        it.work.add([Path("/home/cat.gguf")])
        await until(lambda: it.notices)
        assert it.notices[-1][0].text == "cat.gguf was not added: it is no GGUF file."
        assert it.work.transfers == {}


async def test_that_a_damaged_model_cannot_be_used_but_deleted(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        broken = replace(BUILT_IN, name="broken", origin=Origin.STORE, active=False, problem="It is cut off.")
        it.store.stored.append(replace(broken, path=Path("/models/broken.gguf")))
        it.work.refresh()
        await until(lambda: "broken" in it.page.stored)
        card = it.page.stored["broken"]
        assert "It is cut off." in it.texts()
        assert not card.use.isEnabled()
        assert not card.test.isVisibleTo(it.page)
        card.delete.click()
        (dialog,) = card.findChildren(QDialog) or it.page.findChildren(QDialog)
        next(b for b in dialog.findChildren(QPushButton) if b.text() == "Delete").click()
        await until(lambda: "broken" not in it.page.stored)
        assert it.notices[-1][0].text == "broken is deleted; tiny takes its place."


async def test_that_a_first_use_makes_a_passport_that_is_shown_as_a_card(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.work.add([Path("/home/sun.gguf")])
        await until(lambda: "sun" in it.page.stored)
        it.page.stored["sun"].use.click()
        await until(lambda: it.page.stored["sun"].going.isVisibleTo(it.page))
        await until(lambda: it.page.stored["sun"].going.words() == "Trying tool calls…")
        assert it.work.status() == "Testing sun 35 %"
        it.passports.go.set()
        await until(lambda: it.page.stored["sun"].more.isVisibleTo(it.page))
        card = it.page.stored["sun"]
        assert "calls tools in our syntax · 6 tools at most · 40 tokens a second" in it.texts()
        card.more.click()
        texts = it.texts()
        for words in (
            "6 of 6 valid, 3 right", "4,096 tokens", "0.25 English, 0.90 Chinese", "97 %",
            "It did not find a detail again: not for long texts", "Something new.",
        ):  # fmt: skip
            assert words in texts, words
        it.store.stored[0] = replace(BUILT_IN, size=GB, active=False)  # as after any reading anew
        it.work.refresh()
        await until(lambda: it.page.stored["sun"] is not card)
        assert "4,096 tokens" in it.texts()
        it.page.stored["sun"].more.click()
        assert "4,096 tokens" not in it.texts()


async def test_that_a_battery_can_be_stopped(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        card = it.page.stored["tiny"]
        card.test.click()
        await until(lambda: card.going.isVisibleTo(it.page))
        card.going.cancel.click()
        await until(lambda: not it.work.batteries)
        assert card.test.isVisibleTo(it.page)
        assert it.passports.made == {}


async def test_that_mirrors_are_written_as_a_list(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        changes: list[object] = []
        it.page.changed.connect(changes.append)
        it.page.mirror.setText("https://mirror.example, https://other.example")
        it.page.mirror.editingFinished.emit()
        it.page.mirror.setText("")
        it.page.mirror.editingFinished.emit()
        hosts = ["https://mirror.example", "https://other.example"]
        assert changes == [{"llm": {"model_hosts": hosts}}, {"llm": {"model_hosts": None}}]


@pytest.mark.parametrize("name", ["sun.gguf", "SUN.GGUF"])
async def test_that_a_gguf_dropped_on_the_window_goes_to_the_models(
    open_window: OpenWindow, tmp_path: Path, name: str
) -> None:
    async with open_window() as window:
        added: list[list[Path]] = []
        papers: list[list[Path]] = []
        window.desk.work.add = lambda paths: added.append(list(paths))  # type: ignore[method-assign]
        window.adding.add = lambda paths, passwords=(): papers.append(list(paths))  # type: ignore[method-assign]
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / n)) for n in (name, "paper.pdf")])
        event = QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        window.dropEvent(event)
        assert added == [[tmp_path / name]]
        assert papers == [[tmp_path / "paper.pdf"]]


async def test_that_the_real_store_fills_the_page_and_the_menu(open_window: OpenWindow) -> None:
    async with open_window() as window:
        window.desk.open("models")
        await until(lambda: window.desk.work.known)
        assert window.desk.dialog is not None
        page = window.desk.dialog.models
        assert "smollm2-135m" in page.stored
        assert "qwen3-4b" in page.offers
        menu = window.desk.menu()
        words = [action.text() for action in menu.actions() if action.isChecked()]
        assert len(words) == 1
        assert words[0].startswith("SmolLM2")
        menu.deleteLater()


async def test_that_a_name_of_any_length_fits_into_the_window(qapp: QApplication) -> None:
    async with shown(qapp) as it:
        it.store.stored.append(
            replace(BUILT_IN, name="long", label="星" * 900, path=Path("/models/long.gguf"), active=False)
        )
        it.work.refresh()
        await until(lambda: "long" in it.page.stored)
        assert it.page.minimumWidth() < 700
