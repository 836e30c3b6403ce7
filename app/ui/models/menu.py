"""The menu of the model in use: those on this computer, the service, and where to change them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.llm.chat import ModelInfo
from app.llm.remote.address import is_this_computer
from app.services.models import service_address
from app.services.stored_models import StoredModel
from app.settings import Settings
from app.ui.models import words

translate = QCoreApplication.translate

LONGEST = 48


@dataclass(frozen=True, slots=True)
class MenuDeeds:
    """What the entries do."""

    use: Callable[[str], object]
    use_service: Callable[[], object]
    show_page: Callable[[str], object]
    add_file: Callable[[], object]


def model_words(info: ModelInfo | None) -> tuple[str, str]:
    """Return what the button says of the model in use, and its tooltip."""
    if info is None:
        return (
            translate("MainWindow", "No model · quotes only"),
            translate("MainWindow", "Answers are the best passages, word for word."),
        )
    if info.tiny:
        said = translate("MainWindow", "%1 · tiny, for trying things out").replace("%1", info.label)
        return said, translate(
            "MainWindow", "A tiny model for trying things out. Choose a larger GGUF for real answers."
        )
    return info.label, translate("MainWindow", "The model that writes the answers")


def model_menu(
    parent: QWidget,
    info: ModelInfo | None,
    settings: Settings,
    models: tuple[StoredModel, ...],
    deeds: MenuDeeds,
) -> QMenu:
    """Return the menu; `models` are those on this computer that can answer."""
    menu = QMenu(parent)
    menu.setObjectName("modelMenu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    if info is None or not models:
        menu.addAction(_plain(model_words(info)[0])).setEnabled(False)
    group = QActionGroup(menu)
    remote = settings.llm.provider != "local"
    for model in models:
        said = _plain(model.label)
        fits = model.fit is None or model.fit.fits
        if not fits:
            said = translate("ModelMenu", "%1 · does not fit into memory").replace("%1", said)
        action = menu.addAction(f"{said}\t{words.class_words(model.size_class)}")
        action.setCheckable(True)
        action.setChecked(model.active and not remote)
        action.setEnabled(fits or model.active)
        action.setToolTip(model.fit.message if model.fit is not None else "")
        action.triggered.connect(partial(_chosen, deeds.use, model.name))
        group.addAction(action)
    if settings.llm.model:
        menu.addSeparator()
        action = menu.addAction(f"{_plain(settings.llm.model)}\t{_where(settings)}")
        action.setCheckable(True)
        action.setChecked(remote and info is not None and info.provider != "local")
        action.triggered.connect(lambda *_: deeds.use_service())
        group.addAction(action)
    menu.addSeparator()
    menu.addAction(translate("ModelMenu", "Models…"), lambda: deeds.show_page("models"))
    menu.addAction(translate("ModelMenu", "Service…"), lambda: deeds.show_page("service"))
    menu.addAction(translate("ModelMenu", "Add a GGUF file…"), deeds.add_file)
    return menu


def _where(settings: Settings) -> str:
    if is_this_computer(service_address(settings)):
        return translate("ModelMenu", "a program on this computer")
    return translate("ModelMenu", "service")


def _chosen(use: Callable[[str], object], name: str, *_: object) -> None:
    use(name)


def _plain(said: str) -> str:
    """Return a name as an entry shows it: names come out of files, of any length."""
    said = " ".join(said.split())
    said = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    return said.replace("&", "&&")
