"""Whether private text may go to a service: what was agreed to, and taking it back."""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.services.consent import Consent
from app.ui.tasks import Tasks
from app.ui.theme import S
from app.ui.widgets.basics import button, label


class ConsentLine(QWidget):
    """A sentence and, where something was agreed to, a button."""

    def __init__(self, consent: Consent, tasks: Tasks) -> None:
        super().__init__()
        self._consent, self._tasks = consent, tasks
        self._words = label("", "meta", wrap=True)
        self.withdraw = button(self.tr("Take it back"), self._withdraw)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        row.addWidget(self._words, 1)
        row.addWidget(self.withdraw)
        self._show(agreed=False)

    def refresh(self) -> None:
        """Read what was agreed to."""
        self._tasks.start(self._read(), "consent")

    def words(self) -> str:
        """Return the sentence."""
        return self._words.text()

    def _withdraw(self) -> None:
        self._tasks.start(self._withdrawn(), "consent")

    async def _withdrawn(self) -> None:
        await asyncio.to_thread(self._consent.withdraw)
        await self._read()

    async def _read(self) -> None:
        self._show(agreed=await asyncio.to_thread(self._consent.agreed))

    def _show(self, *, agreed: bool) -> None:
        self.withdraw.setVisible(agreed)
        self._words.setText(
            self.tr("You agreed that notes and unpublished text of this library are sent to a service.")
            if agreed
            else self.tr(
                "Notes and unpublished text are not sent to a service before you agree; you are asked once."
            )
        )
