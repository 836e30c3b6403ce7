"""The index of another embedding model in the window: how far, stopped, waiting for consent."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.services.changes import ReindexProgress, ReindexState
from app.ui.main_window import MainWindow
from app.ui.models.reindexing import ReindexLine, reindex_short, reindex_words
from tests.ui.conftest import OpenWindow, until

RUNNING = ReindexProgress(ReindexState.RUNNING, "org/star-embed", 250, 1000, seconds_left=90.0)


def line_of(window: MainWindow) -> ReindexLine:
    window.desk.open("models")
    assert window.desk.dialog is not None
    return window.desk.dialog.reindexing


@pytest.mark.parametrize(("progress", "words", "short"), [
    (RUNNING, "Indexing your library for star-embed: 250 / 1,000 passages · 2 min left",
     "Indexing for meaning 25 %"),
    (ReindexProgress(ReindexState.WAITING, "m", 1, 4, "Nobody answers."), "Indexing waits: Nobody answers.",
     "Indexing for meaning 25 %"),
    (ReindexProgress(ReindexState.CANCELLED, "m", 1, 4),
     "Indexing for m was stopped at 1 / 4; search uses the model before it.", ""),
    (ReindexProgress(ReindexState.FAILED, "m", 1, 4, "No room."), "Indexing for m stopped: No room.", ""),
    (ReindexProgress(ReindexState.FINISHED, "m", 4, 4), "", ""),
])  # fmt: skip
def test_that_an_index_says_how_it_stands(
    qapp: QApplication, progress: ReindexProgress, words: str, short: str
) -> None:
    assert reindex_words(progress) == words
    assert reindex_short(progress) == short


async def test_that_the_line_offers_what_can_be_done(open_window: OpenWindow) -> None:
    async with open_window() as window:
        line = line_of(window)
        window.desk.reindexed(RUNNING)
        assert line.cancel.isVisibleTo(line)
        assert not line.resume.isVisibleTo(line)
        window.desk.reindexed(ReindexProgress(ReindexState.CANCELLED, "m", 1, 4))
        assert not line.cancel.isVisibleTo(line)
        assert line.resume.isVisibleTo(line)
        window.desk.reindexed(ReindexProgress(ReindexState.FINISHED, "m", 4, 4))
        assert line.isHidden()


async def test_that_agreeing_is_kept_and_goes_on(open_window: OpenWindow) -> None:
    async with open_window() as window:
        line = line_of(window)
        resumed: list[bool] = []

        async def resume() -> None:
            resumed.append(window.application.consent.agreed())

        window.application.reindexer.resume = resume  # type: ignore[method-assign]
        window.desk.reindexed(ReindexProgress(ReindexState.FAILED, "m", 1, 4, "Private.", "consent_needed"))
        assert line.agree.isVisibleTo(line)
        assert not line.resume.isVisibleTo(line)
        line.agree.click()
        await until(lambda: resumed)
        assert resumed == [True]
