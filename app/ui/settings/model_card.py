"""One model in the settings: what it is, whether it fits, what can be done with it, how far that is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.services.passport import Passport
from app.services.stored_models import (
    Fit,
    ModelKind,
    Offer,
    Origin,
    SizeClass,
    StoredModel,
    TransferProgress,
    TransferState,
)
from app.ui.models import words
from app.ui.models.findings import battery_words
from app.ui.settings.passport_view import PassportView, summary
from app.ui.theme import META_PX, XXS, M, S, interface_font
from app.ui.widgets.basics import ElidedLabel, button, chip, icon_button, label
from app.ui.widgets.confirm import confirm

STEPS = 1000


class Going(QWidget):
    """A bar with words below it and a button that ends what goes on; hidden while nothing does."""

    def __init__(self, cancel_says: str, cancel: Callable[[], object]) -> None:
        super().__init__()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self._words = ElidedLabel("", "small-hint")
        self.cancel = icon_button("close", cancel_says, cancel)
        column = QVBoxLayout()
        column.setSpacing(XXS)
        column.addStretch(1)
        column.addWidget(self.bar)
        column.addWidget(self._words)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, XXS, 0, 0)
        row.setSpacing(S)
        row.addLayout(column, 1)
        row.addWidget(self.cancel)
        self.hide()

    def show_share(self, share: float | None, said: str) -> None:
        """Show how far it is; a bar that only moves where that is not known."""
        self.bar.setRange(0, 0 if share is None else STEPS)
        self.bar.setValue(round((share or 0.0) * STEPS))
        self._words.setText(said)
        self.bar.setAccessibleName(said)
        self.show()

    def words(self) -> str:
        """Return what is said below the bar."""
        return self._words.text()


class ModelCard(QFrame):
    """Head with name and chips, lines below, buttons at the right."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        self.name = name
        self.setProperty("frame", "card")
        self.setAccessibleName(title)
        self.head = QHBoxLayout()
        self.head.setSpacing(S)
        self._title = ElidedLabel(title, "heading")
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.head.addWidget(self._title)
        self.deeds = QHBoxLayout()
        self.deeds.setSpacing(S)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addLayout(self.head)
        top.addStretch(1)
        top.addLayout(self.deeds)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(M, 9, M, 9)
        self.column.setSpacing(XXS)
        self.column.addLayout(top)

    def add_chip(self, said: str, kind: str = "plain", tip: str = "") -> None:
        """Put a chip behind the name."""
        made = chip(said, kind)
        made.setToolTip(tip)
        self.head.addWidget(made)

    def add_class(self, size_class: SizeClass) -> None:
        """Say how large the model is."""
        self.add_chip(words.class_words(size_class), "plain", words.class_tip(size_class))

    def add_line(self, said: str, tone: str = "meta") -> None:
        """Put a line of words below the others."""
        if said:
            self.column.addWidget(label(said, tone, wrap=True))

    def add_fit(self, fit: Fit) -> None:
        """Say whether the model fits into the memory that is free."""
        said, tone = words.fit_words(fit)
        line = label(said, tone, wrap=True)
        line.setFont(interface_font(META_PX))
        line.setToolTip(fit.message)
        line.setProperty("fits", fit.fits)
        self.column.addWidget(line)


class StoredCard(ModelCard):
    """A model on this computer."""

    def __init__(
        self,
        model: StoredModel,
        *,
        use: Callable[[], object],
        delete: Callable[[], object],
        examine: Callable[[], object],
        stop_examining: Callable[[], object],
    ) -> None:
        super().__init__(model.name, model.label)
        self.model = model
        self._delete_it = delete
        if model.active:
            self.add_chip(self.tr("in use"), "accent")
        if model.kind is ModelKind.EMBEDDING:
            self.add_chip(words.kind_words(model.kind))
        elif model.parameters:
            self.add_class(model.size_class)
        if model.origin is not Origin.STORE:
            self.add_chip(
                self.tr("built in") if model.origin is Origin.BUILT_IN else self.tr("a file of yours"),
                tip=str(model.path),
            )
        self.use = button(self.tr("Use"), use)
        fits = model.fit is None or model.fit.fits
        self.use.setEnabled(fits and not model.problem)
        self.use.setVisible(not model.active)
        self.delete = icon_button("trash", self.tr("Delete %1").replace("%1", model.label), self._confirm)
        self.delete.setVisible(model.origin is Origin.STORE)
        self.deeds.addWidget(self.use)
        self.deeds.addWidget(self.delete)
        self.add_line(words.stored_meta(model))
        if model.problem:
            self.add_line(model.problem, "bad")
        elif model.fit is not None and model.kind is ModelKind.CHAT:
            self.add_fit(model.fit)
        for note in model.notes:
            self.add_line(note, "warn")
        self._has_passport = model.kind is ModelKind.CHAT and not model.problem
        self._passport_line = label("", "meta", wrap=True)
        self.test = button("", examine, kind="link")
        self.more = button("", self.fold, kind="link")
        self._view: PassportView | None = None
        self._passport: Passport | None = None
        self.going = Going(self.tr("Stop the test"), stop_examining)
        foot = QHBoxLayout()
        foot.setSpacing(S)
        foot.addWidget(self._passport_line, 1)
        foot.addWidget(self.more)
        foot.addWidget(self.test)
        self.column.addLayout(foot)
        self.column.addWidget(self.going)
        self.show_passport(None)

    def show_passport(self, passport: Passport | None, battery: tuple[float, str] | None = None) -> None:
        """Show what tests found the model can do, or how far they are."""
        for part in (self._passport_line, self.test):
            part.setVisible(self._has_passport and battery is None)
        self.more.setVisible(self._has_passport and battery is None and passport is not None)
        if battery is None:
            self.going.hide()
        else:
            self.going.show_share(battery[0], battery_words(battery[1]))
        if passport is None:
            self._passport_line.setText(self.tr("Not tested yet: what it can do here is not known."))
            self.test.setText(self.tr("Test it (about a minute)"))
        else:
            self._passport_line.setText(summary(passport))
            self.test.setText(self.tr("Test again"))
        if passport is not self._passport:
            was_open = self._view is not None
            self._close_view()
            self._passport = passport
            if was_open and passport is not None:
                self.fold()
        self._say_more()

    def is_open(self) -> bool:
        """Whether the passport is unfolded."""
        return self._view is not None

    def fold(self) -> None:
        """Unfold the passport, or fold it again."""
        if self._view is not None:
            self._close_view()
        elif self._passport is not None:
            self._view = PassportView(self._passport)
            self.column.addWidget(self._view)
            self._view.show()
        self._say_more()

    def _close_view(self) -> None:
        if self._view is not None:
            self._view.hide()
            self._view.deleteLater()
            self._view = None

    def _say_more(self) -> None:
        self.more.setText(self.tr("Passport") if self._view is None else self.tr("Hide the passport"))

    def _confirm(self) -> None:
        said = self.tr("%1 is deleted from the disk; it can be downloaded again where it came from.")
        said = said.replace("%1", words.size(self.model.size))
        title = self.tr("Delete %1?").replace("%1", self.model.label)
        confirm(self, title, said, self.tr("Delete"), self._delete_it)


class OfferCard(ModelCard):
    """A model of the catalogue that is not on this computer, or a part of it."""

    def __init__(
        self,
        offer: Offer,
        *,
        pull: Callable[[], object],
        cancel: Callable[[], object],
        discard: Callable[[], object],
    ) -> None:
        super().__init__(offer.model.name, offer.model.label)
        self.offer = offer
        if offer.model.recommended:
            self.add_chip(self.tr("recommended"), "accent")
        if offer.model.kind is ModelKind.EMBEDDING:
            self.add_chip(words.kind_words(offer.model.kind))
        else:
            self.add_class(offer.model.size_class)
        self.download: QPushButton = button("", pull, icon_name="download")
        size = words.size(offer.model.size)
        if offer.partial:
            share = f"{100 * offer.partial / offer.model.size:.0f} %"
            self.download.setText(self.tr("Go on from %1").replace("%1", share))
        else:
            self.download.setText(self.tr("Download %1").replace("%1", size))
        self.discard = icon_button("trash", self.tr("Delete what has come"), discard)
        self.discard.setVisible(offer.partial > 0)
        self.deeds.addWidget(self.discard)
        self.deeds.addWidget(self.download)
        self.add_line(words.good_for(offer), "")
        self.add_line(words.offer_meta(offer))
        self.add_fit(offer.fit)
        self.going = Going(self.tr("Stop the download; what has come is kept"), cancel)
        self.column.addWidget(self.going)

    def show_transfer(self, progress: TransferProgress | None) -> None:
        """Show how far the download is; None: none runs."""
        self.download.setVisible(progress is None)
        self.discard.setVisible(progress is None and self.offer.partial > 0)
        if progress is None:
            self.going.hide()
        else:
            share = progress.share if progress.state is not TransferState.CONNECTING else None
            self.going.show_share(share, words.transfer_words(progress))
