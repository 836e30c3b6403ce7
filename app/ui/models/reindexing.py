"""How far the index of another embedding model is, with what can be done about it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.services.changes import ReindexProgress, ReindexState
from app.ui.models.words import duration
from app.ui.tasks import Tasks
from app.ui.theme import XXS, S
from app.ui.widgets.basics import button, label, restyle

if TYPE_CHECKING:
    from app.application import Application

translate = QCoreApplication.translate

CONSENT_NEEDED = "consent_needed"
_RUNS = (ReindexState.RUNNING, ReindexState.WAITING)
STEPS = 1000


class ReindexLine(QWidget):
    """Hidden while the index is whole."""

    def __init__(self, application: Application, tasks: Tasks) -> None:
        super().__init__()
        self._reindexer, self._consent, self._tasks = application.reindexer, application.consent, tasks
        self._words = label("", "meta", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, STEPS)
        self.cancel = button(self.tr("Stop"), lambda: tasks.start(self._reindexer.cancel(), "reindex"))
        self.resume = button(self.tr("Go on"), lambda: tasks.start(self._reindexer.resume(), "reindex"))
        self.agree = button(
            self.tr("Agree for this library"), lambda: tasks.start(self._agreed(), "reindex"), kind="primary"
        )
        column = QVBoxLayout()
        column.setSpacing(XXS)
        column.addWidget(self._words)
        column.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        row.addLayout(column, 1)
        for made in (self.cancel, self.resume, self.agree):
            row.addWidget(made)
        self.show_progress(self._reindexer.progress)

    def words(self) -> str:
        """Return what is said."""
        return self._words.text()

    def show_progress(self, progress: ReindexProgress | None) -> None:
        """Show how far it is; nothing once it is whole."""
        if progress is None or progress.state is ReindexState.FINISHED or not progress.total:
            self.hide()
            return
        runs = progress.state in _RUNS
        asks = progress.code == CONSENT_NEEDED
        self._words.setText(reindex_words(progress))
        restyle(self._words, "tone", "meta" if runs else "warn")
        self._bar.setValue(round(progress.share * STEPS))
        self._bar.setVisible(runs)
        self.cancel.setVisible(runs)
        self.agree.setVisible(not runs and asks)
        self.resume.setVisible(not runs and not asks)
        self.show()

    async def _agreed(self) -> None:
        await asyncio.to_thread(self._consent.agree)
        await self._reindexer.resume()


def reindex_words(progress: ReindexProgress) -> str:
    """Return how the index of an embedding model stands."""
    model = progress.model.rpartition("/")[2]
    figures = f"{progress.done:,} / {progress.total:,}"
    match progress.state:
        case ReindexState.RUNNING:
            words = translate("Reindexing", "Indexing your library for %1: %2 passages")
            words = words.replace("%1", model).replace("%2", figures)
            if progress.seconds_left is not None:
                left = translate("Reindexing", "%1 left").replace("%1", duration(progress.seconds_left))
                words = f"{words} · {left}"
            return words
        case ReindexState.WAITING:
            return translate("Reindexing", "Indexing waits: %1").replace("%1", progress.message)
        case ReindexState.CANCELLED:
            words = translate(
                "Reindexing", "Indexing for %1 was stopped at %2; search uses the model before it."
            )
            return words.replace("%1", model).replace("%2", figures)
        case ReindexState.FAILED:
            words = translate("Reindexing", "Indexing for %1 stopped: %2")
            return words.replace("%1", model).replace("%2", progress.message)
        case ReindexState.FINISHED:
            return ""


def reindex_short(progress: ReindexProgress | None) -> str:
    """Return it in a few words for the line at the foot; "" where it does not run."""
    if progress is None or progress.state not in _RUNS or not progress.total:
        return ""
    words = translate("Reindexing", "Indexing for meaning %1 %")
    return words.replace("%1", f"{100 * progress.share:.0f}")
