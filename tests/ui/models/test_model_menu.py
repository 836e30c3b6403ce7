"""The menu of the model in use, and the words of models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.llm.chat import ModelInfo
from app.services.passport import Finding
from app.services.stored_models import (
    Fit,
    ModelKind,
    Origin,
    SizeClass,
    StoredModel,
    TransferProgress,
    TransferState,
)
from app.settings import Settings
from app.ui import i18n
from app.ui.models import words
from app.ui.models.findings import battery_words, finding_words
from app.ui.models.menu import MenuDeeds, model_menu, model_words

GB = 10**9
SMALL = StoredModel(
    name="star-4b",
    label="Star & Sons 4B",
    kind=ModelKind.CHAT,
    path=Path("/models/star-4b.gguf"),
    size=2 * GB,
    origin=Origin.STORE,
    parameters=4 * GB,
    fit=Fit(True, 8192, 4 * GB, 8 * GB),
    active=True,
)
LARGE = replace(
    SMALL, name="star-70b", label="Star 70B", parameters=70 * GB, active=False,
    fit=Fit(False, 0, 40 * GB, 8 * GB, "It needs 40 GB."),
)  # fmt: skip
LOCAL = ModelInfo("star-4b", "Star 4B", False, 8192, "local")
REMOTE = ModelInfo("cloud", "cloud", False, 8192, "openai")


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    """Speak English: its plural forms are translations too."""
    i18n.speak(qapp, "en")


@pytest.fixture
def parent(qapp: QApplication) -> Iterator[QWidget]:
    """A widget for menus to belong to."""
    widget = QWidget()
    yield widget
    widget.deleteLater()


def menu_of(
    parent: QWidget, done: list[str], info: ModelInfo | None, *models: StoredModel, **llm: str
) -> QMenu:
    deeds = MenuDeeds(
        use=lambda name: done.append(f"use {name}"),
        use_service=lambda: done.append("service"),
        show_page=lambda page: done.append(f"page {page}"),
        add_file=lambda: done.append("add"),
    )
    settings = Settings.model_validate({"llm": llm})
    return model_menu(parent, info, settings, models, deeds)


def press(menu: QMenu, beginning: str) -> None:
    next(action for action in menu.actions() if action.text().startswith(beginning)).trigger()


def test_that_the_menu_marks_the_model_in_use_and_chooses_others(parent: QWidget) -> None:
    done: list[str] = []
    menu = menu_of(parent, done, LOCAL, SMALL, LARGE, provider="local", model="cloud", service="ollama")
    by_text = {action.text(): action for action in menu.actions()}
    assert by_text["Star && Sons 4B\tsmall"].isChecked()
    assert not by_text["Star 70B · does not fit into memory\tlarge"].isEnabled()
    assert by_text["Star 70B · does not fit into memory\tlarge"].toolTip() == "It needs 40 GB."
    assert not by_text["cloud\ta program on this computer"].isChecked()
    for entry in ("Star && Sons", "cloud", "Models…", "Service…", "Add a GGUF"):
        press(menu, entry)
    assert done == ["use star-4b", "service", "page models", "page service", "add"]


def test_that_the_menu_marks_a_service_that_answers(parent: QWidget) -> None:
    menu = menu_of(
        parent, [], REMOTE, SMALL, provider="openai", model="cloud", base_url="https://api.example.org/v1"
    )
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["cloud\tservice"]


def test_that_without_a_model_the_menu_says_so(parent: QWidget) -> None:
    menu = menu_of(parent, [], None)
    assert menu.actions()[0].text() == "No model · quotes only"
    assert not menu.actions()[0].isEnabled()
    assert model_words(replace(LOCAL, tiny=True))[0] == "Star 4B · tiny, for trying things out"


@pytest.mark.parametrize(("count", "said"), [
    (400, "1 kB"), (5_000, "5 kB"), (639_446_688, "639 MB"), (2_497_281_120, "2.5 GB"), (140 * GB, "140 GB"),
])  # fmt: skip
def test_that_sizes_are_said_as_people_write_them(count: int, said: str) -> None:
    assert words.size(count) == said


@pytest.mark.parametrize(("progress", "said"), [
    (TransferProgress("m", TransferState.CONNECTING), "Connecting…"),
    (TransferProgress("m", TransferState.WAITING, message="host"), "Waiting to try again: host"),
    (TransferProgress("m", TransferState.CHECKING), "Checking the file…"),
    (TransferProgress("m", TransferState.RUNNING, GB, None), "1.0 GB"),
    (TransferProgress("m", TransferState.RUNNING, GB, 4 * GB, 10.0**6),
     "1.0 GB of 4.0 GB · 1 MB a second · 50 min left"),
    (TransferProgress("m", TransferState.DONE), "Done"),
])  # fmt: skip
def test_that_a_download_says_how_it_is(qapp: QApplication, progress: TransferProgress, said: str) -> None:
    assert words.transfer_words(progress) == said


def test_that_a_fit_says_what_had_to_be_given_up(qapp: QApplication) -> None:
    said, tone = words.fit_words(Fit(True, 4096, 4 * GB, 5 * GB, "A shorter context."))
    assert said == "Fits with 4,096 tokens of context: needs 4.0 GB of memory, 5.0 GB are free"
    assert tone == "ok"
    assert words.fit_words(Fit(True, 4096, 4 * GB, None)) == ("Needs 4.0 GB of memory", "meta")
    assert [words.class_tip(size) for size in SizeClass] == [
        "Runs anywhere; to try things out, not to rely on.",
        "For a laptop with 8 GB of memory.",
        "For a computer with 16 GB of memory.",
        "For 32 GB of memory and more, or a graphics card.",
    ]


@pytest.mark.parametrize(("finding", "said"), [
    (Finding("reading", True, 350.0), "A page of a paper is read in 2.0 s"),
    (Finding("writing", True, 40.0), "It writes about 30 words a second"),
    (Finding("calls native", True, 6, "of 6"), "Tool calls, own syntax: 6 of 6 well formed"),
    (Finding("Chinese", False, 1.6), "A Chinese character is 1.60 tokens: it was not made for Chinese"),
    (Finding("reuse", True, 0.97), "97 % of a conversation need not be read again when it goes on"),
    (Finding("memory", True, 2000.0), "It found a detail again in a text of 2,000 tokens"),
    (Finding("left out", False, 2, "tests"), "There was no time for 2 tests"),
    (Finding("busy", False), "The computer was busy: test again when it is idle"),
    (Finding("reading", False, 0.0, message="It reads 0."), "It reads 0."),
    (Finding("unheard", True, message="Of."), "Of."),
])  # fmt: skip
def test_that_findings_are_said_and_new_ones_as_they_came(
    qapp: QApplication, finding: Finding, said: str
) -> None:
    assert finding_words(finding) == said


def test_that_the_steps_of_the_battery_are_said(qapp: QApplication) -> None:
    assert battery_words("") == "Loading the model…"
    assert battery_words("Trying tool calls (native)") == "Trying tool calls…"
    assert battery_words("Something new") == "Something new"
