"""The models page: those on this computer, those that can be downloaded, and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.services.stored_models import ModelKind
from app.settings import Settings
from app.ui.models import words
from app.ui.models.work import ModelWork
from app.ui.settings.model_card import Going, OfferCard, StoredCard
from app.ui.theme import XS, L, M, S
from app.ui.widgets.basics import button, label
from app.ui.widgets.fields import Check, Choice

translate = QCoreApplication.translate
PLACEHOLDER_MS = 150


class ModelsPage(QWidget):
    """Shows what `ModelWork` knows; emits `changed` with settings as `app.settings.save` takes them."""

    changed = Signal(object)

    def __init__(self, work: ModelWork, reindexing: QWidget | None = None) -> None:
        super().__init__()
        self.setObjectName("modelsPage")
        self._work = work
        self._reindexing = reindexing
        self._shown: object = None
        self._offline = False
        self.stored: dict[str, StoredCard] = {}
        self.offers: dict[str, OfferCard] = {}
        self.others: dict[str, Going] = {}
        self._waits = label(self.tr("Looking for models…"), "hint")
        self._waits.hide()
        self._here = _column()
        self._there = _column()
        self._others = _column(XS)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("owner/repository/file.gguf, or the address of a GGUF file"))
        self.field.setAccessibleName(self.tr("A model that is not in the list"))
        self.field.returnPressed.connect(self._pull_other)
        self.mirror = QLineEdit()
        self.mirror.setAccessibleName(self.tr("Mirrors"))
        self.mirror.setPlaceholderText(self.tr("https://… (empty: the hosts of the list)"))
        self.mirror.editingFinished.connect(self._mirror_edited)
        self.tools = Choice(
            {
                "auto": self.tr("those that are not tiny, as their test says"),
                "always": self.tr("all of them"),
                "never": self.tr("none of them"),
            },
            "auto",
            self.tr("Which local models call tools"),
        )
        self.tools.activated.connect(
            lambda _: self.changed.emit({"llm": {"tools": self.tools.currentData()}})
        )
        self.keep = Check(self.tr("Keep on disk what a model has read, so that conversations open at once"))
        self.keep.clicked.connect(lambda on: self.changed.emit({"llm": {"keep_state": bool(on)}}))
        self._offline_words = label(
            self.tr("Offline: nothing is downloaded. Go online in the bar above to download models."),
            "warn",
            wrap=True,
        )
        self._inside = QWidget()
        self._lay_out(QVBoxLayout(self._inside))
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._inside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)
        work.listed.connect(self.show_models)
        work.moved.connect(self._moved)
        self.show_models()
        if not work.known:
            QTimer.singleShot(PLACEHOLDER_MS, self, self._show_placeholder)

    def show_settings(self, settings: Settings) -> None:
        """Show the values in use."""
        hosts = " ".join(settings.llm.model_hosts)
        if not self.mirror.hasFocus():
            self.mirror.setText(hosts)
        self.tools.setCurrentIndex(max(0, self.tools.findData(settings.llm.tools)))
        self.keep.setChecked(settings.llm.keep_state)
        self._offline = settings.offline
        self._offline_words.setVisible(settings.offline)
        for card in self.offers.values():
            card.download.setEnabled(not settings.offline)
        self._other_button.setEnabled(not settings.offline)

    def show_models(self) -> None:
        """Show the lists as they are now; cards are made anew where something is different."""
        work = self._work
        self._waits.setVisible(self._waits.isVisible() and not work.known)
        now = (work.stored, work.offers)
        unfolded = [name for name, card in self.stored.items() if card.is_open()]
        if remade := now != self._shown:
            self._shown = now
            self._make_cards()
        for model in work.stored:
            self.stored[model.name].show_passport(
                work.passports.get(model.path), work.batteries.get(model.path)
            )
        for name in unfolded if remade else ():
            if (card := self.stored.get(name)) is not None:
                card.fold()
        for name in self.offers:
            self._moved(name)

    def _make_cards(self) -> None:
        work = self._work
        _clear(self._here)
        _clear(self._there)
        self.stored = {
            model.name: StoredCard(
                model,
                use=partial(work.use, model.name),
                delete=partial(work.delete, model.name),
                examine=partial(work.examine, model.path),
                stop_examining=partial(work.stop_examining, model.path),
            )
            for model in work.stored
        }
        self.offers = {
            offer.model.name: OfferCard(
                offer,
                pull=partial(work.pull, offer.model.name),
                cancel=partial(work.cancel, offer.model.name),
                discard=partial(work.delete, offer.model.name),
            )
            for offer in sorted(work.offers, key=lambda o: (o.model.kind is not ModelKind.CHAT, o.model.size))
            if offer.stored is None
        }
        for stored in self.stored.values():
            self._here.addWidget(stored)
            stored.show()
        for offered in self.offers.values():
            offered.download.setEnabled(not self._offline)
            self._there.addWidget(offered)
            offered.show()
        self.setMinimumWidth(self._inside.minimumSizeHint().width() + L)

    def _moved(self, name: str) -> None:
        """Show how far a download or a battery is."""
        progress = self._work.transfers.get(name)
        if (offer := self.offers.get(name)) is not None:
            offer.show_transfer(progress)
            return
        for card in self.stored.values():
            if str(card.model.path) == name:
                card.show_passport(
                    self._work.passports.get(card.model.path), self._work.batteries.get(card.model.path)
                )
                return
        self._other_moved(name)

    def _other_moved(self, name: str) -> None:
        progress, going = self._work.transfers.get(name), self.others.get(name)
        if progress is None:
            if (gone := self.others.pop(name, None)) is not None:
                gone.hide()
                gone.deleteLater()
            return
        if going is None:
            going = self.others[name] = Going(self.tr("Stop"), partial(self._work.cancel, name))
            self._others.addWidget(going)
        going.show_share(progress.share, f"{name} · {words.transfer_words(progress)}")

    def _lay_out(self, column: QVBoxLayout) -> None:
        column.setContentsMargins(0, 0, M, 0)
        column.setSpacing(S)
        self._other_button = button(self.tr("Download"), self._pull_other)
        add = button(self.tr("Add a GGUF file…"), self._choose, icon_name="plus")
        column.addLayout(_head(self.tr("On this computer"), self.tr("or drop one on the window"), add))
        column.addWidget(self._waits)
        if self._reindexing is not None:
            column.addWidget(self._reindexing)
        column.addLayout(self._others)
        column.addLayout(self._here)
        column.addSpacing(L)
        column.addLayout(_head(self.tr("To download"), self.tr("open models that work well here")))
        column.addWidget(self._offline_words)
        column.addLayout(self._there)
        column.addSpacing(M)
        column.addLayout(_field(self.tr("Another model"), self.field, self._other_button))
        column.addLayout(_field(self.tr("Mirrors"), self.mirror))
        column.addWidget(
            label(
                self.tr(
                    "Mirrors are asked in place of the hosts, in this order. Files are checked either way."
                ),
                "small-hint",
                wrap=True,
            )
        )
        column.addSpacing(M)
        column.addLayout(_field(self.tr("Call tools"), self.tools))
        column.addWidget(self.keep)
        column.addStretch(1)

    def _pull_other(self) -> None:
        if name := self.field.text().strip():
            self.field.clear()
            self._work.pull(name)

    def _mirror_edited(self) -> None:
        hosts = self.mirror.text().replace(",", " ").split()
        self.changed.emit({"llm": {"model_hosts": hosts or None}})

    def _choose(self) -> None:
        choose_models(self, self._work.add)

    def _show_placeholder(self) -> None:
        self._waits.setVisible(not self._work.known)


def choose_models(parent: QWidget, done: Callable[[list[Path]], object]) -> None:
    """Open a picker for GGUF files and call `done` with their paths."""
    dialog = QFileDialog(parent, translate("ModelsPage", "Add models"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters(
        [translate("ModelsPage", "Models (*.gguf)"), translate("ModelsPage", "All files (*)")]
    )
    dialog.filesSelected.connect(lambda names: done([Path(name) for name in names]))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _column(spacing: int = S) -> QVBoxLayout:
    made = QVBoxLayout()
    made.setSpacing(spacing)
    return made


def _head(title: str, hint: str, *buttons: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(S)
    row.addWidget(label(title, "heading"))
    row.addWidget(label(hint, "hint"))
    row.addStretch(1)
    for made in buttons:
        row.addWidget(made)
    return row


def _field(name: str, field: QWidget, *buttons: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(S)
    words_ = label(name)
    words_.setMinimumWidth(110)
    row.addWidget(words_)
    row.addWidget(field, 1)
    for made in buttons:
        row.addWidget(made)
    return row


def _clear(layout: QLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
